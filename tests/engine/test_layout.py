"""The layout keeps its promises on every diagram, and `faults` sees each way of breaking them."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from lxml import etree

from app.engine.picture.layout import faults, layout
from app.errors import Invalid

FIXTURES = Path(__file__).parent / "fixtures-layout"
CONTENT = Path(__file__).parents[2] / "bpmn"
DIAGRAMS = sorted(FIXTURES.glob("*.bpmn")) + sorted(CONTENT.rglob("*.bpmn"))
DI = "{http://www.omg.org/spec/BPMN/20100524/DI}"
DC = "{http://www.omg.org/spec/DD/20100524/DC}"
DD = "{http://www.omg.org/spec/DD/20100524/DI}"
BPMN = "{http://www.omg.org/spec/BPMN/20100524/MODEL}"

Bounds = tuple[float, float, float, float]


def sequence(nodes: str, flows: str) -> bytes:
    """A process without pool: `kind:id` words and `a>b` words."""
    body = "".join(f'<bpmn:{k} id="{i}"/>' for k, _, i in (n.partition(":") for n in nodes.split()))
    for source, _, target in (f.partition(">") for f in flows.split()):
        body += f'<bpmn:sequenceFlow id="{source}_{target}" sourceRef="{source}" targetRef="{target}"/>'
    return (
        '<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" '
        'xmlns:tramita="urn:tramita:bpmn" targetNamespace="urn:t">'
        f'<bpmn:process id="p">{body}</bpmn:process></bpmn:definitions>'
    ).encode()


def bounds(drawn: bytes) -> dict[str, Bounds]:
    found = {}
    for shape in etree.fromstring(drawn).iter(f"{DI}BPMNShape"):
        box = shape.find(f"{DC}Bounds")
        x, y, width, height = (float(box.get(k)) for k in ("x", "y", "width", "height"))
        found[shape.get("bpmnElement")] = (x, y, width, height)
    return found


def waypoints(drawn: bytes, flow: str) -> list[tuple[float, float]]:
    for edge in etree.fromstring(drawn).iter(f"{DI}BPMNEdge"):
        if edge.get("bpmnElement") == flow:
            return [(float(p.get("x")), float(p.get("y"))) for p in edge.iter(f"{DD}waypoint")]
    raise KeyError(flow)


def middle(box: Bounds) -> tuple[float, float]:
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def drawn_fixture(name: str) -> bytes:
    return layout((FIXTURES / name).read_bytes())


@pytest.mark.parametrize("path", DIAGRAMS, ids=lambda p: p.stem)
def test_every_diagram_can_be_drawn_without_faults(path: Path) -> None:
    assert faults(layout(path.read_bytes())) == []


@pytest.mark.parametrize("path", sorted(CONTENT.rglob("*.bpmn")), ids=lambda p: p.stem)
def test_a_committed_drawing_has_no_faults(path: Path) -> None:
    xml = path.read_bytes()
    if b"BPMNDiagram" in xml:
        assert faults(xml) == []


@pytest.mark.parametrize("path", DIAGRAMS, ids=lambda p: p.stem)
def test_drawing_a_drawn_diagram_changes_nothing(path: Path) -> None:
    once = layout(path.read_bytes())
    assert layout(once) == once


@pytest.mark.parametrize("path", DIAGRAMS, ids=lambda p: p.stem)
def test_every_flow_runs_along_the_axes(path: Path) -> None:
    drawn = layout(path.read_bytes())
    for edge in etree.fromstring(drawn).iter(f"{DI}BPMNEdge"):
        points = [(p.get("x"), p.get("y")) for p in edge.iter(f"{DD}waypoint")]
        assert len(points) >= 2
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            assert (x0 == x1) != (y0 == y1), edge.get("bpmnElement")


def test_the_layout_changes_nothing_but_the_drawing() -> None:
    source = (FIXTURES / "julgamento.bpmn").read_bytes()
    after = etree.fromstring(layout(source))
    after.remove(after.find(f"{DI}BPMNDiagram"))
    written = etree.canonicalize(etree.tostring(after, encoding="unicode"), strip_text=True)
    assert written == etree.canonicalize(source.decode(), strip_text=True)


def test_a_plain_sequence_is_one_straight_line_from_left_to_right() -> None:
    drawn = layout(sequence("startEvent:a userTask:b endEvent:c", "a>b b>c"))
    where = bounds(drawn)
    (ax, ay), (bx, by), (cx, cy) = (middle(where[i]) for i in "abc")
    assert ay == by == cy
    assert ax < bx < cx
    assert len(waypoints(drawn, "a_b")) == 2


def test_the_longest_way_stays_straight_when_a_branch_leaves_it() -> None:
    drawn = layout(
        sequence("startEvent:a exclusiveGateway:g endEvent:out userTask:b endEvent:c", "a>g g>out g>b b>c")
    )
    where = bounds(drawn)
    assert middle(where["a"])[1] == middle(where["g"])[1] == middle(where["b"])[1] == middle(where["c"])[1]
    assert middle(where["out"])[1] > middle(where["b"])[1]


def test_a_loop_goes_back_to_the_left_without_moving_what_it_returns_to() -> None:
    drawn = layout(sequence("startEvent:a userTask:b exclusiveGateway:g endEvent:c", "a>b b>g g>b g>c"))
    where = bounds(drawn)
    assert middle(where["a"])[0] < middle(where["b"])[0] < middle(where["g"])[0] < middle(where["c"])[0]
    assert waypoints(drawn, "g_b")[-1][0] < waypoints(drawn, "g_b")[0][0]


def test_boundary_events_sit_on_the_border_of_their_host() -> None:
    where = bounds(drawn_fixture("licenca.bpmn"))
    host = where["analise"]
    top, bottom = host[1], host[1] + host[3]
    for event in ("retirada", "demora", "lembrete"):
        x, y = middle(where[event])
        assert y in (top, bottom)
        assert host[0] < x < host[0] + host[2]


def test_expanded_sub_processes_hold_what_is_inside_them() -> None:
    where = bounds(drawn_fixture("licenca.bpmn"))
    for outer, inner in (("analise", "conferir"), ("analise", "vistoria"), ("vistoria", "vistoriar")):
        x, y, width, height = where[outer]
        ix, iy, iwidth, iheight = where[inner]
        assert x < ix
        assert y < iy
        assert ix + iwidth < x + width
        assert iy + iheight < y + height


def test_lanes_fill_the_pool_from_top_to_bottom_in_the_order_of_the_file() -> None:
    where = bounds(drawn_fixture("julgamento.bpmn"))
    lanes = [where[f"raia_{n}"] for n in ("fiscal", "protocolo", "comissao", "secretario", "financas")]
    pool = where["piscina"]
    assert lanes[0][1] == pool[1]
    for upper, lower in itertools.pairwise(lanes):
        assert upper[1] + upper[3] == lower[1]
    assert lanes[-1][1] + lanes[-1][3] == pool[1] + pool[3]


def test_the_catches_of_an_event_gateway_stand_one_under_another() -> None:
    where = bounds(drawn_fixture("julgamento.bpmn"))
    catches = [middle(where[i]) for i in ("chega_defesa", "fim_defesa", "desiste")]
    assert len({x for x, _ in catches}) == 1
    assert len({y for _, y in catches}) == 3


def test_a_column_hint_moves_a_node_to_that_column() -> None:
    plain = sequence("startEvent:a userTask:b userTask:c userTask:d endEvent:e", "a>b a>e b>c c>d")
    hinted = plain.replace(b'<bpmn:endEvent id="e"', b'<bpmn:endEvent id="e" tramita:col="3"')
    assert middle(bounds(layout(plain))["e"])[0] == middle(bounds(layout(plain))["b"])[0]
    where = bounds(layout(hinted))
    assert middle(where["e"])[0] == middle(where["d"])[0]
    assert faults(layout(hinted)) == []


def test_a_row_hint_puts_a_branch_above_the_main_line() -> None:
    plain = sequence(
        "startEvent:a exclusiveGateway:g endEvent:out userTask:b endEvent:c", "a>g g>out g>b b>c"
    )
    hinted = plain.replace(b'<bpmn:endEvent id="out"', b'<bpmn:endEvent id="out" tramita:row="-1"')
    where = bounds(layout(hinted))
    assert middle(where["out"])[1] < middle(where["b"])[1]
    assert faults(layout(hinted)) == []


def test_two_nodes_hinted_to_one_place_are_refused_by_name() -> None:
    xml = sequence("startEvent:a userTask:b userTask:c", "a>b a>c")
    for node in (b"b", b"c"):
        xml = xml.replace(b'id="' + node + b'"', b'id="' + node + b'" tramita:row="1"')
    with pytest.raises(Invalid, match="'c' e 'b'"):
        layout(xml)


@pytest.mark.parametrize("value", [b"x", b"-1", b"1.5"])
def test_a_hint_that_is_no_column_is_refused(value: bytes) -> None:
    xml = sequence("startEvent:a", "").replace(b'id="a"', b'id="a" tramita:col="' + value + b'"')
    with pytest.raises(Invalid, match="tramita:col"):
        layout(xml)


@pytest.mark.parametrize(
    "xml",
    [
        b"<a/>",
        b"not xml",
        b"",
        b'<!DOCTYPE x [<!ENTITY e "v">]>' + sequence("startEvent:a", ""),
        sequence("startEvent:a", "a>nowhere"),
        sequence("startEvent:a textAnnotation:t", ""),
        sequence("boundaryEvent:b", ""),
        sequence("userTask:a boundaryEvent:b", "a>b").replace(b'id="b"', b'id="b" attachedToRef="a"'),
        sequence("startEvent:a", "").replace(b"<bpmn:process", b'<bpmn:process id="q"/><bpmn:process'),
    ],
    ids=[
        "other",
        "text",
        "empty",
        "doctype",
        "dangling",
        "annotation",
        "unattached",
        "into-border",
        "two-processes",
    ],
)
def test_what_cannot_be_drawn_is_refused(xml: bytes) -> None:
    with pytest.raises(Invalid):
        layout(xml)


def test_an_external_entity_is_never_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("do not read")
    head = f'<!DOCTYPE d [<!ENTITY e SYSTEM "file://{secret}">]>'.encode()
    with pytest.raises(Invalid) as refused:
        layout(head + sequence("startEvent:a", "").replace(b"<bpmn:process", b"&e;<bpmn:process"))
    assert "do not read" not in str(refused.value)


SIMPLE = """<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"
 xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"
 xmlns:di="http://www.omg.org/spec/DD/20100524/DI" targetNamespace="urn:t">
<bpmn:collaboration id="c"><bpmn:participant id="pool" processRef="p"/></bpmn:collaboration>
<bpmn:process id="p"><bpmn:laneSet><bpmn:lane id="one"><bpmn:flowNodeRef>a</bpmn:flowNodeRef>
<bpmn:flowNodeRef>b</bpmn:flowNodeRef></bpmn:lane><bpmn:lane id="two"><bpmn:flowNodeRef>x</bpmn:flowNodeRef>
</bpmn:lane></bpmn:laneSet><bpmn:userTask id="a"/><bpmn:userTask id="b"/><bpmn:userTask id="x"/>
<bpmn:boundaryEvent id="t" attachedToRef="x"/>
<bpmn:sequenceFlow id="f" name="sim" sourceRef="a" targetRef="b"/></bpmn:process>
<bpmndi:BPMNDiagram><bpmndi:BPMNPlane bpmnElement="c">
<bpmndi:BPMNShape bpmnElement="pool"><dc:Bounds x="0" y="0" width="600" height="400"/></bpmndi:BPMNShape>
<bpmndi:BPMNShape bpmnElement="one"><dc:Bounds x="30" y="0" width="570" height="200"/></bpmndi:BPMNShape>
<bpmndi:BPMNShape bpmnElement="two"><dc:Bounds x="30" y="200" width="570" height="200"/></bpmndi:BPMNShape>
<bpmndi:BPMNShape bpmnElement="a"><dc:Bounds x="50" y="50" width="100" height="80"/></bpmndi:BPMNShape>
<bpmndi:BPMNShape bpmnElement="b"><dc:Bounds x="450" y="50" width="100" height="80"/></bpmndi:BPMNShape>
<bpmndi:BPMNShape bpmnElement="x"><dc:Bounds x="250" y="250" width="100" height="80"/></bpmndi:BPMNShape>
<bpmndi:BPMNShape bpmnElement="t"><dc:Bounds x="300" y="312" width="36" height="36"/></bpmndi:BPMNShape>
<bpmndi:BPMNEdge bpmnElement="f"><di:waypoint x="150" y="90"/><di:waypoint x="450" y="90"/>
<bpmndi:BPMNLabel><dc:Bounds x="160" y="70" width="40" height="14"/></bpmndi:BPMNLabel></bpmndi:BPMNEdge>
</bpmndi:BPMNPlane></bpmndi:BPMNDiagram></bpmn:definitions>"""


def test_a_correct_drawing_made_by_hand_has_no_faults() -> None:
    assert faults(SIMPLE.encode()) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            '<bpmndi:BPMNShape bpmnElement="b">',
            '<bpmndi:BPMNShape bpmnElement="z">',
            "'b' não está desenhado.",
        ),
        ('<bpmndi:BPMNEdge bpmnElement="f">', '<bpmndi:BPMNEdge bpmnElement="z">', "'f' não está desenhado."),
        ('x="450" y="50"', 'x="120" y="50"', "'a' e 'b' estão um sobre o outro."),
        ('x="250" y="250"', 'x="250" y="150"', "'x' está fora da sua raia 'two'."),
        ('y="0" width="600" height="400"', 'y="0" width="500" height="400"', "'b' está fora de 'pool'."),
        ('x="300" y="312"', 'x="300" y="350"', "O evento de borda 't' não está na borda de 'x'."),
        ('x="250" y="250"', 'x="250" y="50"', "O fluxo 'f' passa por cima de 'x'."),
        ('x="450" y="90"', 'x="440" y="90"', "O fluxo 'f' não toca 'b'."),
        ('x="160" y="70"', 'x="100" y="70"', "O rótulo de 'f' está sobre 'a'."),
        ('x="160" y="70"', 'x="160" y="-20"', "O rótulo de 'f' está fora da piscina."),
    ],
    ids=["shape", "edge", "overlap", "lane", "pool", "boundary", "through", "loose", "label-on", "label-out"],
)
def test_each_defect_is_found(old: str, new: str, fault: str) -> None:
    assert SIMPLE.count(old) == 1
    assert fault in faults(SIMPLE.replace(old, new).encode())


def test_labels_on_top_of_each_other_are_found() -> None:
    drawn = drawn_fixture("julgamento.bpmn").decode()
    label = re.search(
        r'<bpmndi:BPMNShape id="maioria_di".*?(<bpmndi:BPMNLabel>.*?</bpmndi:BPMNLabel>)', drawn, re.S
    )
    other = re.search(
        r'<bpmndi:BPMNShape id="resultado_di".*?(<bpmndi:BPMNLabel>.*?</bpmndi:BPMNLabel>)', drawn, re.S
    )
    assert label is not None
    assert other is not None
    seeded = drawn.replace(label.group(1), other.group(1))
    assert "Os rótulos de 'maioria' e 'resultado' estão um sobre o outro." in faults(seeded.encode())


def test_lanes_inside_a_lane_stand_within_it() -> None:
    inner = "".join(
        f'<bpmn:lane id="{lane}"><bpmn:flowNodeRef>{node}</bpmn:flowNodeRef></bpmn:lane>'
        for lane, node in (("l1", "a"), ("l2", "b"))
    )
    lanes = (
        f'<bpmn:laneSet><bpmn:lane id="outer"><bpmn:childLaneSet>{inner}</bpmn:childLaneSet></bpmn:lane>'
        '<bpmn:lane id="l3"><bpmn:flowNodeRef>c</bpmn:flowNodeRef></bpmn:lane></bpmn:laneSet>'
    ).encode()
    xml = sequence("startEvent:a userTask:b endEvent:c", "a>b b>c").replace(b'id="p">', b'id="p">' + lanes)
    drawn = layout(xml)
    where = bounds(drawn)
    assert faults(drawn) == []
    assert where["outer"][1] == where["l1"][1]
    assert where["l1"][1] + where["l1"][3] == where["l2"][1]
    assert where["outer"][1] + where["outer"][3] == where["l2"][1] + where["l2"][3] == where["l3"][1]
    assert where["outer"][0] == where["l3"][0] < where["l1"][0]

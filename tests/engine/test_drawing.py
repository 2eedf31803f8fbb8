"""The picture is a well-formed, safe and accessible SVG that says in words and signs what it says in colour."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from app.engine.picture.drawing import svg
from app.engine.picture.layout import layout
from app.errors import Invalid

FIXTURES = Path(__file__).parent / "fixtures-layout"
S = "{http://www.w3.org/2000/svg}"


def diagram(name: str = "julgamento.bpmn") -> bytes:
    return layout((FIXTURES / name).read_bytes())


def groups(picture: str) -> dict[str, etree._Element]:
    root = etree.fromstring(picture)
    return {g.get("data-element"): g for g in root.iter(f"{S}g") if g.get("data-element")}


def title(group: etree._Element) -> str:
    return group.findtext(f"{S}title") or ""


def written(group: etree._Element) -> str:
    return "".join("".join(t.itertext()) for t in group.iter(f"{S}text"))


def channel(hexadecimal: str) -> float:
    value = int(hexadecimal, 16) / 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast ratio of two `#rrggbb` colours."""
    lights = []
    for colour in (one, other):
        red, green, blue = (channel(colour[k : k + 2]) for k in (1, 3, 5))
        lights.append(0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
    return max(lights) / min(lights)


def test_the_picture_is_an_image_with_a_name() -> None:
    root = etree.fromstring(svg(diagram(), {}, "Infração 00001/2026-3"))
    assert root.tag == f"{S}svg"
    assert root.get("role") == "img"
    assert root[0].tag == f"{S}title"
    assert root[0].text == root.get("aria-label") == "Infração 00001/2026-3"


@pytest.mark.parametrize("name", ["julgamento.bpmn", "licenca.bpmn"])
def test_every_element_and_flow_has_a_title(name: str) -> None:
    xml = diagram(name)
    drawn = {
        e.get("bpmnElement") for e in etree.fromstring(xml).iter() if (e.get("id") or "").endswith("_di")
    }
    found = groups(svg(xml))
    assert set(found) == drawn
    assert all(title(group) for group in found.values())


def test_an_element_without_a_name_is_called_by_its_kind() -> None:
    found = groups(svg(diagram()))
    assert title(found["junta"]) == "Desvio paralelo"
    assert title(found["abre__espera"]) == "De Desvio paralelo a Defesa em 5 dias?"


@pytest.mark.parametrize(
    ("mark", "words"), [("done", "concluída"), ("active", "em andamento"), ("late", "prazo vencido")]
)
def test_a_mark_changes_the_marked_element_and_no_other(mark: str, words: str) -> None:
    xml = diagram()
    before, after = groups(svg(xml)), groups(svg(xml, {"votar": mark}))
    changed = {i for i in before if etree.tostring(before[i]) != etree.tostring(after[i])}
    assert changed == {"votar"}
    assert title(after["votar"]) == f"Votar: {words}"


def test_a_way_that_was_taken_says_so_and_is_thicker_and_lies_over_the_others() -> None:
    xml = diagram()
    before, after = groups(svg(xml)), groups(svg(xml, {"abre__espera": "done"}))
    assert title(after["abre__espera"]) == "De Desvio paralelo a Defesa em 5 dias?: percorrido"
    assert float(after["abre__espera"][1].get("stroke-width")) > float(
        before["abre__espera"][1].get("stroke-width")
    )
    flows = [i for i, group in after.items() if group[1].tag == f"{S}polyline"]
    assert flows[-1] == "abre__espera"


@pytest.mark.parametrize("mark", ["done", "active", "late"])
@pytest.mark.parametrize("element", ["lavrar", "prazo_voto", "maioria", "fim_pago"])
def test_a_state_shows_without_colour_by_a_badge_and_a_thicker_border(element: str, mark: str) -> None:
    xml = diagram()
    before, after = groups(svg(xml))[element], groups(svg(xml, {element: mark}))[element]
    assert len(list(after.iter(f"{S}circle"))) == len(list(before.iter(f"{S}circle"))) + 1
    # The first drawn child after the title is the border.
    assert float(after[1].get("stroke-width")) > float(before[1].get("stroke-width"))


@pytest.mark.parametrize("mark", ["done", "active", "late"])
def test_colours_of_states_are_readable(mark: str) -> None:
    border = groups(svg(diagram(), {"lavrar": mark}))["lavrar"][1]
    text = next(groups(svg(diagram(), {"lavrar": mark}))["lavrar"].iter(f"{S}text"))
    assert contrast(text.get("fill"), border.get("fill")) >= 7
    assert contrast(border.get("stroke"), "#ffffff") >= 4.5
    assert contrast(border.get("stroke"), border.get("fill")) >= 3


def test_marks_of_unknown_elements_and_unknown_marks_change_nothing() -> None:
    xml = diagram()
    assert svg(xml, {"ninguem": "done"}) == svg(xml)
    assert svg(xml, {"votar": "other"}) == svg(xml)


def test_nothing_in_the_picture_needs_an_inline_style_a_script_or_an_id() -> None:
    root = etree.fromstring(svg(diagram(), {"votar": "late"}))
    for element in root.iter():
        assert etree.QName(element).localname not in {"style", "script", "foreignObject", "image", "use"}
        assert not {"style", "id", "class", "href"} & set(element.attrib)
        assert not [a for a in element.attrib if a.startswith("on")]


def test_markup_in_names_is_text() -> None:
    xml = diagram().replace(b'name="Votar"', b'name="&lt;script>&amp; &quot;voto&quot;"')
    picture = svg(xml, {}, 'A < B & "C"')
    assert "<script" not in picture
    found = groups(picture)
    assert title(found["votar"]) == '<script>& "voto"'
    assert written(found["votar"]) == '<script>& "voto"'
    assert etree.fromstring(picture).get("aria-label") == 'A < B & "C"'


def test_long_names_are_wrapped_and_kept_whole() -> None:
    found = groups(svg(diagram()))
    lines = list(found["inscrever"].iter(f"{S}text"))
    assert len(lines) == 2
    assert written(found["inscrever"]) == "Inscrever em dívida ativa"


def test_only_non_interrupting_boundary_events_are_dashed() -> None:
    found = groups(svg(diagram()))

    def dashed(ident: str) -> list[bool]:
        return [c.get("stroke-dasharray") is not None for c in found[ident].iter(f"{S}circle")]

    assert dashed("prazo_voto") == [True, True]
    assert dashed("prazo_homologar") == [False, False]


def test_events_are_told_apart_by_their_border() -> None:
    found = groups(svg(diagram()))
    rings = {
        i: len(list(found[i].iter(f"{S}circle")))
        for i in ("inicio", "chega_defesa", "fim_pago", "fim_desiste")
    }
    # One ring starts or ends, two wait; a terminate end is a ring with a full disc.
    assert rings == {"inicio": 1, "chega_defesa": 2, "fim_pago": 1, "fim_desiste": 2}
    start, end = (float(found[i][1].get("stroke-width")) for i in ("inicio", "fim_pago"))
    assert end >= 2 * start


def test_tasks_gateways_and_votes_carry_their_markers() -> None:
    found = groups(svg(diagram()))
    signs = {i: len(list(found[i].iter(f"{S}path"))) for i in found}
    assert signs["lavrar"] == signs["apurar"] == signs["juntar_laudo"] == 1
    assert signs["votar"] == 2
    assert signs["cobrar"] == 0
    assert float(found["cobrar"][1].get("stroke-width")) > float(found["lavrar"][1].get("stroke-width"))
    drawn = {i: [p.get("d") for p in found[i].iter(f"{S}path")][1] for i in ("abre", "espera", "maioria")}
    assert len(set(drawn.values())) == 3


def test_the_default_way_has_a_slash_and_the_others_have_none() -> None:
    found = groups(svg(diagram()))
    assert len(list(found["resultado__arquivar"].iter(f"{S}path"))) == 2
    assert len(list(found["resultado__homologar"].iter(f"{S}path"))) == 1


def test_titles_of_lanes_are_turned() -> None:
    found = groups(svg(diagram()))
    for frame in ("piscina", "raia_fiscal"):
        turned = [
            g for g in found[frame].iter(f"{S}g") if (g.get("transform") or "").startswith("rotate(-90")
        ]
        assert len(turned) == 1
        assert written(turned[0]) == title(found[frame])


def test_the_frame_of_the_picture_holds_everything_drawn() -> None:
    root = etree.fromstring(svg(diagram("licenca.bpmn")))
    left, top, width, height = (float(v) for v in root.get("viewBox").split())
    for rect in root.iter(f"{S}rect"):
        assert left <= float(rect.get("x"))
        assert top <= float(rect.get("y"))
        assert float(rect.get("x")) + float(rect.get("width")) <= left + width
        assert float(rect.get("y")) + float(rect.get("height")) <= top + height


def test_the_same_diagram_gives_the_same_picture() -> None:
    assert svg(diagram(), {"votar": "done"}) == svg(diagram(), {"votar": "done"})


def test_a_diagram_without_a_drawing_says_how_to_get_one() -> None:
    with pytest.raises(Invalid, match="tramita process layout"):
        svg((FIXTURES / "julgamento.bpmn").read_bytes())


def test_words_stay_apart_where_a_label_is_broken() -> None:
    xml = diagram().replace(b'name="Votar"', 'name="Registrar a notificação recebida no protocolo"'.encode())
    task = groups(svg(xml))["votar"]
    assert len(list(task.iter(f"{S}text"))) > 1
    assert written(task) == "Registrar a notificação recebida no protocolo"


def test_a_picture_around_one_element_has_it_in_its_middle() -> None:
    xml = diagram()
    root = etree.fromstring(svg(xml, {"votar": "active"}, around="votar"))
    left, top, width, height = (float(n) for n in root.get("viewBox", "").split())
    border = next(groups(svg(xml))["votar"].iter(f"{S}rect"))
    x, y = (
        float(border.get(k, "")) + float(border.get(s, "")) / 2 for k, s in (("x", "width"), ("y", "height"))
    )
    assert (x, y) == (left + width / 2, top + height / 2)
    assert root.get("preserveAspectRatio") == "xMidYMid slice"
    assert etree.fromstring(svg(xml, around="ninguem")).get("preserveAspectRatio") is None


def test_the_end_that_was_reached_is_told_in_words_and_by_a_sign() -> None:
    xml = diagram()
    end = next(e.get("id", "") for e in etree.fromstring(xml).iter("{*}endEvent"))
    marked = groups(svg(xml, {end: "ended"}))[end]
    assert title(marked).endswith(": terminou aqui")
    assert len(list(marked.iter(f"{S}circle"))) == len(list(groups(svg(xml))[end].iter(f"{S}circle"))) + 1

"""What a case makes a carrier owe: units at their worth of the day, payments by their instant, what goes back."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from app.registry import charges
from app.store.registry_tables import payment
from app.values import Money, Units
from tests.cases.infringement import REFUND, Infringement, to_decision_served, to_trial
from tests.cases.town import Town, local

CASE = "caso-1"
END = local("2026-05-19 00:00")
DAY = date(2026, 5, 8)


@pytest.fixture
def owing(town: Town) -> Town:
    """Expresso Sol owes 5 UFP at R$ 100.00."""
    carrier = town.world.carriers["ES"]
    assert town.install(charges.owe, CASE, carrier, Units(500), Money(10_000), DAY) == Money(50_000)
    return town


def settled(town: Town, before: object = None) -> bool:
    answer: bool = town.read(charges.settled, CASE, before)
    return answer


def pay(town: Town, cents: int, when: str) -> None:
    town.install(charges.pay, CASE, Money(cents), local(when), None)


@pytest.mark.parametrize(
    ("payments", "in_time", "at_all"),
    [
        ([], False, False),
        ([(50_000, "2026-05-18 23:59")], True, True),
        ([(50_000, "2026-05-19 00:00")], False, True),
        ([(49_999, "2026-05-18 10:00")], False, False),
        ([(25_000, "2026-05-12 10:00"), (25_000, "2026-05-18 10:00")], True, True),
        ([(25_000, "2026-05-12 10:00"), (25_000, "2026-05-20 10:00")], False, True),
        ([(60_000, "2026-05-12 10:00")], True, True),
    ],
)
def test_payments_made_before_the_end_cover_the_charge_or_do_not(
    owing: Town, payments: list[tuple[int, str]], in_time: bool, at_all: bool
) -> None:
    for cents, when in payments:
        pay(owing, cents, when)
    assert (settled(owing, END), settled(owing)) == (in_time, at_all)


def test_the_last_microsecond_of_the_term_is_in_time(owing: Town) -> None:
    owing.install(charges.pay, CASE, Money(50_000), END - timedelta(microseconds=1), None)
    assert settled(owing, END) is True
    assert owing.read(charges.paid, CASE, END - timedelta(microseconds=1)) == Money(0)


def test_nothing_owed_is_not_paid_and_receives_nothing(town: Town) -> None:
    assert (town.read(charges.of_case, CASE), settled(town)) == (None, False)
    before = town.snapshot()
    town.install(charges.pay, CASE, Money(100), END, None)
    town.install(charges.refund, CASE, 70, Money(100))
    assert town.snapshot() == before


def test_a_changed_charge_keeps_the_worth_of_its_first_day(owing: Town) -> None:
    carrier = owing.world.carriers["ES"]
    amount = owing.install(charges.owe, CASE, carrier, Units(300), Money(11_000), date(2026, 6, 1))
    owed = owing.read(charges.of_case, CASE)
    assert (amount, owed.unit_value, owed.reference_on) == (Money(30_000), Money(10_000), DAY)
    assert [e.act for e in owing.entries(f"transportador:{carrier}")][-2:] == ["owe", "owe"]


def test_amounts_round_half_up_to_the_centavo(town: Town) -> None:
    """2.5 UFP of R$ 33.33 are R$ 83.325: R$ 83.33; 70 % of 3.35 UFP are 2.345: 2.35."""
    carrier = town.world.carriers["ES"]
    assert town.install(charges.owe, CASE, carrier, Units(250), Money(3_333), DAY) == Money(8_333)
    assert Units(335).share(70) == Units(235)


def test_a_fortune_fits(owing: Town) -> None:
    pay(owing, 900_000_000_000_00, "2026-05-12 10:00")
    pay(owing, 900_000_000_000_00, "2026-05-12 10:01")
    assert owing.read(charges.paid, CASE) == Money(1_800_000_000_000_00)


def test_a_refund_is_written_beside_the_charge_and_in_the_carriers_stream(owing: Town) -> None:
    owing.install(charges.refund, CASE, 70, Money(35_000))
    owed = owing.read(charges.of_case, CASE)
    assert (owed.refund_percent, owed.refund, owed.amount) == (70, Money(35_000), Money(50_000))
    last = owing.entries(f"transportador:{owing.world.carriers['ES']}")[-1]
    assert (last.act, last.body["refund_cents"]) == ("refund", 35_000)


def upheld(town: Town, paid: str, percent: int, **changes: str) -> Infringement:
    case = to_decision_served(town, **changes).paid("2026-06-01 10:00", paid).appealed()
    if case.status == "AGUARDANDO_COMPROVANTE":
        case.town.let_pass("2026-06-05 09:00")
    case.admitted("2026-06-05 10:00").answered()
    case.ruled("provido", devolucao_percentual=percent, fundamento_devolucao="Art. 130.")
    town.at("2026-06-16 09:00")
    case.do("financas", "devolver_condenacao", REFUND)
    return case


@pytest.mark.parametrize(
    ("paid", "percent", "back"),
    [
        ("500.00", 70, 35_000),
        ("500.00", 100, 50_000),
        ("200.00", 70, 20_000),  # 70 % of 5 UFP is R$ 350.00, but only R$ 200.00 came in
    ],
)
def test_an_appeal_upheld_gives_back_its_share_and_never_more_than_was_paid(
    town: Town, paid: str, percent: int, back: int
) -> None:
    case = upheld(town, paid, percent)
    owed = town.read(charges.of_case, case.id)
    assert (case.status, owed.refund_percent, owed.refund) == ("PROVIDO", percent, Money(back))


def test_twenty_units_upheld_give_fourteen_back(town: Town) -> None:
    """SC-16: I-25, 20 UFP, R$ 2,000.00 paid; R$ 1,400.00 go back."""
    case = upheld(town, "2000.00", 70, codigo="I-25")
    owed = town.read(charges.of_case, case.id)
    assert (owed.units, owed.refund) == (Units(2000), Money(140_000))


def test_an_auto_dismissed_after_payment_gives_everything_back(town: Town) -> None:
    case = (
        to_trial(town).paid("2026-05-18 17:00").voted("improcedente", "improcedente", "procedente").decided()
    )
    assert case.open == ["devolver_tudo"]
    case.do("financas", "devolver_tudo", REFUND)
    owed = town.read(charges.of_case, case.id)
    assert (case.status, owed.refund_percent, owed.refund) == ("IMPROCEDENTE", 100, Money(50_000))


def test_the_company_owes_the_fine_of_its_driver(town: Town) -> None:
    """Art. 109: II-05, 2 UFP; José is the infringer, Expresso Sol pays."""
    told = {"codigo": "II-05", "pessoa": town.world.staff["jose"]}
    Infringement.opened(town, when="2026-04-01 09:00", ocorrida_em="2026-04-01", **told)
    case = Infringement.opened(town, **told).registered().charged()
    owed = town.read(charges.of_case, case.id)
    assert (owed.carrier_id, case.row["infringer"]) == (
        town.world.carriers["ES"],
        f"pessoal:{town.world.staff['jose']}",
    )
    assert (owed.units, owed.amount) == (Units(400), Money(40_000))  # the same fault 34 days before: doubled
    case.served().paid("2026-05-12 10:00", "400.00", pago_em="2026-05-12T09:00:00-03:00")
    assert town.row(payment, case_id=case.id)["paid_at"] == local("2026-05-12 09:00")

"""What a case makes a carrier owe: units at their worth of the day, payments by their instant, what goes back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

import pytest

from app.registry import charges
from app.store.registry_tables import payment
from app.values import Money, Units
from tests.cases.infringement import REFUND, Infringement, to_decision_served, to_trial
from tests.cases.town import Town, local

END = local("2026-05-19 00:00")
DAY = date(2026, 5, 8)


@dataclass
class Owing:
    """Something that Expresso Sol owes: 5 UFP at R$ 100.00 unless told otherwise."""

    town: Town
    case_id: str

    @classmethod
    def of(cls, town: Town, units: int = 500, unit: int = 10_000) -> Owing:
        made = cls(town, str(town.draft("fiscal", lambda tx: tx.new_id())))
        made.owe(units, unit, DAY)
        return made

    @property
    def charge(self) -> charges.Charge:
        found: charges.Charge = self.town.read(charges.of_case, self.case_id)
        return found

    def owe(self, units: int, unit: int, day: date) -> Money:
        carrier = self.town.world.carriers["ES"]
        amount: Money = self.town.install(charges.owe, self.case_id, carrier, Units(units), Money(unit), day)
        return amount

    def pay(self, cents: int, when: str | datetime) -> None:
        instant = local(when) if isinstance(when, str) else when
        self.town.install(charges.pay, self.case_id, Money(cents), instant, None)

    def settled(self, before: datetime | None = None) -> bool:
        answer: bool = self.town.read(charges.settled, self.case_id, before)
        return answer

    def paid(self, before: datetime | None = None) -> Money:
        answer: Money = self.town.read(charges.paid, self.case_id, before)
        return answer


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
    shared_town: Town, payments: list[tuple[int, str]], in_time: bool, at_all: bool
) -> None:
    owing = Owing.of(shared_town)
    for cents, when in payments:
        owing.pay(cents, when)
    assert (owing.settled(END), owing.settled()) == (in_time, at_all)


def test_the_last_microsecond_of_the_term_is_in_time(shared_town: Town) -> None:
    owing, last = Owing.of(shared_town), END - timedelta(microseconds=1)
    owing.pay(50_000, last)
    assert (owing.settled(END), owing.settled(last)) == (True, False)
    assert (owing.paid(END), owing.paid(last)) == (Money(50_000), Money(0))


def test_nothing_owed_is_not_paid_and_receives_nothing(shared_town: Town) -> None:
    owing = Owing(shared_town, "nenhum")
    assert (owing.charge, owing.settled()) == (None, False)
    before = shared_town.snapshot()
    owing.pay(100, END)
    shared_town.install(charges.refund, "nenhum", 70, Money(100))
    assert shared_town.snapshot() == before


def test_a_changed_charge_keeps_the_worth_of_its_first_day(shared_town: Town) -> None:
    owing = Owing.of(shared_town)
    assert owing.owe(300, 11_000, date(2026, 6, 1)) == Money(30_000)
    assert (owing.charge.unit_value, owing.charge.reference_on) == (Money(10_000), DAY)
    stream = f"transportador:{shared_town.world.carriers['ES']}"
    assert [e.act for e in shared_town.entries(stream)][-2:] == ["owe", "owe"]


def test_amounts_round_half_up_to_the_centavo(shared_town: Town) -> None:
    """2.5 UFP of R$ 33.33 are R$ 83.325: R$ 83.33; 70 % of 3.35 UFP are 2.345: 2.35."""
    assert Owing.of(shared_town, 250, 3_333).charge.amount == Money(8_333)
    assert Units(335).share(70) == Units(235)


def test_a_fortune_fits(shared_town: Town) -> None:
    """Eighteen trillion reais: more than a column of 32 bits holds."""
    owing = Owing.of(shared_town)
    owing.pay(900_000_000_000_00, "2026-05-12 10:00")
    owing.pay(900_000_000_000_00, "2026-05-12 10:01")
    assert owing.paid() == Money(1_800_000_000_000_00)


def test_a_refund_is_written_beside_the_charge_and_in_the_carriers_stream(shared_town: Town) -> None:
    owing = Owing.of(shared_town)
    shared_town.install(charges.refund, owing.case_id, 70, Money(35_000))
    told = owing.charge
    assert (told.refund_percent, told.refund, told.amount) == (70, Money(35_000), Money(50_000))
    last = shared_town.entries(f"transportador:{shared_town.world.carriers['ES']}")[-1]
    assert (last.act, last.body["refund_cents"]) == ("refund", 35_000)


def upheld(town: Town, paid: str, percent: int, **changes: str) -> Infringement:
    case = to_decision_served(town, **changes).paid("2026-06-01 10:00", paid).appealed()
    town.let_pass("2026-06-05 09:00")
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

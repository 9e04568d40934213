"""Who is waited for, by what became of those before; times in seconds."""

import math

from serving.batching.company import Company

PATIENCE = 1.0


def company_of(
    returns: int, losses: int, *, return_s: float = 0.1, batch_s: float = 0.5
) -> Company:
    """Of so many who came back, and then so many who did not."""
    company = Company()
    company.note_batch(batch_s)
    for at in range(returns):
        company.note_answer(10.0 * at)
        company.note_arrival(10.0 * at + return_s, PATIENCE)
    for at in range(returns, returns + losses):
        company.note_answer(10.0 * at)
        company.note_arrival(10.0 * at + 5, PATIENCE)
    return company


def waited_for(company: Company) -> float:
    """How long the next one who is answered is waited for."""
    company.note_answer(1e6)
    return company.expected_until(1e6, PATIENCE) - 1e6


def test_nobody_is_waited_for_where_nobody_was_answered() -> None:
    assert Company().expected_until(1.0, PATIENCE) == -math.inf


def test_whoever_was_answered_is_waited_for_as_long_as_patience_lasts() -> None:
    company = Company()
    company.note_answer(1.0)
    company.note_answer(1.5)
    assert company.expected_until(2.25, PATIENCE) == 2.5
    assert company.expected_until(2.5, PATIENCE) == -math.inf


def test_nobody_more_is_waited_for_once_all_are_back() -> None:
    company = Company()
    company.note_answer(1.0)
    company.note_arrival(1.25, PATIENCE)
    assert company.expected_until(1.25, PATIENCE) == -math.inf


def test_clients_who_come_by_chance_are_not_waited_for() -> None:
    # 0.9 came back, after 0.1 s: 0.9 * 0.25 saves more than 0.9 * 0.1 + 0.1 * 1 costs.
    assert waited_for(company_of(returns=20, losses=1)) == PATIENCE
    # 0.81: 0.2025 saves less than 0.271 costs.
    assert waited_for(company_of(returns=20, losses=2)) == -math.inf


def test_the_longer_a_batch_takes_the_more_chances_are_worth_waiting_for() -> None:
    # 0.9 ** 10 = 0.35: 1.75 saves more than 0.685 costs.
    assert waited_for(company_of(returns=20, losses=10, batch_s=10)) == PATIENCE
    assert waited_for(company_of(returns=20, losses=40, batch_s=10)) == -math.inf


def test_clients_who_come_back_again_are_waited_for_again() -> None:
    company = company_of(returns=0, losses=40)
    assert waited_for(company) == -math.inf
    for at in range(20):
        company.note_answer(2e6 + at)
        company.note_arrival(2e6 + at + 0.1, PATIENCE)
    company.note_answer(3e6)
    assert company.expected_until(3e6, PATIENCE) == 3e6 + PATIENCE


def test_nobody_is_waited_for_who_takes_longer_than_half_a_batch() -> None:
    assert waited_for(company_of(returns=40, losses=0, return_s=0.2)) == PATIENCE
    assert waited_for(company_of(returns=40, losses=0, return_s=0.3)) == -math.inf

from hypothesis import given
from hypothesis import strategies as st

from serving.http.sized import SizedBody

FIRST = 64 * 1024
LONG = 300_000
BODY = bytes(range(256)) * (LONG // 256) + b"x" * (LONG % 256)


@given(st.integers(0, LONG - 1), st.lists(st.integers(1, LONG), max_size=20))
def test_body_is_what_came_however_it_was_cut(first: int, counts: list[int]) -> None:
    sized = SizedBody(LONG, memoryview(BODY)[:first])
    for count in [*counts, *[LONG] * 20]:
        if sized.is_complete:
            break
        with sized.room() as room:
            taken = min(count, len(room))
            room[:taken] = BODY[sized.received : sized.received + taken]
        sized.take(taken)
    assert sized.is_complete
    assert sized.whole() == BODY


def test_memory_is_given_for_what_has_come_and_not_for_what_is_promised() -> None:
    sized = SizedBody(2**40, memoryview(b"abc"))
    assert len(sized.room()) == FIRST - 3
    sized.take(FIRST - 3)
    assert len(sized.room()) == FIRST
    assert not sized.is_complete

"""The log has TorchServe's words, which alarms look for, where compat says so."""

import logging

import pytest

from serving.reference_words import ReferenceWords


def _said(words: ReferenceWords, level: int, message: str, *args: object) -> list[str]:
    record = logging.LogRecord("x", level, "x", 1, message, args, None)
    assert words.filter(record)
    return record.getMessage().splitlines()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "cat version 1: x did not load within 5 s",
            "org.pytorch.serve.wlm.WorkerInitializationException: "
            "Backend worker did not respond in given time",
        ),
        (
            "cat version 1: x cannot be loaded: 100 %",
            "org.pytorch.serve.wlm.WorkerInitializationException: "
            "Backend worker could not be started",
        ),
    ],
)
def test_a_worker_that_does_not_start_is_told_in_the_references_words(
    message: str, expected: str
) -> None:
    lines = _said(ReferenceWords(), logging.ERROR, "%s", message)
    assert lines == ["Backend worker error", expected]


def test_other_errors_are_told_as_they_are() -> None:
    message = "cat version 1: gave up after 3 starts in vain"
    assert _said(ReferenceWords(), logging.ERROR, "%s", message) == [message]


def test_a_worker_that_was_lost_and_replaced_is_told_as_a_recovery() -> None:
    words = ReferenceWords()
    lost = (logging.WARNING, "%s: worker %d %s", "cat version 1", 7, "was killed by signal 9")
    ready = (logging.INFO, "%s: worker %d is ready", "cat version 1", 8)
    assert _said(words, *ready) == ["cat version 1: worker 8 is ready"]
    said = _said(words, *lost)
    assert said[0] == "cat version 1: worker 7 was killed by signal 9"
    assert said[1] == "7 Worker disconnected. WORKER_MODEL_LOADED"
    assert said[2].startswith("Auto recovery start timestamp: ")
    assert said[3] == "Retry worker: 7"
    assert "Auto recovery failed again" in _said(words, *lost)
    assert _said(words, *ready)[1:] == ["Auto recovery succeeded, reset recoveryStartTS"]
    assert _said(words, *ready)[1:] == []


def test_a_worker_that_gave_no_answer_is_counted() -> None:
    why = "was ended: it gave no answer within 2 s"
    said = _said(ReferenceWords(), logging.WARNING, "%s: worker %d %s", "cat", 7, why)
    assert "Number or consecutive unsuccessful inference 1" in said

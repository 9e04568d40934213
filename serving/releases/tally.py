"""Tally: how many requests of a version ended how."""

from dataclasses import dataclass

from serving.releases.result import Result

__all__ = ("Tally",)


@dataclass(slots=True)
class Tally:
    """Counts of requests that were drawn for a version and are over.

    Attributes:
        requests: that the model answered, well or not.
        failures: of these, with an error, or a status of 500 and above.
        shed: that were refused, for the version had too much to do.
        rejected: that were the client's own mistake, as the version says.
    """

    requests: int = 0
    failures: int = 0
    shed: int = 0
    rejected: int = 0

    @property
    def valid(self) -> int:
        """Those that were no client's mistake."""
        return self.requests + self.shed

    @property
    def asked(self) -> int:
        """All of them."""
        return self.valid + self.rejected

    def note(self, result: Result) -> None:
        """Count one."""
        if result == "shed":
            self.shed += 1
        elif result == "rejected":
            self.rejected += 1
        else:
            self.requests += 1
            self.failures += result == "failed"

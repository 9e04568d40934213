"""What became of all jobs, and what each fault cost."""

from collections import Counter
from dataclasses import dataclass

from tests.hosts.town import Town


@dataclass(frozen=True)
class Account:
    """What became of the jobs that were accepted.

    Attributes:
        sent: how many were accepted.
        done: how many of them were done.
        failed: by code, those that were told to have failed.
        lost: ids of those that neither were done nor failed.
        missing: ids of films that were made, and are there no longer.
        refused: by code, visits that came to no film.
    """

    sent: int
    done: int
    failed: Counter[str]
    lost: list[str]
    missing: list[str]
    refused: Counter[str]


def account_for(town: Town) -> Account:
    """Go through all that people told."""
    news = town.news
    accepted = {line["job"] for line in news.of("accepted")}
    stands = {line["job"]: line["state"] for line in news.of("stands")}
    codes = {line["job"]: line["code"] for line in news.of("failed")}
    failed = [job for job in accepted if stands.get(job) == "failed"]
    return Account(
        sent=len(accepted),
        done=sum(stands.get(job) == "done" for job in accepted),
        failed=Counter(codes.get(job, "not told") for job in failed),
        lost=sorted(job for job in accepted if stands.get(job) not in ("done", "failed")),
        missing=[line["id"] for line in news.of("film", is_there=False)],
        refused=Counter(line["how"] for line in news.of("visit") if line["how"] != "done"),
    )


def write_report(town: Town, account: Account) -> str:
    """A table of faults in Markdown, and a sentence of jobs."""
    lines = [
        "| what happened | for | next film after | longest visit | films meanwhile |",
        "|---|---|---|---|---|",
    ]
    visits = town.news.of("visit", how="done")
    for i, cost in enumerate(town.costs):
        end = town.costs[i + 1].begun if i + 1 < len(town.costs) else float("inf")
        ended = [v for v in visits if cost.begun <= v["at"] < end]
        longest = max((v["at"] - v["begun"] for v in ended), default=0.0)
        during = sum(v["at"] < cost.over for v in ended)
        lasted = cost.over - cost.begun
        lines.append(
            f"| {cost.trial} | {lasted:.0f} s | {cost.served:.1f} s | {longest:.1f} s | {during} |"
        )
    lines += [
        "",
        f"{account.sent} jobs were accepted, {account.done} done, {account.failed.total()} failed "
        f"{dict(account.failed) or ''}, {len(account.lost)} lost; {len(visits)} films, "
        f"{len(account.missing)} of them missing; visits without a film: {dict(account.refused)}.",
    ]
    return "\n".join(lines)

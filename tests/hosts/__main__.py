"""`python -m tests.hosts`: the trials by hand, as root, with their report."""

import sys
import tempfile
from pathlib import Path

from tests.hosts.network import Network
from tests.hosts.report import account_for, write_report
from tests.hosts.town import Town
from tests.hosts.trials import plan


def main(chosen: str) -> int:
    """Run those whose name has the word in it; 1 when something was lost."""
    with tempfile.TemporaryDirectory() as folder, Network(Path(folder)) as network:
        with Town(network) as town:
            for trial in plan(town):
                if chosen in trial.name:
                    town.suffer(trial)
                    print(town.costs[-1], file=sys.stderr, flush=True)
            town.call_people_home(within=180)
        account = account_for(town)
        print(write_report(town, account))
        return 1 if account.lost or account.missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))

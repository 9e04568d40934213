"""`animator bench`: how fast models are, and drawings from end to end; which setting is best."""

import argparse
import sys
from pathlib import Path

from animator.cli import Subparsers

__all__ = ("add_parser", "run")

_JOBS = """\
With --job the whole product is measured in place of one model: drawings through page, queue, models
and film, by so many people at a time, each of whom hands in a drawing, waits, asks for a film and
fetches it. Without --url a server is started for it, with a folder of its own:

    animator bench --job --data drawings/*.jpg --concurrency 1,2,4 --seconds 60 --slo p95=20s

With --rate people come by chance, so many a minute (not a second), whether or not those before them
are done. Rates are tried from the least until one breaks the limits, then between: the greatest
that keeps them is told. Let twenty and more come, or the percentile is that of a few:

    animator bench --job --data drawings/*.jpg --rate 4,8,16 --seconds 300 --slo p95=20s

"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the parser of `bench`."""
    # Light, as `--help` needs it.
    from serving.bench.options import DESCRIPTION, EPILOG, add_bench_options

    parser = subparsers.add_parser(
        "bench",
        help="measure models or whole jobs, and find how they are served best",
        description=DESCRIPTION,
        epilog=_JOBS + EPILOG.replace("serving bench", "animator bench"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_bench_options(parser)
    group = parser.add_argument_group("drawings from end to end")
    group.add_argument("--job", action="store_true", help="measure whole jobs")
    group.add_argument("--motion", default="dance", metavar="NAME", help="of the films (dance)")
    group.add_argument("--format", default="mp4", metavar="NAME", help="of the films (mp4)")


def run(args: argparse.Namespace) -> int:
    """Measure; 0 done, 1 when no limit is kept or something became worse, 130 interrupted."""
    from animator.settings import load_settings
    from serving.bench.command import run_bench
    from serving.errors import ServingError

    if args.models_dir is None:
        args.models_dir = Path(load_settings().models_dir)
    try:
        if args.job:
            from animator.cli.bench_jobs import run_jobs

            return run_jobs(args)
        return run_bench(args)
    except ServingError as error:
        print(f"animator: {error.message}", file=sys.stderr)
        return 1

"""`animator models`: which models are here, how good they are, and how they are made better."""

import argparse
import importlib
from pathlib import Path

from animator.cli import Subparsers
from animator.cli.model_flags import add_models_dir, add_out, count, minutes, setting, share

__all__ = ("add_parser", "run")

_EPILOG = """\
examples:
  animator models list
  animator models show drawn_humanoid_detector
  animator models lineage drawn_humanoid_detector@1.1
  animator models evaluate --report scores                   on drawings made up for it
  animator models evaluate --data drawings --report scores
  animator models reference --data drawings                  what the server tells drift by
  animator models import drawn_humanoid_detector.mar         Meta's, mmdet's, detectron2's ...
  animator models export drawn_humanoid_detector
  animator models train all --minutes 30
  animator models train pose --minutes 120 --data amateur_drawings
  animator models train --from corrections --minutes 20
  animator models releases begin canary drawn_humanoid_detector 1.2 --follow
  animator models audit list --since 24h                     who changed what is served
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the parser of `models` with its own commands."""
    parser = subparsers.add_parser(
        "models",
        help="list, show, trace, evaluate, train, import and export the models",
        description="Tells of the models that look at drawings, scores them, trains them, and "
        "exchanges them with other people's.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for add in (
        _add_list,
        _add_show,
        _add_lineage,
        _add_evaluate,
        _add_reference,
        _add_train,
        _add_import,
        _add_export,
        _add_releases,
        _add_audit,
    ):
        add(verbs)


_VERBS = {
    "lineage": ("model_lineage", "show_lineage"),
    "evaluate": ("model_scores", "evaluate_models"),
    "reference": ("model_reference", "measure_reference"),
    "import": ("model_import", "import_model"),
    "export": ("model_export", "export_model_file"),
    "train": ("model_training", "train_models"),
    "releases": ("model_server", "ask_server"),
    "audit": ("model_server", "ask_server"),
}
"""Where each verb is done. Arrays, models and torch are loaded only then: `--help` needs none."""


def run(args: argparse.Namespace) -> int:
    """Do what the verb says."""
    if args.verb in {"list", "show"}:
        from animator.cli.model_facts import list_models, show_model

        if args.verb == "list":
            return list_models(args.models_dir)
        return show_model(args.name, args.models_dir)
    module, function = _VERBS[args.verb]
    code: int = getattr(importlib.import_module(f"animator.cli.{module}"), function)(args)
    return code


def _add_list(verbs: Subparsers) -> None:
    parser = verbs.add_parser(
        "list",
        help="one line a model",
        description="Lists the models: name, version, size, where they run here, and scores.",
    )
    add_models_dir(parser)


def _add_show(verbs: Subparsers) -> None:
    parser = verbs.add_parser(
        "show",
        help="all that is known of a model",
        description="Shows a model's manifest, lineage and card, and checks its files. "
        "The exit code is 1 when a file is not what the manifest says.",
    )
    parser.add_argument("name", metavar="NAME", help="as `animator models list` shows it")
    add_models_dir(parser)


def _add_evaluate(verbs: Subparsers) -> None:
    parser = verbs.add_parser(
        "evaluate",
        help="score the whole walk on annotated drawings",
        description="Looks at annotated drawings as `animator annotate` does and scores the "
        "figures, joints, outlines and turns that come of it against the bar, and style by style.",
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="pictures and annotations.json (drawings made up, that no training has seen)",
    )
    parser.add_argument(
        "--masks",
        type=Path,
        metavar="DIR",
        help="true masks of some of the drawings (tests/data/masks)",
    )
    parser.add_argument(
        "--characters",
        type=Path,
        metavar="DIR",
        help="AnimatedDrawings' characters with their masks (../animated-drawings/characters "
        "beside DIR)",
    )
    parser.add_argument(
        "--count", type=count, default=60, metavar="N", help="drawings to make up (60)"
    )
    parser.add_argument(
        "--report",
        type=Path,
        metavar="DIR",
        help="write a page with the worst pictures (index.html), the tables and the predictions",
    )
    parser.add_argument(
        "--worst", type=count, default=24, metavar="N", help="pictures in the report (24)"
    )
    parser.add_argument(
        "--min-score", type=share, default=0.0, metavar="S", help="least of a figure (0)"
    )
    parser.add_argument(
        "--no-turns",
        dest="turns",
        action="store_false",
        help="do not show each drawing in its three other turns too, which takes most of the time",
    )
    parser.add_argument(
        "--record", action="store_true", help="write the scores into the models' lineage.json"
    )
    add_models_dir(parser)


def _add_lineage(verbs: Subparsers) -> None:
    parser = verbs.add_parser(
        "lineage",
        help="where the weights of a version come from",
        description="Tells of the version that an answer names in its header `x-model-version`: "
        "hashes of its files, training, revision of the code, data, seeds and scores. "
        "The exit code is 1 when a file is not what the manifest says.",
    )
    parser.add_argument(
        "model", metavar="NAME[@VERSION]", help="without a version the one that answers"
    )
    parser.add_argument("--json", action="store_true", help="for programs")
    add_models_dir(parser)


def _add_reference(verbs: Subparsers) -> None:
    parser = verbs.add_parser(
        "reference",
        help="measure what the models see, to tell drift by",
        description="Looks at pictures as `animator annotate` does, and writes how what the models "
        "see and say is spread into reference.json beside each. The model server tells how far "
        "its answers have moved from that.",
    )
    parser.add_argument(
        "--data", type=Path, metavar="DIR", required=True, help="pictures such as yours"
    )
    add_models_dir(parser)


def _add_train(verbs: Subparsers) -> None:
    parser = verbs.add_parser(
        "train",
        help="train for some time, or learn from corrections",
        description="Trains on drawings that are made up as it goes. A slice may be stopped at any "
        "time (Ctrl-C) and goes on later. Needs torch: pip install 'animator[torch]'",
        epilog=_TRAIN,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "model", choices=("detector", "pose", "all"), nargs="?", default="all", help="which (all)"
    )
    parser.add_argument("--minutes", type=minutes, default=30.0, metavar="N", help="how long (30)")
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="real drawings to mix in, as the Amateur Drawings Dataset keeps them",
    )
    source.add_argument("--from", dest="source", choices=("corrections",), help="see below")
    parser.add_argument(
        "--share", type=share, default=0.5, metavar="S", help="of real drawings (0.5)"
    )
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="for checkpoints (.training beside the models)"
    )
    group = parser.add_argument_group("with --from corrections")
    group.add_argument("--data-dir", metavar="DIR", help="where `animator serve` keeps drawings")
    add_out(group)
    add_models_dir(group)
    group.add_argument("--keep", type=Path, metavar="DIR", help="keep the data that was collected")
    group.add_argument(
        "--made-up", type=count, default=30, metavar="N", help="made-up drawings to test on (30)"
    )
    group.add_argument(
        "--even-if-worse", action="store_true", help="keep weights that test no better, too"
    )


_TRAIN = """\
--from corrections learns from drawings whose owners allowed it (`animator serve --learning true`
lets them) and whose figures were corrected. One in five is held back. The weights that ship are
trained on a little, tested on those and on made-up drawings against the version that answers now,
and kept as a new version, 1.0.1 after 1.0, with its lineage. Nothing is overwritten, and the copies
of the drawings are deleted in the end.
"""

_IMPORT = """\
What is known, by the names of its tensors whatever the file is called:
  torchvision   Mask R-CNN and keypoint R-CNN on a ResNet with pyramid   .pth, a state dict
  detectron2    Mask R-CNN on a ResNet with pyramid                      .pth, or the zoo's .pkl
  mmdet 2, 3    the same                                                 .pth, or a .mar around it
  mmpose 0, 1   top-down heatmaps on a ResNet                            .pth, or a .mar
  animator      what `animator models export` wrote                      .mar

A detector becomes a version of drawn_humanoid_detector, a pose network one of
drawn_humanoid_pose_estimator, so that it takes the place of ours wherever the folder is served.
Nothing in a file is run, and nothing is overwritten. models/importers/README.md tells what weights
cannot say of themselves (--config, --set).
"""


def _add_import(verbs: Subparsers) -> None:
    parser = verbs.add_parser(
        "import",
        help="make a model of other people's weights, or of an export",
        description="Turns a file of weights into a model that the server and all commands take.",
        epilog=_IMPORT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a .pth, .pkl, .mar or .zip")
    parser.add_argument("--name", help="of the model (the one that it can stand for)")
    parser.add_argument("--version", help="of the model (the next, so that it answers)")
    add_out(parser)
    parser.add_argument("--half", action="store_true", help="keep float16: half the size")
    parser.add_argument("--config", type=Path, help="the library's configuration of this file")
    parser.add_argument("--no-graph", action="store_true", help="no ONNX graph: torch on the CPU")
    parser.add_argument(
        "--set",
        type=setting,
        action="append",
        default=[],
        metavar="NAME=JSON",
        help="one convention of the network, such as stride_in_1x1=false",
    )


def _add_export(verbs: Subparsers) -> None:
    parser = verbs.add_parser(
        "export",
        help="pack a model into one file",
        description="Packs a version of a model into one file, for `animator models import` and "
        "for the model server. The same model always gives the same bytes.",
    )
    parser.add_argument("name", metavar="NAME", help="as `animator models list` shows it")
    parser.add_argument("--version", help="the version (the one that answers)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="(NAME-VERSION.mar)")
    add_models_dir(parser)


def _add_releases(verbs: Subparsers) -> None:
    from serving.console.releases_command import add_releases_command

    add_releases_command(verbs, "animator models")


def _add_audit(verbs: Subparsers) -> None:
    from serving.console.audit_command import add_audit_command

    add_audit_command(verbs, "animator models")

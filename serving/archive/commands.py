"""The commands `archive` and `workflow-archive`: the flags of TorchServe's two archivers."""

import argparse
from pathlib import Path
from typing import Any

from serving.archive.build import ArchivePlan, build_archive, build_workflow_archive

__all__ = ("add_archive_commands",)

_ARCHIVE_EXAMPLES = """\
examples:
  serving archive --model-name echo --version 1.0 --handler handler.py --export-path store
  serving archive --model-name cat --version 1.0 --handler image_classifier
      --model-file net.py --serialized-file weights.pth --extra-files index_to_name.json
  serving check store/echo.mar                    is it good?
  serving start --model-store store --models all

docs/handlers.md tells what a handler is.
"""
_WORKFLOW_EXAMPLES = """\
examples:
  serving workflow-archive --workflow-name pets --spec-file pets.yaml --handler steps.py

docs/workflows.md tells what stands in the file.
"""


def add_archive_commands(commands: Any) -> None:
    """Add the commands to a parser's; each sets `run`, which is given what was parsed.

    Args:
        commands: what `ArgumentParser.add_subparsers` gave.
    """
    archive = commands.add_parser(
        "archive",
        help="pack a model with its handler",
        description="Packs a model, its handler and what they need into one file, which this "
        "server and TorchServe take. The flags are those of torch-model-archiver.",
        epilog=_ARCHIVE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    workflow = commands.add_parser(
        "workflow-archive",
        help="pack a workflow",
        description="Packs the graph of a workflow and its functions into one file. "
        "The flags are those of torch-workflow-archiver.",
        epilog=_WORKFLOW_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_archive(archive)
    _add_workflow(workflow)


def _add_archive(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run_archive)
    add = parser.add_argument
    add("--model-name", required=True, metavar="NAME", help="of the model, and of the archive")
    add("--version", "-v", required=True, help="of the model")
    add("--handler", required=True, help="file.py, file:function, or a default handler's name")
    add("--serialized-file", default="", metavar="FILE", help="weights: .pt, .pth, .onnx, ...")
    add("--model-file", default="", metavar="FILE", help="Python file with the network's class")
    add(
        "--extra-files",
        default="",
        metavar="FILES",
        help="files, folders and patterns with commas between them; of a folder, its content",
    )
    add("--requirements-file", "-r", default="", metavar="FILE", help="Python packages")
    add("--config-file", "-c", default="", metavar="FILE", help="model-config.yaml")
    add("--runtime", default="python", choices=("python", "python3"), help="of the handler")
    add(
        "--archive-format",
        default="default",
        choices=("default", "zip-store", "tgz", "no-archive"),
        help=".mar deflated (default), .mar stored, .tar.gz, or a folder",
    )
    _add_target(parser)


def _add_workflow(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run_workflow)
    add = parser.add_argument
    add("--workflow-name", required=True, metavar="NAME", help="of the workflow and its archive")
    add("--spec-file", required=True, metavar="FILE", help="the workflow as YAML")
    add("--handler", default="", metavar="FILE", help="Python file with the workflow's functions")
    add("--extra-files", default="", metavar="FILES", help="as of `archive`")
    _add_target(parser)


def _add_target(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--export-path", type=Path, default=Path(), metavar="DIR", help="where it goes (here)")
    add("--force", "-f", action="store_true", help="overwrite an archive of that name")


def _run_archive(options: argparse.Namespace) -> int:
    plan = ArchivePlan(
        name=options.model_name,
        version=options.version,
        handler=options.handler,
        serialized_file=options.serialized_file,
        model_file=options.model_file,
        extra_files=options.extra_files,
        requirements_file=options.requirements_file,
        config_file=options.config_file,
        runtime=options.runtime,
    )
    target = build_archive(
        plan, options.export_path, options.archive_format, is_forced=options.force
    )
    print(target)
    return 0


def _run_workflow(options: argparse.Namespace) -> int:
    files = (options.spec_file, options.handler, options.extra_files)
    target = build_workflow_archive(
        options.workflow_name, files, options.export_path, is_forced=options.force
    )
    print(target)
    return 0

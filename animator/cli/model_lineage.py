"""`animator models lineage`: from the version that answered to where its weights come from."""

import argparse

import msgspec

from animator.cli.model_facts import print_lineage
from animator.cli.model_home import find_versions
from animator.core.errors import NotFound
from animator.settings import load_settings
from serving.archive.stored import StoredModel
from serving.observe.lineage import ModelLineage, lineage_of

__all__ = ("show_lineage",)


def show_lineage(args: argparse.Namespace) -> int:
    """Print what a version is made of; 1 when a file is not the right one.

    Raises:
        NotFound: when there is no such model or version.
    """
    stored = _find(args.model, args.models_dir)
    lineage = lineage_of(stored)
    if args.json:
        print(msgspec.json.format(msgspec.json.encode(lineage), indent=2).decode())
    else:
        _print(stored, lineage)
    return 0 if lineage.files_are_intact else 1


def _find(model: str, models_dir: str | None) -> StoredModel:
    name, _, version = model.partition("@")
    found = find_versions(load_settings({"models_dir": models_dir}).models_dir, name)
    wanted = [one for one in found if version in ("", one.manifest.version)]
    if not wanted:
        msg = f"There is no model {model}. `animator models list` lists them."
        raise NotFound(msg)
    return wanted[0]


def _print(stored: StoredModel, lineage: ModelLineage) -> None:
    print(f"{lineage.model_name} {lineage.model_version}\n")
    for file, digest in lineage.files.items():
        print(f"  {file:20} SHA-256 {digest}")
    intact = "are what the manifest says" if lineage.files_are_intact else "are NOT those"
    print(f"  {'files':20} {intact}")
    print_lineage(stored)

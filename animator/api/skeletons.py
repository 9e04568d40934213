"""Skeletons: the templates that can be laid into a figure."""

import msgspec
from litestar import get

from animator.core.rigging import TEMPLATES

__all__ = ("SkeletonDocument", "list_skeletons")


class TemplateJoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A joint of a template.

    Attributes:
        name: unique in its template.
        parent: name of the joint it hangs on; None for the root only.
        x: share of the width of the box around the figure's paint, from its left.
        y: share of the height of that box, from its top.
    """

    name: str
    parent: str | None
    x: float
    y: float


class SkeletonDocument(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A skeleton to lay into a figure.

    Attributes:
        name: stable, as in `rigging.skeleton` of an animation.
        title: for people.
        joints: parents before children.
    """

    name: str
    title: str
    joints: tuple[TemplateJoint, ...]


@get("/api/skeletons", tags=("figures",), sync_to_thread=False)
def list_skeletons() -> tuple[SkeletonDocument, ...]:
    """The skeletons that can be laid into a figure."""
    return tuple(
        SkeletonDocument(
            name=name,
            title=name.replace("-", " ").capitalize(),
            joints=tuple(
                TemplateJoint(name=joint, parent=parent, x=x, y=y)
                for joint, (parent, x, y) in places.items()
            ),
        )
        for name, places in TEMPLATES.items()
    )

"""The JSON of TorchServe's workflow API."""

import msgspec

__all__ = ("WorkflowDescription", "WorkflowItem", "WorkflowList")


class WorkflowItem(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One workflow in `GET /workflows`.

    Attributes:
        workflow_name: as in the URL.
        workflow_url: what it was registered by.
    """

    workflow_name: str
    workflow_url: str


class WorkflowList(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What `GET /workflows` answers.

    Attributes:
        workflows: sorted by name.
        next_page_token: where the next page begins; absent on the last one.
    """

    workflows: tuple[WorkflowItem, ...]
    next_page_token: str | None = None


class WorkflowDescription(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What `GET /workflows/{name}` answers, in a list.

    Attributes:
        workflow_name: as in the URL.
        workflow_url: what it was registered by.
        min_workers: of a node that says nothing else.
        max_workers: likewise.
        batch_size: likewise.
        max_batch_delay: likewise, milliseconds.
        workflow_dag: which node feeds which, as TorchServe writes it.
    """

    workflow_name: str
    workflow_url: str
    min_workers: int
    max_workers: int
    batch_size: int
    max_batch_delay: int
    workflow_dag: str

"""From what was kept of releases to releases that go on, before any model is served."""

from collections.abc import Mapping, Sequence

from serving.registry.registry import Registry
from serving.registry.repository import version_rank
from serving.releases.kept import KeptRelease, KeptReleases
from serving.releases.plan import ReleasePlan, SplitPlan
from serving.releases.release import Release

__all__ = ("restore_releases",)


def restore_releases(
    kept: KeptReleases, plans: Mapping[str, ReleasePlan], registry: Registry
) -> dict[str, Release]:
    """Let the registry mean what it meant before a restart.

    A version that took itself back, or has not come so far, does not answer everything only
    because it is the highest.

    Args:
        kept: what is known of before; the rules of what goes on are begun once more.
        plans: by model, what begins with the server.
        registry: the models, none of which is served yet.

    Returns:
        By model, the release that goes on, or the last one.
    """
    for model, plan in plans.items():
        for version in _new_versions(plan):
            registry.shun(model, version)
    for model, versions in kept.rolled_back.items():
        for version in versions:
            registry.shun(model, version)
    return {model: _restore(each, registry) for model, each in kept.releases.items()}


def _restore(kept: KeptRelease, registry: Registry) -> Release:
    model = kept.model
    if kept.is_on:
        kept.rounds += 1
    release = Release(kept, registry)
    if kept.state == "completed":
        registry.shun(model, kept.candidate, is_shunned=False)
        if version_rank(kept.candidate) < version_rank(kept.stable):
            registry.prefer(model, kept.candidate)
        return release
    for version in kept.weights:
        registry.shun(model, version, is_shunned=version != kept.stable)
    if kept.is_on:
        registry.prefer(model, kept.stable)
        registry.routers[model] = release
    return release


def _new_versions(plan: ReleasePlan) -> Sequence[str]:
    """Those of a plan that do not answer everything before it begins."""
    if not isinstance(plan, SplitPlan):
        return (plan.version,)
    return [version for version in plan.weights if plan.stable not in ("", version)]

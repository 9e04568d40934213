import msgspec
import pytest

from animator.core.rigging import TEMPLATES, RigOptions, lay_out
from animator.core.skeleton import BIPED_PARENTS


def test_biped_template_is_the_usual_skeleton() -> None:
    skeleton = lay_out("biped", (0.0, 0.0, 100.0, 200.0))
    assert {joint.name: joint.parent for joint in skeleton.joints} == BIPED_PARENTS
    left, right = (skeleton.joints[skeleton.index(f"{side}_hand")] for side in ("left", "right"))
    # the figure's left is on the right, mirrored about the middle at 50
    assert left.x == pytest.approx(100 - right.x)
    assert left.x > right.x


@pytest.mark.parametrize(
    ("name", "joints"),
    [("no-arms", 10), ("six-arms", 28), ("four-legs", 18), ("tail", 19), ("wings", 14)],
)
def test_template_has_its_limbs(name: str, joints: int) -> None:
    assert len(lay_out(name, (0.0, 0.0, 1.0, 1.0)).joints) == joints


def test_unknown_template_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="biped, no-arms"):
        RigOptions(skeleton="octopus")


def test_options_from_outside_have_limits() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"stiff": ["x"] * 65}, RigOptions)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"stretchy": ["x" * 101]}, RigOptions)
    assert set(TEMPLATES) == {"biped", "no-arms", "six-arms", "four-legs", "tail", "wings"}

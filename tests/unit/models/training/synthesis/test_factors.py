"""Every factor has a switch, a text and a picture in the documentation."""

from pathlib import Path

import msgspec
import pytest

from models.training.synthesis import DEFAULT_SETTINGS, FigureLook, synthesize
from models.training.synthesis.factors import all_factors

PAGE = Path(__file__).parents[5] / "docs" / "synthesis.md"
FACTORS = {factor.name: factor for factor in all_factors()}


def test_every_field_and_every_kind_is_a_factor() -> None:
    expected = set()
    for prefix, struct in (("", DEFAULT_SETTINGS), ("look.", DEFAULT_SETTINGS.look)):
        for field in msgspec.structs.fields(struct):
            value = getattr(struct, field.name)
            if isinstance(value, dict):
                expected |= {f"{prefix}{field.name}-{kind}" for kind in type(next(iter(value)))}
            elif not isinstance(value, FigureLook):
                expected.add(prefix + field.name)
    assert set(FACTORS) == expected


def test_every_factor_has_its_text_and_its_picture_in_the_documentation() -> None:
    page = PAGE.read_text()
    for factor in FACTORS.values():
        picture = f"pictures/synthesis/{factor.name}.webp"
        assert f"({picture})" in page, factor.name
        assert (PAGE.parent / picture).is_file(), factor.name
        assert factor.text[1:] in page, factor.name
        assert f"| {factor.weight} |" in page, factor.name


@pytest.mark.parametrize("name", ["crowd", "cut", "lying", "things-houses", "look.poses-tree"])
def test_settings_that_show_a_factor_can_be_drawn(name: str) -> None:
    sample = synthesize(5, 192, FACTORS[name].shown)
    assert bool(sample.figures) == (name != "things-houses")

"""What a library's own configuration says of the conventions; it is read, never run.

detectron2 writes YAML beside its checkpoints. The mm libraries' configurations are Python: their
literals are looked at as text, wherever they stand.
"""

import ast
from collections.abc import Iterator, Mapping

import yaml

from models.importers.conventions import Kind
from models.importers.errors import CannotImport

__all__ = ("read_config",)

_PLACES = {  # in detectron2's YAML
    "mean": ("MODEL", "PIXEL_MEAN"),
    "deviation": ("MODEL", "PIXEL_STD"),
    "stride_in_1x1": ("MODEL", "RESNETS", "STRIDE_IN_1X1"),
    "short_side": ("INPUT", "MIN_SIZE_TEST"),
    "long_side": ("INPUT", "MAX_SIZE_TEST"),
}


def read_config(kind: Kind, text: str) -> dict[str, object]:
    """Conventions by name, as far as a configuration says them.

    Raises:
        CannotImport: when it is not what the library writes.
    """
    if kind is Kind.DETECTRON2_MASK:
        return _from_yaml(text)
    if kind in (Kind.MMDET_MASK, Kind.MMPOSE_TOP_DOWN):
        return _from_python(kind, text)
    return {}


def _from_yaml(text: str) -> dict[str, object]:
    try:
        config = yaml.safe_load(text)
    except yaml.YAMLError as error:
        msg = f"the configuration is no YAML: {str(error).splitlines()[0]}"
        raise CannotImport(msg) from error
    facts = {name: _at(config, *path) for name, path in _PLACES.items()}
    order = _at(config, "INPUT", "FORMAT")
    facts["rgb"] = None if order is None else order == "RGB"
    pooling = _at(config, "MODEL", "ROI_BOX_HEAD", "POOLER_TYPE")
    facts["pooling_aligned"] = None if pooling is None else pooling == "ROIAlignV2"
    facts["pooling_samples"] = _at(config, "MODEL", "ROI_BOX_HEAD", "POOLER_SAMPLING_RATIO")
    sizes = _at(config, "MODEL", "ANCHOR_GENERATOR", "SIZES")
    if isinstance(sizes, list) and len(sizes) == 5:
        facts["anchor_sizes"] = [size[0] for size in sizes]
    return {name: fact for name, fact in facts.items() if fact is not None}


def _at(config: object, *path: str) -> object:
    for key in path:
        config = config.get(key) if isinstance(config, Mapping) else None
    return config


def _from_python(kind: Kind, text: str) -> dict[str, object]:
    try:
        literals = dict(_literals(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        msg = f"the configuration is no Python: {error}"
        raise CannotImport(msg) from error
    facts = {
        "mean": _in_bytes(literals.get("mean")),
        "deviation": _in_bytes(literals.get("std")),
        "rgb": literals.get("to_rgb", literals.get("bgr_to_rgb")),
    }
    if "style" in literals:
        facts["stride_in_1x1"] = literals["style"] == "caffe"
    if kind is Kind.MMPOSE_TOP_DOWN:
        facts.update(_pair(literals.get("image_size", literals.get("input_size")), "input"))
    else:
        facts.update(_sides(literals.get("img_scale", literals.get("scale"))))
    return {name: fact for name, fact in facts.items() if fact is not None}


def _literals(tree: ast.AST) -> Iterator[tuple[str, object]]:
    """Names with the literals that are given to them: `a = 1`, `f(a=1)`, `{"a": 1}`."""
    for node in ast.walk(tree):
        pairs: list[tuple[str, ast.expr]] = []
        if isinstance(node, ast.keyword) and node.arg is not None:
            pairs = [(node.arg, node.value)]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            pairs = [(node.targets[0].id, node.value)]
        elif isinstance(node, ast.Dict):
            items = zip(node.keys, node.values, strict=True)
            pairs = [(str(k.value), v) for k, v in items if isinstance(k, ast.Constant)]
        for name, value in pairs:
            try:
                yield name, ast.literal_eval(value)
            except ValueError:
                continue


def _in_bytes(colour: object) -> object:
    """Some configurations count pixels from 0 to 1, some from 0 to 255."""
    if isinstance(colour, (list, tuple)) and all(isinstance(c, float) and c < 1 for c in colour):
        return [c * 255 for c in colour]
    return colour


def _pair(value: object, start: str) -> dict[str, object]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return {}
    return {f"{start}_width": value[0], f"{start}_height": value[1]}


def _sides(value: object) -> dict[str, object]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, int) for v in value):
        return {}
    return {"short_side": min(value), "long_side": max(value)} if len(value) == 2 else {}

"""A Python package of one line, as a wheel."""

import io
import zipfile

__all__ = ("tiny_wheel",)

_METADATA = "Metadata-Version: 2.1\nName: tinydep\nVersion: 1.0\n"
_WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def tiny_wheel() -> bytes:
    """Make `tinydep-1.0-py3-none-any.whl`, whose VALUE is 7."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as wheel:
        wheel.writestr("tinydep.py", "VALUE = 7\n")
        wheel.writestr("tinydep-1.0.dist-info/METADATA", _METADATA)
        wheel.writestr("tinydep-1.0.dist-info/WHEEL", _WHEEL)
        wheel.writestr("tinydep-1.0.dist-info/RECORD", "")
    return buffer.getvalue()

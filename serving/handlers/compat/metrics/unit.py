"""The names of units."""

__all__ = ("UNIT_NAMES", "Units")

UNIT_NAMES: dict[str | None, str] = {
    "ms": "Milliseconds",
    "s": "Seconds",
    "percent": "Percent",
    "count": "Count",
    "B": "Bytes",
    "kB": "Kilobytes",
    "MB": "Megabytes",
    "GB": "Gigabytes",
    "": "unit",
    None: "unit",
}


class Units:
    """The short names of units with their long ones."""

    def __init__(self) -> None:
        self.units = dict(UNIT_NAMES)

"""Dimension: a label of a metric, with its value."""

__all__ = ("Dimension",)


class Dimension:
    """A label of a metric, with its value."""

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self.value = value

    def __str__(self) -> str:
        return f"{self.name}:{self.value}"

    def to_dict(self) -> dict[str, object]:
        """Give it as what JSON can hold."""
        return {"Name": self.name, "Value": self.value}

"""Numbers as people read them."""

__all__ = ("counted", "short")


def short(value: float, digits: int = 3) -> str:
    """With so many digits that say something, and never as a power of ten: 0.0123, 45.7, 1450."""
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text else text


def counted(count: int, noun: str) -> str:
    """With an s where there are several."""
    return f"{count} {noun}{'s' if count != 1 else ''}"

"""The trace and logging extensions, as far as to tell how things are: nothing can be changed.

Clients that ask on connecting get an answer; neither extension is among those that are told of.
"""

import logging
from collections.abc import Mapping, Sequence

from serving.errors import NotAllowed

__all__ = ("log_settings", "trace_settings")


def trace_settings(wanted: Mapping[str, object]) -> Mapping[str, Sequence[str]]:
    """Say that nothing is traced in Triton's way; in OpenTelemetry's it is set at the start.

    Raises:
        NotAllowed: when a setting shall be changed.
    """
    if wanted:
        msg = "requests are not traced by this, but by the setting trace_endpoint, at the start"
        raise NotAllowed(msg)
    return {
        "trace_level": ["OFF"],
        "trace_rate": ["0"],
        "trace_count": ["0"],
        "log_frequency": ["0"],
        "trace_file": [""],
        "trace_mode": ["triton"],
    }


def log_settings(wanted: Mapping[str, object]) -> Mapping[str, bool | int | str]:
    """Say what is logged.

    Raises:
        NotAllowed: when a setting shall be changed.
    """
    if wanted:
        msg = "what is logged is set when the server starts: --log-level"
        raise NotAllowed(msg)
    level = logging.getLogger("serving").getEffectiveLevel()
    return {
        "log_file": "",
        "log_info": level <= logging.INFO,
        "log_warning": level <= logging.WARNING,
        "log_error": level <= logging.ERROR,
        "log_verbose_level": int(level <= logging.DEBUG),
        "log_format": "default",
    }

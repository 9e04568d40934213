"""Parts of NumPy that SciPy looks at when it is loaded, though nobody here uses them.

SciPy copies all names that NumPy has, and NumPy loads its tools for tests and for Fortran only when
somebody names them: a quarter of what it takes to load SciPy. They wait here until one of their own
names is used.
"""

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec

import numpy as np

__all__ = ("SPARED",)

SPARED = ("testing", "f2py")
"""Modules of NumPy that it loads when they are named, too."""


def _spare(part: str) -> None:
    """Put a module in its place that is loaded when it is used; none where it is loaded already."""
    name = f"numpy.{part}"
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    setattr(np, part, module)


for _part in SPARED:
    _spare(_part)

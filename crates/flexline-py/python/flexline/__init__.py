"""Flexline: slender flexible parts in equilibrium, from Python.

>>> import flexline
>>> scene = flexline.Scene.from_dict({
...     "cable": {"length": "400 mm", "part": "brake-hose"},
...     "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
...     "end": {"hold": "pinned", "position": ["250 mm", 0, "100 mm"]},
... })
>>> solution = scene.solve()
>>> solution.converged, solution.stable
(True, True)
>>> solution.cable().positions.shape
(101, 3)
"""

from ._engine import (
    Batch,
    Cable,
    Live,
    Motion,
    NoDerivative,
    Scene,
    SceneError,
    Session,
    Solution,
    __version__,
    import_scene,
    materials,
    parts,
    read_file,
    solve_many,
)
from .function import Equilibrium
from .sweeps import Found, Sweep, find, sweep

__all__ = [
    "Batch",
    "Cable",
    "Equilibrium",
    "Found",
    "Live",
    "Motion",
    "NoDerivative",
    "Scene",
    "SceneError",
    "Session",
    "Solution",
    "Sweep",
    "__version__",
    "find",
    "import_scene",
    "materials",
    "parts",
    "read_file",
    "solve_many",
    "sweep",
]

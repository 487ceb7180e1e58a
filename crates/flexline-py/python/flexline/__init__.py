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
    NoDerivative,
    Scene,
    SceneError,
    Session,
    Solution,
    __version__,
    import_scene,
    read_file,
    solve_many,
)
from .function import Equilibrium

__all__ = [
    "Batch",
    "Cable",
    "Equilibrium",
    "Live",
    "NoDerivative",
    "Scene",
    "SceneError",
    "Session",
    "Solution",
    "__version__",
    "import_scene",
    "read_file",
    "solve_many",
]

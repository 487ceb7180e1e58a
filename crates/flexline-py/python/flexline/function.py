"""Equilibria as functions: outputs of a scene by its parameters, with derivatives.

>>> import flexline
>>> scene = flexline.Scene.from_dict({
...     "cable": {"length": "400 mm", "part": "brake-hose"},
...     "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
...     "end": {"hold": "pinned", "position": ["250 mm", 0, "100 mm"]},
... })
>>> sag = flexline.Equilibrium(scene, ["cable.length", "end.position"], ["cable.position.z @ 50 %"])
>>> sag.start
array([0.4 , 0.25, 0.  , 0.1 ])
>>> values, jacobian = sag.with_jacobian(sag.start)
>>> values.shape, jacobian.shape
((1,), (1, 4))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _engine

if TYPE_CHECKING:
    from . import Scene, Solution


class Equilibrium:
    """Outputs of a scene as a function of some of its parameters.

    ``inputs`` are parameters as ``Scene.with_values`` has them, ``outputs`` what ``Solution.values`` tells. The function takes one vector
    with the numbers of all inputs and returns one with those of all outputs, in SI. It is pure: it begins anew at every call. An
    equilibrium that is not found raises ``NoDerivative``.
    """

    def __init__(self, scene: Scene, inputs: Sequence[str], outputs: Sequence[str], *, stable: bool = False) -> None:
        self.scene = scene
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.stable = stable
        values = [scene.value(name) for name in self.inputs]
        self.start: NDArray[np.float64] = np.concatenate([*values, []])
        """The numbers of the inputs as the scene has them."""
        self._ends = np.cumsum([len(own) for own in values])
        self.size = len(scene.solve(stable=stable).values(self.outputs))
        """How many numbers the outputs are."""

    def solve(self, values: ArrayLike) -> Solution:
        """The solution for these numbers of the inputs."""
        given = np.asarray(values, dtype=float)
        if given.shape != self.start.shape:
            raise ValueError(
                f"the inputs have the shape {given.shape}: expected {self.start.shape}, for {', '.join(self.inputs)}"
            )
        parts = np.split(given, self._ends[:-1])
        changed = {name: own.tolist() if len(own) > 1 else float(own[0]) for name, own in zip(self.inputs, parts)}
        solution = self.scene.with_values(changed).solve(stable=self.stable)
        if not solution.converged:
            raise _engine.NoDerivative(f"no equilibrium at {changed}: {solution.message}")
        return solution

    def __call__(self, values: ArrayLike) -> NDArray[np.float64]:
        """The outputs."""
        return self.solve(values).values(self.outputs)

    def with_jacobian(self, values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The outputs, and their derivatives by the inputs: shapes (m,) and (m, n)."""
        solution = self.solve(values)
        return solution.values(self.outputs), solution.jacobian(self.outputs, self.inputs)

    def jacobian(self, values: ArrayLike) -> NDArray[np.float64]:
        """The derivatives alone."""
        return self.with_jacobian(values)[1]

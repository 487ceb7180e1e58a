"""Equilibria in JAX: ``pip install .[jax]``.

    jax.config.update("jax_enable_x64", True)
    shape = flexline.jax.equilibrium(scene, ["cable.length"], ["cable.position.z @ 50 %"])
    jax.grad(lambda length: shape(length)[0])(jnp.array([0.4]))

Works under ``jit``, ``grad``, ``jacrev`` and ``vmap`` (row after row). In single precision, which is JAX's default, results are
rounded to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import numpy as np

from . import Scene
from .function import Equilibrium


def equilibrium(
    scene: Scene, inputs: Sequence[str], outputs: Sequence[str], *, stable: bool = False
) -> Callable[[jax.Array], jax.Array]:
    """Outputs of a scene as a differentiable function of one array with the numbers of all inputs, in SI."""
    own = Equilibrium(scene, inputs, outputs, stable=stable)

    def told(values, *shapes):
        return tuple(jax.ShapeDtypeStruct(shape, values.dtype) for shape in shapes)

    def solved(values):
        return (np.asarray(own(values), dtype=values.dtype),)

    def derived(values):
        return tuple(np.asarray(each, dtype=values.dtype) for each in own.with_jacobian(values))

    @jax.custom_vjp
    def function(values):
        return jax.pure_callback(solved, told(values, (own.size,)), values, vmap_method="sequential")[0]

    def forward(values):
        shapes = told(values, (own.size,), (own.size, *own.start.shape))
        return jax.pure_callback(derived, shapes, values, vmap_method="sequential")

    def backward(jacobian, cotangent):
        return (cotangent @ jacobian,)

    function.defvjp(forward, backward)
    return function

"""Derivatives from Python: against problems solved again, and through JAX and PyTorch where they are installed."""

import importlib.util
import unittest
from pathlib import Path

import flexline
import numpy as np

SCENES = Path(__file__).resolve().parents[3] / "scenes"

HOSE = {
    "cable": {
        "length": 0.4,
        "segments": 60,
        "measured": {"bend": 0.02, "twist": 0.015, "mass_per_length": 0.09, "diameter": "10 mm"},
    },
    "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
    "end": {"hold": "pinned", "position": [0.25, 0.0, 0.1]},
}
INPUTS = ["cable.length", "end.position", "cable.measured.bend", "cable.measured.mass_per_length"]
OUTPUTS = ["cable.position @ 50 %", "end.force", "cable.least_bend_radius", "energy.bending"]


def hose():
    return flexline.Equilibrium(flexline.Scene.from_dict(HOSE), INPUTS, OUTPUTS)


def differences(function, values, step=1e-4):
    """Central differences, each number changed by a share of its size."""
    columns = []
    for k, value in enumerate(values):
        by = np.zeros_like(values)
        by[k] = step * (abs(value) or 0.4)
        columns.append((function(values + by) - function(values - by)) / (2 * by[k]))
    return np.stack(columns, axis=1)


def near(found, expected):
    """Row by row, relative to what the row does to a change of its own size."""
    size = np.abs(expected).max(axis=0, keepdims=True)
    np.testing.assert_array_less(np.abs(found - expected) / size, 1e-4)


class Derivatives(unittest.TestCase):
    def test_they_are_those_of_problems_solved_again(self):
        function = hose()
        values, jacobian = function.with_jacobian(function.start)
        self.assertEqual((values.shape, jacobian.shape), ((8,), (8, 6)))
        near(jacobian, differences(function, function.start))

    def test_parameters_have_values(self):
        scene = flexline.Scene.load(SCENES / "brake-hose.toml")
        self.assertEqual(scene.value("end.position").shape, (3,))
        with self.assertRaisesRegex(flexline.SceneError, "has no number in this scene"):
            scene.value("cable.part")

    def test_what_is_asked_for_wrongly_is_said(self):
        solution = flexline.Scene.from_dict(HOSE).solve()
        for outputs, told in [
            (["cable.position"], "say where along the cable"),
            (["hose.position @ 3"], "names 'hose'"),
            (["cable.position @ 3 m"], "of a cable of 400.0 mm"),
        ]:
            with self.assertRaisesRegex(flexline.SceneError, told):
                solution.values(outputs)
        with self.assertRaisesRegex(flexline.SceneError, "nothing here is called 'cabel'"):
            solution.jacobian(["energy"], ["cabel.length"])
        with self.assertRaisesRegex(ValueError, "expected \\(6,\\)"):
            hose()(np.zeros(5))

    def test_what_has_no_derivative_says_why(self):
        short = flexline.Scene.from_dict(HOSE).with_values({"cable.length": 0.1}).solve()
        with self.assertRaisesRegex(flexline.NoDerivative, "no equilibrium"):
            short.jacobian(["energy"], ["cable.length"])
        with self.assertRaisesRegex(flexline.NoDerivative, "too short"):
            hose()([0.1, 0.25, 0.0, 0.1, 0.02, 0.09])
        rope = flexline.Scene.load(SCENES / "pulley.toml").solve()
        with self.assertRaisesRegex(flexline.NoDerivative, "pulley"):
            rope.jacobian(["energy"], [])

    def test_newton_s_method_finds_a_sag(self):
        scene = flexline.Scene.from_dict(HOSE)
        sag = flexline.Equilibrium(scene, ["cable.length"], ["cable.position.z @ 50 %"])
        length, aim = sag.start, sag(sag.start) - 0.02
        for _ in range(6):
            value, slope = sag.with_jacobian(length)
            length = length - (value - aim) / slope[:, 0]
        np.testing.assert_allclose(sag(length), aim, atol=1e-9)


@unittest.skipUnless(importlib.util.find_spec("jax"), "JAX is not installed")
class Jax(unittest.TestCase):
    def test_gradients_are_those_of_the_engine(self):
        import flexline.jax
        import jax

        jax.config.update("jax_enable_x64", True)
        own = hose()
        function = flexline.jax.equilibrium(own.scene, INPUTS, OUTPUTS)
        values, jacobian = own.with_jacobian(own.start)
        np.testing.assert_allclose(jax.jit(function)(own.start), values, rtol=1e-12)
        np.testing.assert_allclose(jax.jacrev(function)(jax.numpy.asarray(own.start)), jacobian, rtol=1e-9, atol=1e-12)
        rows = own.start + np.array([[0.0], [1e-3]])
        both = jax.vmap(jax.grad(lambda row: function(row)[2]))(jax.numpy.asarray(rows))
        np.testing.assert_allclose(both[0], jacobian[2], rtol=1e-9, atol=1e-12)


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
class Torch(unittest.TestCase):
    def test_gradients_are_those_of_the_engine(self):
        import flexline.torch
        import torch

        own = hose()
        function = flexline.torch.equilibrium(own.scene, INPUTS, OUTPUTS)
        start = torch.tensor(own.start, requires_grad=True)
        jacobian = torch.autograd.functional.jacobian(function, start)
        np.testing.assert_allclose(jacobian.numpy(), own.jacobian(own.start), rtol=1e-9, atol=1e-12)
        function(start)[2].backward()
        np.testing.assert_allclose(start.grad.numpy(), own.jacobian(own.start)[2], rtol=1e-9, atol=1e-12)


if __name__ == "__main__":
    unittest.main()

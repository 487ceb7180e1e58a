"""Motion from Python, against closed forms."""

import unittest
from pathlib import Path

import flexline
import numpy as np

SCENES = Path(__file__).resolve().parents[3] / "scenes"
BEND, MASS, LENGTH = 2.0, 0.1, 0.5

BEAM = {
    "cable": {
        "length": LENGTH,
        "segments": 40,
        "measured": {"bend": BEND, "twist": 1.5, "mass_per_length": MASS, "diameter": "10 mm"},
    },
    "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
    "end": {"hold": "free"},
    "load": [{"name": "weight", "at": "100 %", "force": [0, 0, -0.2]}],
}


def crossings(times, values):
    """When values go up through zero, between two samples by the line through both."""
    k = np.flatnonzero((values[:-1] < 0) & (values[1:] >= 0))
    return times[k] - values[k] * (times[k + 1] - times[k]) / (values[k + 1] - values[k])


class Motion(unittest.TestCase):
    def test_a_beam_that_is_let_go_swings_at_its_first_frequency(self):
        scene = flexline.Scene.from_dict(BEAM)
        motion = scene.simulate(0.35, step=5e-4, integrator="alpha", rho=1.0, strain_delay=0.0, drag=0.0, release=["loads"], rate=2000)
        self.assertTrue(motion.converged, motion.message)
        # Clamped and free: ω = 1.8751² √(EI/μ)/L² (Euler and Bernoulli).
        period = 2 * np.pi / (1.875104**2 * np.sqrt(BEND / MASS) / LENGTH**2)
        unloaded = flexline.Scene.from_dict({**BEAM, "load": []})
        rest = unloaded.solve().cable().positions[-1, 2]
        found = np.diff(crossings(motion.times, motion.positions()[:, -1, 2] - rest))
        # The tip load bends the second mode in by 3 %, which shifts single crossings but not their mean.
        self.assertAlmostEqual(found.mean() / period, 1.0, delta=3e-3)
        energies = motion.energies
        total = energies["kinetic"] + energies["elastic"] + energies["potential"]
        swing = energies["kinetic"].max()
        self.assertLess(np.ptp(total), 2e-2 * swing)
        np.testing.assert_allclose(energies["dissipated"], 0.0, atol=1e-12)

    def test_what_is_moved_arrives_and_works(self):
        scene = flexline.Scene.load(SCENES / "brake-hose.toml")
        by = np.array([0.0, 0.02, 0.01])
        motion = scene.simulate(0.5, step=0.01, move={"end": by}, move_time=0.2, quantities=["bend_radius", "end.reaction"])
        self.assertTrue(motion.converged)
        positions, quaternions = motion.place("end")
        np.testing.assert_allclose(positions[-1] - positions[0], by, atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(quaternions, axis=1), 1.0, atol=1e-12)
        np.testing.assert_allclose(motion.positions()[:, -1], positions, atol=1e-8)
        self.assertEqual(motion.frames().shape, (*motion.positions().shape[:2], 4))
        self.assertEqual(len(motion), len(motion.times))
        # At rest the first frame is the equilibrium, and so is the last once everything is still again.
        # The limit of this hose is that of the inner side.
        hose = scene.solve().cable()
        self.assertAlmostEqual(motion.values("bend_radius")[0], hose.least_bend_radius - hose.radius[0], delta=1e-9)
        self.assertGreater(np.abs(motion.energies["work"][-1]), 0.0)
        self.assertEqual(motion.quantities, ["bend_radius", "end.reaction"])

    def test_what_does_not_reach_stops_with_a_status(self):
        scene = flexline.Scene.load(SCENES / "brake-hose.toml")
        motion = scene.simulate(0.5, step=0.01, move={"end": [0.0, 1.0, 0.0]})
        self.assertEqual((motion.converged, motion.status), (False, "too_short"), motion.message)
        self.assertIn("too short by", motion.message)
        self.assertGreater(len(motion), 2)
        self.assertTrue(np.isfinite(motion.positions()).all())

    def test_bad_input_is_said(self):
        scene = flexline.Scene.load(SCENES / "brake-hose.toml")
        for keywords, told in [
            ({"step": 0.0}, "step is 0: expected a positive number"),
            ({"step": float("nan")}, "step is NaN"),
            ({"drag": -1.0}, "drag is -1"),
            ({"rho": 2.0}, "rho is 2: expected a number from 0 to 1"),
            ({"integrator": "verlet"}, "expected one of euler, bdf2, alpha, semi-implicit"),
            ({"integrator": "semi-implicit"}, "integrator semi-implicit"),
            ({"release": ["and"]}, "nothing is named 'and'; there are: start, end"),
            ({"release": ["end", "end"]}, "it is loose already"),
            ({"move": {"end": [float("inf"), 0, 0]}}, "expected finite numbers"),
            ({"move": {"end": [0.1, 0, 0]}, "release": ["end"]}, "it is let go as well"),
            ({"quantities": ["bent"]}, "is nothing that is measured"),
            ({"step": 1e-12}, "100 million steps"),
        ]:
            with self.subTest(keywords), self.assertRaisesRegex(ValueError, told):
                scene.simulate(1.0, **keywords)
        with self.assertRaisesRegex(KeyError, "was not watched"):
            scene.simulate(0.01).values("sag")
        with self.assertRaisesRegex(ValueError, "begins in equilibrium"):
            scene.with_values({"cable.length": 0.2}).simulate(0.1)


if __name__ == "__main__":
    unittest.main()

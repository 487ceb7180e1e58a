"""The package as users call it. Run by `cargo xtask python`."""

import contextlib
import io
import pickle
import threading
import unittest
from pathlib import Path

import flexline
import numpy as np

SCENES = Path(__file__).resolve().parents[3] / "scenes"

# A cantilever whose weight is so small that the linear beam is exact to 1e-6: tip deflection w L⁴ / (8 EI). A chain of n
# segments is off by 1/n² of it.
CANTILEVER = {
    "cable": {
        "length": "500 mm",
        "segments": 200,
        "measured": {"bend": 2.0, "twist": 1.5, "mass_per_length": 0.01, "diameter": "10 mm"},
    },
    "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
    "end": {"hold": "free"},
}


def hose():
    return flexline.Scene.load(SCENES / "brake-hose.toml")


class Solving(unittest.TestCase):
    def test_a_cantilever_is_that_of_the_linear_beam(self):
        cable = flexline.Scene.from_dict(CANTILEVER).solve().cable()
        sag = -cable.positions[-1, 2]
        self.assertAlmostEqual(sag / (0.01 * 9.81 * 0.5**4 / (8 * 2.0)), 1.0, delta=1.1 / 200**2)
        # Shear at the clamp carries the weight; what is beyond pulls down.
        self.assertAlmostEqual(cable.forces[0, 2], -0.01 * 9.81 * 0.5, delta=1e-4)
        np.testing.assert_allclose(np.linalg.norm(cable.frames, axis=1), 1.0, atol=1e-12)

    def test_supports_carry_the_weight(self):
        solution = hose().solve()
        self.assertTrue(solution.converged)
        self.assertTrue(solution.stable)
        force = sum(np.array(own["force"]) for own in solution.reactions.values())
        report = solution.report
        self.assertLess(report["residual_force"], 1e-6 * report["largest_force"])
        self.assertLess(abs(force[0]) + abs(force[1]), 1e-6)
        self.assertGreater(force[2], 0.0)

    def test_arrays_have_one_row_a_node(self):
        cable = hose().solve().cable()
        n = len(cable)
        shapes = [own.shape for own in (cable.positions, cable.frames, cable.strains, cable.tension, cable.s)]
        self.assertEqual(shapes, [(n, 3), (n, 4), (n, 3), (n,), (n,)])
        self.assertAlmostEqual(cable.s[-1], cable.length, delta=1e-12)
        self.assertAlmostEqual(cable.least_bend_radius, 1 / cable.curvature.max(), delta=1e-12)

    def test_what_is_too_short_is_a_status(self):
        scene = hose().with_values({"cable.length": "200 mm"})
        solution = scene.solve()
        self.assertEqual((solution.status, solution.converged, solution.stable), ("too_short", False, None))
        self.assertIn("too short", solution.message)
        self.assertTrue(np.isnan(solution.cable().tension).all())
        self.assertEqual(solution.reactions, {})

    def test_checks_and_contacts_are_told(self):
        solution = flexline.Scene.load(SCENES / "hose-over-a-bar.toml").solve()
        self.assertTrue(solution.contacts)
        self.assertGreaterEqual(min(own["gap"] for own in solution.contacts), -1e-9)
        self.assertIn(solution.checks["overall"], ["pass", "warn", "fail"])

    def test_meshes_beside_a_scene_are_found(self):
        solution = flexline.Scene.load(SCENES / "contact" / "hose-over-a-bracket.toml").solve()
        self.assertTrue(solution.converged, solution.message)


class BadInput(unittest.TestCase):
    def test_mistakes_carry_diagnostics(self):
        with self.assertRaises(flexline.SceneError) as raised:
            flexline.Scene("version = 1\n[cable]\nlength = '5 kg'\n", name="wrong")
        self.assertIn("is a mass, not a length", str(raised.exception))
        found = {own["path"]: own for own in raised.exception.diagnostics}["cable.length"]
        self.assertEqual((found["code"], found["place"]["line"]), ("wrong-unit", 3))

    def test_parameters_that_do_not_exist(self):
        with self.assertRaisesRegex(flexline.SceneError, "nothing here is called 'cabel'"):
            hose().with_values({"cabel.length": 1.0})
        with self.assertRaisesRegex(flexline.SceneError, "nothing here is called 'cabel'"):
            flexline.solve_many(hose(), {"cabel.length": [1.0]})

    def test_numbers_that_are_none(self):
        with self.assertRaisesRegex(ValueError, "expected a finite number"):
            hose().with_values({"cable.length": float("nan")})
        with self.assertRaisesRegex(ValueError, "expected seconds above 0"):
            hose().solve(timeout=-1)
        with self.assertRaises(ValueError):
            flexline.Scene.from_dict({"cable": {"length": float("inf")}})
        live = hose().live()
        with self.assertRaisesRegex(ValueError, "expected finite numbers"):
            live.shift("end", by=[float("nan"), 0, 0])
        with self.assertRaisesRegex(ValueError, "norm"):
            live.place("end", quaternion=[2, 0, 0, 0])
        with self.assertRaisesRegex(KeyError, "There are start, end"):
            live.shift("and", by=[0, 0, 0])

    def test_shapes_that_do_not_fit(self):
        with self.assertRaisesRegex(ValueError, "expected \\(N,\\) or \\(N, 3\\)"):
            flexline.solve_many(hose(), {"end.position": np.zeros((4, 2))})
        with self.assertRaisesRegex(ValueError, "expected as many of each"):
            flexline.solve_many(hose(), {"end.position": np.zeros((4, 3)), "cable.length": np.ones(3)})
        with self.assertRaisesRegex(ValueError, "at least one array"):
            flexline.solve_many(hose(), {})


class Following(unittest.TestCase):
    def test_a_handle_finds_what_a_cold_solve_finds(self):
        # Pinned: the roll of an end that is given by its tangent alone depends on where it is.
        end = {"hold": "pinned", "position": [0.3, 0.1, 0]}
        scene = flexline.Scene.from_dict({**CANTILEVER, "end": end})
        live = scene.live()
        for _ in range(20):
            live.shift("end", by=[0.0, 1e-3, -5e-4])
            self.assertEqual(live.solve(), "converged")
        self.assertLess(live.iterations, 5)
        there = live.positions()[-1]
        cold = scene.with_values({"end.position": list(there)}).solve()
        np.testing.assert_allclose(live.positions(), cold.cable().positions, atol=1e-8)
        np.testing.assert_allclose(live.solution().cable().positions, live.positions(), atol=1e-9)

    def test_threads_work_side_by_side(self):
        statuses = []

        def work():
            live = hose().live()
            for _ in range(50):
                live.shift("end", by=[1e-4, 0, 0])
                statuses.append(live.solve())

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(statuses, ["converged"] * 150)


class Sessions(unittest.TestCase):
    def test_commands_are_undone(self):
        session = hose().session()
        before = session.text
        name = hose().cables[0]
        outcome = session.do({"do": "prolong", "cable": name, "by": "20 mm"})
        self.assertEqual(outcome["command"]["do"], "prolong")
        longer = session.solution.cable().length
        session.undo()
        self.assertEqual(session.text, before)
        self.assertAlmostEqual(longer - session.solution.cable().length, 0.02, delta=1e-12)
        session.redo()
        with self.assertRaisesRegex(RuntimeError, "nothing to redo"):
            session.redo()
        with self.assertRaisesRegex(flexline.SceneError, "did you mean"):
            session.do({"do": "prolongg"})


class Batches(unittest.TestCase):
    def test_rows_are_what_one_solve_finds(self):
        scene = hose()
        end = scene.solve().cable().positions[-1]
        ends = end + np.linspace(0, 0.03, 7)[:, None] * np.array([0.0, 1.0, 0.5])
        batch = flexline.solve_many(scene, {"end.position": ends})
        self.assertTrue(batch.converged.all(), batch.errors)
        self.assertEqual(batch.positions().shape, (7, 101, 3))
        one = scene.with_values({"end.position": list(ends[3])}).solve().cable()
        np.testing.assert_array_equal(batch.positions()[3], one.positions)
        self.assertAlmostEqual(batch.least_bend_radius()[3], one.least_bend_radius, delta=1e-15)
        self.assertAlmostEqual(batch.largest_tension()[3], one.tension.max(), delta=1e-12)
        np.testing.assert_allclose(batch.positions()[:, -1], ends, atol=1e-9)

    def test_a_row_that_fails_ends_no_other(self):
        batch = flexline.solve_many(hose(), {"cable.length": [0.5, float("nan"), 0.1, -1.0, 0.52]})
        self.assertEqual(batch.status, ["converged", "refused", "too_short", "refused", "converged"])
        self.assertEqual(sorted(batch.errors), [1, 2, 3])
        self.assertTrue(np.isnan(batch.positions()[1:4]).all())
        self.assertFalse(np.isnan(batch.positions()[[0, 4]]).any())
        self.assertTrue(np.isnan(batch.reaction_force("end")[2]).all())


class Documents(unittest.TestCase):
    def test_the_examples_of_the_readme_run(self):
        root = SCENES.parent
        text = (root / "crates/flexline-py/README.md").read_text(encoding="utf-8")
        blocks = [block.split("```")[0] for block in text.split("```python")[1:]]
        example = "".join(blocks).replace('"scenes/', f'"{SCENES}/')
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example, "README.md", "exec"), {})
        self.assertTrue(printed.getvalue().startswith("converged True"), printed.getvalue())


class Keeping(unittest.TestCase):
    def test_scenes_are_pickled(self):
        scene = hose()
        again = pickle.loads(pickle.dumps(scene))
        self.assertEqual((again.text, again.name), (scene.text, scene.name))
        np.testing.assert_array_equal(again.solve().cable().positions, scene.solve().cable().positions)


if __name__ == "__main__":
    unittest.main()

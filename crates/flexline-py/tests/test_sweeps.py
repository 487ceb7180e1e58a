"""Sweeps and searches from Python, and pictures."""

import json
import pickle
import struct
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import flexline
import numpy as np

SCENES = Path(__file__).resolve().parents[3] / "scenes"


def hose():
    return flexline.Scene.load(SCENES / "brake-hose.toml")


class Sweeps(unittest.TestCase):
    def test_poses_from_arrays_are_those_of_a_table(self):
        scene = flexline.Scene.load(SCENES / "studies" / "dress-pack.toml")
        table = SCENES / "studies" / "dress-pack.csv"
        rows = np.loadtxt([line for line in table.read_text().splitlines()[1:] if line[0] != "t"], delimiter=",")[:12]
        from_arrays = flexline.sweep(scene, poses={"tool": rows[:, 1:]})
        with tempfile.TemporaryDirectory() as folder:
            part = Path(folder, "part.csv")
            part.write_text("\n".join(table.read_text().splitlines()[:14]) + "\n")
            from_table = flexline.sweep(scene, poses=part)
        np.testing.assert_array_equal(from_arrays.positions(), from_table.positions())
        np.testing.assert_allclose(from_arrays.positions()[:, -1], rows[:, 1:4], atol=1e-9)
        self.assertTrue(from_arrays.converged.all())
        self.assertEqual(from_arrays.verdict, from_table.verdict)
        worst = from_arrays.worst_solution()
        bend = next(own for own in worst.checks["cables"]["hose"] if own["rule"] == "bend_radius")
        self.assertEqual(bend["value"], from_arrays.values("hose.bend_radius").min())
        self.assertEqual(from_arrays.values("hose.bend_radius").argmin(), from_arrays.worst_pose)

    def test_a_row_without_equilibrium_is_a_status(self):
        swept = flexline.sweep(hose(), vary={"cable.length": ("380 mm", "200 mm")}, steps=3)
        self.assertEqual(swept.status[0], "converged")
        self.assertEqual(swept.status[-1], "too_short")
        self.assertTrue(np.isnan(swept.positions()[-1]).all())
        self.assertTrue(np.isnan(swept.values("brake hose.bend_radius")[-1]))

    def test_the_volume_is_a_mesh(self):
        swept = flexline.sweep(hose(), vary={"cable.length": (0.38, 0.40)}, steps=2)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "swept.stl")
            swept.write_volume(path)
            data = path.read_bytes()
        count = struct.unpack("<I", data[80:84])[0]
        self.assertEqual(len(data), 84 + 50 * count)
        self.assertGreater(count, 1000)

    def test_a_search_finds_what_newton_finds(self):
        scene = hose()
        # A longer hose swings wider and bends more at its ends.
        found = flexline.find(scene, "cable.length=380 mm..450 mm", "bend_radius<=72mm", steps=8)
        self.assertEqual((found.unit, found.monotone, len(found.boundaries)), ("mm", True, 1))
        there = scene.with_values({"cable.length": f"{found.at} mm"}).solve().cable()
        # The limit is that of the inner side.
        self.assertAlmostEqual(there.least_bend_radius - there.radius[0], 0.072, delta=1e-8)
        self.assertLessEqual(found.value, 0.072)
        none = flexline.find(scene, "cable.length=370 mm..420 mm", "bend_radius>=5 m", steps=4)
        self.assertEqual((none.at, none.value, none.holds), (None, None, []))

    def test_bad_input_is_said(self):
        scene = hose()
        with self.assertRaisesRegex(ValueError, "say one of poses, vary and motion"):
            flexline.sweep(scene)
        with self.assertRaisesRegex(ValueError, "expected \\(N, 3\\) or \\(N, 7\\)"):
            flexline.sweep(scene, poses={"end": np.zeros((4, 2))})
        with self.assertRaisesRegex(ValueError, "expected a finite number"):
            flexline.sweep(scene, poses={"end": np.full((2, 3), np.nan)})
        with self.assertRaisesRegex(ValueError, "nothing is named 'and'"):
            flexline.sweep(scene, poses={"and": np.zeros((2, 3))})
        with self.assertRaisesRegex(flexline.SceneError, "cabel"):
            flexline.sweep(scene, vary={"cabel.length": (0.3, 0.4)})
        with self.assertRaisesRegex(ValueError, "moves nothing"):
            flexline.sweep(scene, motion=True)
        with self.assertRaisesRegex(ValueError, "steps is 1: expected 2"):
            flexline.find(scene, "cable.length", "sag=1mm", steps=1)
        with self.assertRaisesRegex(ValueError, "is nothing that is measured"):
            flexline.find(scene, "cable.length", "saggy=1mm")


class Pictures(unittest.TestCase):
    def test_pictures_are_svg_and_png(self):
        solution = hose().solve()
        for svg in [solution._repr_svg_(), solution.plot(), solution.plot(view="along", colour="twist")]:
            self.assertTrue(ElementTree.fromstring(svg).tag.endswith("svg"))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "hose.png")
            solution.plot(path, view="perspective", width=300)
            self.assertEqual(path.read_bytes()[:4], b"\x89PNG")
            with self.assertRaisesRegex(ValueError, "ends in .svg or .png"):
                solution.plot(Path(folder, "hose.gif"))
            with self.assertRaises(OSError):
                solution.plot(Path(folder, "none", "hose.svg"))
        with self.assertRaisesRegex(ValueError, 'view is "side": expected one of report'):
            solution.plot(view="side")
        with self.assertRaisesRegex(KeyError, "the cables are"):
            flexline.Scene.load(SCENES / "door-harness.toml").solve().plot(cable="none")

    def test_a_scene_without_equilibrium_has_a_picture(self):
        short = hose().with_values({"cable.length": "200 mm"}).solve()
        self.assertIn("<svg", short._repr_svg_())


class Library(unittest.TestCase):
    def test_parts_are_those_that_scenes_name(self):
        parts = flexline.parts()
        own = parts["brake-hose"]
        self.assertTrue(own["source"])
        scene = flexline.Scene.from_dict({
            "cable": {"length": 0.4, "part": "brake-hose"},
            "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
            "end": {"hold": "free"},
        })
        self.assertAlmostEqual(scene.solve().cable().radius[0], own["outer_diameter"] / 2, delta=1e-12)
        self.assertIn("youngs_modulus", next(iter(flexline.materials().values())))


class Contacts(unittest.TestCase):
    def test_contacts_of_parts_are_told(self):
        solution = flexline.Scene.load(SCENES / "contact" / "plug-on-a-table.toml").solve()
        on_parts = [own for own in solution.contacts if own["at"] is None]
        self.assertTrue(on_parts, solution.contacts)
        # What presses from below carries weight.
        self.assertGreater(sum(own["force"][2] for own in on_parts), 0.0)


class Following(unittest.TestCase):
    def test_a_path_in_one_call_is_that_of_many(self):
        one, many = hose().live(), hose().live()
        begin = many.positions()[-1]
        path = begin + np.linspace(0, 0.02, 30)[:, None] * np.array([0.0, 1.0, 0.5])
        self.assertEqual(one.follow("end", path), ["converged"] * 30)
        for position in path:
            many.place("end", position)
            many.solve()
        np.testing.assert_array_equal(one.positions(), many.positions())
        with self.assertRaisesRegex(ValueError, "position 1 of end"):
            one.follow("end", [[0, 0, 0], [float("nan"), 0, 0]])


class Pickles(unittest.TestCase):
    def test_equilibria_as_functions_are_pickled(self):
        sag = flexline.Equilibrium(hose(), ["cable.length"], ["cable.position.z @ 50 %"])
        again = pickle.loads(pickle.dumps(sag))
        np.testing.assert_array_equal(again(again.start), sag(sag.start))

    def test_diagnostics_are_pickled(self):
        with self.assertRaises(flexline.SceneError) as raised:
            flexline.Scene("version = 1\n[cable]\nlength = '5 kg'\n")
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual(json.dumps(again.diagnostics), json.dumps(raised.exception.diagnostics))


if __name__ == "__main__":
    unittest.main()

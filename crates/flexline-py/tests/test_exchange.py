"""Files of other programs, in and out. Run by `cargo xtask python`."""

import math
import tempfile
import unittest
from pathlib import Path

import flexline
import numpy as np

SCENES = Path(__file__).resolve().parents[3] / "scenes"
RADIUS, BEND, TURN = 4.0, 60.0, 1.5  # mm, mm, rad


def arc_obj(path, turn=TURN, sides=16, rings=40):
    """A hose along an arc of a circle, with caps, in millimetres; its faces are chords, its vertices lie on it."""
    rows = []
    for i in range(rings + 1):
        a = turn * i / rings
        for k in range(sides):
            b = 2 * math.pi * k / sides
            r = BEND + RADIUS * math.cos(b)
            rows.append(f"v {r * math.sin(a)} {r * math.cos(a)} {RADIUS * math.sin(b)}")
    for i in range(rings):
        for k in range(sides):
            a, b = i * sides + k + 1, i * sides + (k + 1) % sides + 1
            rows.append(f"f {a} {b} {b + sides} {a + sides}")
    rows.append("f " + " ".join(str(k + 1) for k in range(sides)))
    rows.append("f " + " ".join(str(rings * sides + k + 1) for k in reversed(range(sides))))
    path.write_text("\n".join(rows) + "\n")
    return path


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_hose_is_found_in_its_mesh(self):
        mesh = arc_obj(self.folder / "hose.obj")
        found = flexline.read_file(mesh, "cable", unit="mm")
        self.assertEqual(found["status"], "cables")
        (edge,) = found["edges"]
        self.assertAlmostEqual(edge["length"] / (1e-3 * BEND * TURN), 1.0, delta=5e-4)
        np.testing.assert_allclose(edge["radius"], 1e-3 * RADIUS, rtol=5e-3)
        with self.assertRaisesRegex(ValueError, "does not say its unit"):
            flexline.read_file(mesh, "cable")
        parts = flexline.read_file(mesh, unit="mm")
        self.assertEqual((parts["format"], parts["parts"][0]["open_edges"]), ("OBJ", 0))

    def test_a_scene_of_it_keeps_its_shape_without_weight(self):
        mesh = arc_obj(self.folder / "hose.obj")
        scene = flexline.import_scene(mesh, unit="mm", material="epdm-60")
        scene = flexline.Scene(scene.text + "\n[world]\ngravity = [0, 0, 0]\n")
        solution = scene.solve()
        self.assertTrue(solution.converged)
        bent = np.linalg.norm(solution.cable().positions[:, :2], axis=1)
        np.testing.assert_allclose(bent, 1e-3 * BEND, rtol=2e-3)
        with self.assertRaisesRegex(ValueError, "material"):
            flexline.import_scene(mesh, unit="mm")

    def test_a_stretch_becomes_flexible_by_a_command(self):
        arc_obj(self.folder / "pipe.obj")
        (self.folder / "scene.toml").write_bytes((SCENES / "brake-hose.toml").read_bytes())
        session = flexline.Scene.load(self.folder / "scene.toml").session()
        before = session.text
        at = lambda a: [(BEND + RADIUS) * math.sin(a), (BEND + RADIUS) * math.cos(a), 0.0]
        done = session.do({
            "do": "import", "file": "pipe.obj", "as": "cable", "unit": "mm", "material": "epdm-60",
            "from": at(0.3), "until": at(1.2),
        })
        self.assertEqual(done["files"], ["meshes/pipe-remainder.ply"])
        self.assertTrue((self.folder / "meshes/pipe-remainder.ply").exists())
        cables = session.solution.cables
        self.assertAlmostEqual(cables["pipe"].length, 1e-3 * BEND * 0.9, delta=1e-4)
        session.undo()
        self.assertEqual(session.text, before)
        with self.assertRaises(flexline.SceneError):
            session.do({"do": "import", "file": "no.obj", "as": "cable"})

    def test_a_centreline_goes_out_and_comes_back(self):
        solution = flexline.Scene.load(SCENES / "brake-hose.toml").solve()
        step = self.folder / "hose.step"
        told = solution.export(step, solid=True)
        self.assertLess(told["curves"][0]["reached"], 1e-5)
        (edge,) = flexline.read_file(step, "centreline")["edges"]
        self.assertAlmostEqual(edge["length"] / told["curves"][0]["length"], 1.0, delta=1e-8)
        for ending in ["igs", "vda", "csv", "xml", "glb", "usda", "vtp"]:
            own = self.folder / f"hose.{ending}"
            told = solution.export(own)
            self.assertEqual(told["bytes"], own.stat().st_size, ending)
        with self.assertRaisesRegex(ValueError, "no format that is written"):
            solution.export(self.folder / "hose.docx")

    def test_harness_data_becomes_a_scene(self):
        kbl = SCENES / "exchange" / "door.kbl"
        scene = flexline.import_scene(kbl, "harness")
        self.assertEqual(len(scene.cables), len(flexline.read_file(kbl, "harness")["cables"]))


if __name__ == "__main__":
    unittest.main()

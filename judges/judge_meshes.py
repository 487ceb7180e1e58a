"""Meshes in: trimesh and `flexline import` must see the same triangles."""

import numpy as np
import trimesh

SCENES = ["contact/meshes/vessel.obj", "contact/meshes/angle-bracket.obj", "contact/meshes/aperture.obj"]
KINDS = ["stl", "ply", "glb", "obj"]


def judge(bench):
    for name in SCENES:
        compare(bench, name, bench.scene(name))
    # The same as trimesh writes it in every kind, an odd shape that is nowhere symmetric.
    shape = trimesh.creation.annulus(0.02, 0.05, 0.1, sections=37)
    shape.apply_transform(trimesh.transformations.euler_matrix(0.3, -0.7, 1.1))
    shape.apply_translation([0.4, -0.2, 3.0])
    for kind in KINDS:
        path = bench.path(f"ring.{kind}")
        shape.export(path)
        compare(bench, path.name, path)


def compare(bench, name, path):
    theirs = trimesh.load(path, process=False, force="mesh")
    ours = bench.answer("import", path)
    size = np.ptp(theirs.vertices, axis=0).max()
    bench.equal(f"{name}: triangles", sum(part["triangles"] for part in ours["parts"]), len(theirs.faces))
    low = np.min([part["extent"][0] for part in ours["parts"]], axis=0)
    high = np.max([part["extent"][1] for part in ours["parts"]], axis=0)
    off = np.abs(np.array([low, high]) - theirs.bounds).max()
    bench.below(f"{name}: extent, share of its size", off / size, 1e-6)

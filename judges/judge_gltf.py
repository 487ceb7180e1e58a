"""glTF out: the Khronos validator finds nothing, trimesh finds the tube where it is, and a motion stays small."""

import json
import shutil
import subprocess

import numpy as np
import trimesh

VALIDATE = """
const validator = require('gltf-validator');
const bytes = new Uint8Array(require('fs').readFileSync(process.argv[1]));
validator.validateBytes(bytes).then(r => console.log(JSON.stringify(r)), e => { console.error(String(e)); process.exit(1); });
"""


def judge(bench):
    path = bench.path("hose.glb")
    scene = bench.scene("brake-hose.toml")
    bench.flexline("export", scene, "--to", path, "--colour", "curvature")
    validated(bench, "hose.glb", path)
    bounds(bench, "hose.glb", path, scene)
    path = bench.path("door.glb")
    bench.flexline("export", bench.scene("door-harness.toml"), "--to", path)
    validated(bench, "door.glb", path)
    shown = trimesh.load(path)
    bench.equal("door.glb: meshes", len(shown.geometry), 9)
    # Ten seconds of 200 nodes.
    scene = bench.path("whip.toml")
    scene.write_text(bench.scene("brake-hose.toml").read_text().replace("segments = 100", "segments = 199"))
    run = bench.path("whip.run")
    write_run(run, "brake hose", 200, 300)
    path = bench.path("whip.glb")
    bench.flexline("export", scene, "--at", run, "--to", path)
    report = validated(bench, "whip.glb", path)
    if report:
        bench.equal("whip.glb: animations", report["info"]["animationCount"], 1)
    bench.below("whip.glb: bytes of 10 s of 200 nodes", path.stat().st_size, 5e6)


def validated(bench, name, path):
    node = shutil.which("node")
    modules = bench.tools / "node" / "node_modules"
    if not node or not modules.exists():
        bench.skip(f"{name}: Khronos validator", "needs node and npm")
        return None
    done = subprocess.run([node, "-e", VALIDATE, path], capture_output=True, text=True, env={"NODE_PATH": str(modules)}, timeout=60)
    if done.returncode:
        bench.holds(f"{name}: Khronos validator runs", False, done.stderr[-300:])
        return None
    report = json.loads(done.stdout)
    issues = report["issues"]
    told = "; ".join(f"{m['code']} {m['message']} {m.get('pointer', '')}" for m in issues["messages"][:3])
    bench.holds(f"{name}: Khronos validator, errors and warnings", issues["numErrors"] == 0 and issues["numWarnings"] == 0, told)
    return report


def bounds(bench, name, path, scene):
    """A tube reaches as far as rings around the nodes do, which the table of the same scene gives; y is up."""
    table = path.with_suffix(".csv")
    bench.flexline("export", scene, "--to", table, "--segments", 100)
    lines = [line.split(",") for line in table.read_text().splitlines()]
    rows = np.array([[float(x) for x in line[1:5]] for line in lines[1:]])
    nodes, radius = rows[:, [0, 2, 1]] * [1, 1, -1], rows[:, 3]
    found = trimesh.load(path, force="mesh", process=False)
    places = found.vertices[: 16 * len(nodes)].reshape(len(nodes), 16, 3)
    size = np.ptp(nodes, axis=0).max()
    bench.below(f"{name}: middles of rings off the nodes, share of the size", np.abs(places.mean(axis=1) - nodes).max() / size, 1e-6)
    off = np.abs(np.linalg.norm(places - nodes[:, None], axis=2) - radius[:, None]).max()
    bench.below(f"{name}: radius, share of the size", off / size, 1e-6)
    normals = attribute(path, "NORMAL")[: 16 * len(nodes)].reshape(len(nodes), 16, 3)
    outwards = np.abs(normals * radius[:, None, None] - (places - nodes[:, None])).max()
    bench.below(f"{name}: normals off outwards, share of the size", outwards / size, 1e-6)
    faces = found.triangles_center - nodes[np.linalg.norm(found.triangles_center[:, None] - nodes[None], axis=2).argmin(axis=1)]
    turned = (np.cross(*np.diff(found.triangles, axis=1).transpose(1, 0, 2)) * faces).sum(axis=1)
    bench.holds(f"{name}: triangles are seen from outside", (turned > 0).mean() > 0.99)
    low = np.max(np.abs(found.bounds - np.array([places.reshape(-1, 3).min(axis=0), places.reshape(-1, 3).max(axis=0)])))
    bench.below(f"{name}: bounds of the file, share of the size", low / size, 1e-6)


def attribute(path, name):
    """Numbers of an attribute of the first mesh, as they stand in the file."""
    data = path.read_bytes()
    length = int.from_bytes(data[12:16], "little")
    root, binary = json.loads(data[20 : 20 + length]), data[28 + length :]
    own = root["accessors"][root["meshes"][0]["primitives"][0]["attributes"][name]]
    start = root["bufferViews"][own["bufferView"]]["byteOffset"]
    return np.frombuffer(binary, "<f4", 3 * own["count"], start).reshape(-1, 3)


def write_run(path, cable, nodes, frames):
    """A run file as `flexline simulate` writes it: a wave along a straight cable."""
    header = {"title": "whip", "cables": [{"name": cable, "nodes": nodes}], "parts": []}
    with open(path, "wb") as out:
        out.write(b"FLEXLINE-RUN 1\n" + json.dumps(header).encode() + b"\n")
        for k in range(frames):
            x = np.linspace(0, 0.38, nodes)
            angle = 0.3 * np.sin(9 * x + 0.1 * k)
            poses = np.zeros((nodes, 7), "<f4")
            poses[:, 0], poses[:, 2] = x, 0.02 * np.sin(7 * x + 0.1 * k)
            poses[:, 3], poses[:, 5] = np.cos(angle / 2), np.sin(angle / 2)
            out.write(np.array([k / 30, 0, 0, 0, 0, 0], "<f8").tobytes() + poses.tobytes())

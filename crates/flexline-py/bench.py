"""What the package costs: calls and drags beside the engine alone, batches, derivatives, studies over processes.

Run by ``cargo xtask python --bench [calls] [drag] [batch] [derivatives] [study] [--json]``. Times are those of the machine, ratios of one run.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

import flexline
import flexline.study
import numpy as np

SCENES = Path(__file__).resolve().parents[2] / "scenes"

CABLE = {
    "cable": {
        "length": 1.0,
        "segments": 100,
        "measured": {"bend": 0.02, "twist": 0.016, "mass_per_length": 0.15, "diameter": "8 mm"},
    },
    "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
    "end": {"hold": "clamped", "position": [0.55, 0.25, 0.1], "tangent": [0.6, 0.8, 0]},
}


def seconds(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def median(work, times):
    return float(np.median([seconds(work) for _ in range(times)]))


def calls():
    """A call that does next to nothing, a loop of Python that does nothing taken off."""
    live = flexline.Scene.from_dict(CABLE).live()
    count = 20_000

    def shift():
        for _ in range(count):
            live.shift("end")

    def nothing():
        for _ in range(count):
            pass

    return {"call_us": 1e6 * (median(shift, 5) - median(nothing, 5)) / count, "aim_us": 20}


def circle(count):
    """The way of a hand: increments of 2 mm on a closed path."""
    phase = 2 * np.pi * np.arange(count) / 120
    steps = np.stack([np.cos(phase), np.sin(phase), np.sin(2 * phase)], axis=1)
    steps *= 2e-3 / np.linalg.norm(steps, axis=1, keepdims=True)
    return np.cumsum(steps, axis=0)


def drag(count=10_000):
    """Ten thousand increments, each placed and solved from Python, beside the same path in one call of the engine."""
    scene = flexline.Scene.from_dict(CABLE)
    path = np.array(CABLE["end"]["position"]) + circle(count)
    engine, python = scene.live(), scene.live()
    ended = {"engine": [], "python": []}
    times = {"engine": 0.0, "python": 0.0}

    def by_calls(part):
        for position in part:
            python.place("end", position)
            ended["python"].append(python.solve())

    # In turns, so that what else the machine does falls on both alike.
    for part in np.split(path, 20):
        times["engine"] += seconds(lambda: ended["engine"].extend(engine.follow("end", part)))
        times["python"] += seconds(lambda: by_calls(part))
    assert ended["engine"] == ended["python"] == ["converged"] * count
    assert np.array_equal(engine.positions(), python.positions())
    each = {f"{name}_us": 1e6 * own / count for name, own in times.items()}
    return {"increments": count, **each, "ratio": times["python"] / times["engine"], "aim": 1.3}


def batch(count=2000):
    """Scenes with another end each, from the text of the scene to arrays, on all cores."""
    scene = flexline.Scene.from_dict(CABLE)
    ends = np.array(CABLE["end"]["position"]) + circle(count)
    found = []
    time_taken = seconds(lambda: found.append(flexline.solve_many(scene, {"end.position": ends})))
    assert found[0].converged.all(), found[0].errors
    positions = found[0].positions()
    return {"cables": count, "per_second": count / time_taken, "bytes_per_cable": positions.nbytes // count}


def derivatives():
    """A position by ten numbers, beside the solve that found the equilibrium."""
    scene = flexline.Scene.from_dict(CABLE)
    inputs = ["cable.length", "start.position", "end.position", "cable.measured.bend", "cable.measured.twist", "cable.measured.mass_per_length"]
    solution = scene.solve()
    one = median(scene.solve, 15)
    jacobian = median(lambda: solution.jacobian(["cable.position @ 50 %"], inputs), 15)
    return {"inputs": 10, "solve_ms": 1e3 * one, "jacobian_ms": 1e3 * jacobian, "ratio": jacobian / one, "aim": 0.3}


def study(rows=2000):
    """Rows a second on all cores of this machine, and on one, two and four worker processes of Dask with a thread each."""
    from dask.distributed import Client, LocalCluster

    text = (SCENES / "studies/brake-hose-tolerance.toml").read_text(encoding="utf-8")
    told = {"rows": rows, "cores": os.cpu_count()}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "hose.toml").write_text((SCENES / "brake-hose.toml").read_text(encoding="utf-8"), encoding="utf-8")
        path = Path(folder, "study.toml")
        path.write_text(text.replace("samples = 200", f"samples = {rows}").replace("../brake-hose.toml", "hose.toml"), encoding="utf-8")
        results = []
        taken = seconds(lambda: results.append(flexline.study.run(path, out=Path(folder, "here"))))
        told["here_per_second"] = rows / taken
        for workers in (1, 2, 4):
            os.environ["RAYON_NUM_THREADS"] = "1"
            with LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
                out = Path(folder, f"workers-{workers}")
                taken = seconds(lambda: results.append(flexline.study.run(path, out=out, client=client)))
            told[f"workers_{workers}_per_second"] = rows / taken
        assert all(np.array_equal(own.found, results[0].found) for own in results)
    return told


BENCHES = {own.__name__: own for own in (calls, drag, batch, derivatives, study)}


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("names", nargs="*", help=f"which of {', '.join(BENCHES)}; all when none is named")
    arguments.add_argument("--json", action="store_true")
    asked = arguments.parse_args()
    if unknown := set(asked.names) - set(BENCHES):
        arguments.error(f"no benchmark is named {sorted(unknown)[0]}; there are {', '.join(BENCHES)}")
    told = {}
    for name in asked.names or BENCHES:
        told[name] = BENCHES[name]()
        if not asked.json:
            print(f"{name}: " + ", ".join(f"{key} {value:.4g}" for key, value in told[name].items()), flush=True)
    if asked.json:
        print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()

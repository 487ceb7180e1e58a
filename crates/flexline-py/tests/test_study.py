"""Studies on this machine and on worker processes of Dask."""

import importlib.util
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import CancelledError
from pathlib import Path

import dask
import flexline.study
import numpy as np
from dask.distributed import Client, LocalCluster
from distributed.client import FutureCancelledError
from distributed.comm import CommClosedError

SCENES = Path(__file__).resolve().parents[3] / "scenes"


def written(folder, samples):
    """A study of so many samples of the brake hose in a folder."""
    text = (SCENES / "studies/brake-hose-tolerance.toml").read_text()
    text = text.replace("samples = 200", f"samples = {samples}").replace("../brake-hose.toml", "hose.toml")
    Path(folder, "hose.toml").write_text((SCENES / "brake-hose.toml").read_text())
    path = Path(folder, "study.toml")
    path.write_text(text)
    return path


def kept(folder):
    return {name: Path(folder, name).read_bytes() for name in ("results.csv", "summary.json")}


class Studies(unittest.TestCase):
    def test_a_run_goes_on_where_it_was_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, 30)
            whole = flexline.study.run(path, out=Path(folder, "whole"))
            self.assertEqual(whole.status, ["converged"] * 30)
            self.assertEqual((whole.values.shape, whole.found.shape), ((30, 3), (30, 2)))
            self.assertEqual(whole.summary["rows"], 30)

            class Ended(Exception):
                pass

            def end(done, of):
                raise Ended

            with self.assertRaises(Ended):
                flexline.study.run(path, out=Path(folder, "part"), chunk=7, progress=end)
            told = []
            again = flexline.study.run(
                path, out=Path(folder, "part"), chunk=7, progress=lambda done, of: told.append(done)
            )
            self.assertEqual(told[0], 14)
            np.testing.assert_array_equal(whole.found, again.found)
            self.assertEqual(kept(Path(folder, "whole")), kept(Path(folder, "part")))

    def test_quantiles_are_those_of_brute_force(self):
        # What falls all the way with the one parameter has the quantiles of that, turned round: they are solved one by one.
        study = """
            version = 1
            scene = "hose.toml"
            samples = 200
            [[parameter]]
            name = "cable.length"
            uniform = ["375 mm", "395 mm"]
            [[response]]
            quantity = "bend_radius"
            limit = ">= 75 mm"
            """
        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, 5)
            path.write_text(study)
            told = flexline.study.run(path, out=Path(folder, "out")).summary["responses"][0]
        hose = flexline.Scene.load(SCENES / "brake-hose.toml")

        def radius(share):
            cable = hose.with_values({"cable.length": f"{395 - 20 * share} mm"}).solve().cable()
            return cable.least_bend_radius - cable.radius[0]

        shares = np.linspace(0, 1, 41)
        slope = np.abs(np.diff([radius(share) for share in shares])).max() * (len(shares) - 1)
        for share, found in told["quantiles"]:
            # A Latin hypercube has one row in every 200th.
            self.assertLess(abs(found["value"] - radius(share)), 1.5 / 200 * slope, share)
        broken = np.interp(-0.075, [-radius(share) for share in shares[::-1]], shares[::-1])
        self.assertAlmostEqual(told["failure"]["value"], broken, delta=1 / 200)

    def test_another_text_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, 5)
            flexline.study.run(path, out=Path(folder, "out"))
            path.write_text(path.read_text().replace("seed = 1", "seed = 2"))
            with self.assertRaisesRegex(ValueError, "another text of the study file"):
                flexline.study.run(path, out=Path(folder, "out"))
            with self.assertRaisesRegex(ValueError, "chunk is 0"):
                flexline.study.run(path, out=Path(folder, "out"), chunk=0)

    def test_studies_are_pickled(self):
        with tempfile.TemporaryDirectory() as folder:
            study = flexline.study.Study.load(written(folder, 5))
            again = pickle.loads(pickle.dumps(study))
            self.assertEqual(study.solve([3, 1]), again.solve([3, 1]))
            with self.assertRaises(IndexError):
                study.solve([5])

    def test_workers_find_the_same_bits_when_one_is_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, 400)
            flexline.study.run(path, out=Path(folder, "here"))
            cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
            with cluster, Client(cluster) as client:
                processes = client.run(os.getpid)
                self.assertEqual(len(set(processes.values()) - {os.getpid()}), 2)
                killed = []

                def kill(done, of):
                    if not killed:
                        killed.append(next(iter(processes.values())))
                        os.kill(killed[0], signal.SIGKILL)

                far = flexline.study.run(
                    path, out=Path(folder, "far"), client=client, chunk=10, progress=kill
                )
                self.assertEqual(len(killed), 1)
                self.assertNotIn(killed[0], client.run(os.getpid).values())
            self.assertEqual(far.status, ["converged"] * 400)
            self.assertEqual(kept(Path(folder, "here")), kept(Path(folder, "far")))

    def test_dask_arrays_are_the_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, 30)
            here = flexline.study.run(path, out=Path(folder, "here"))
            values, found = flexline.study.arrays(path, chunk=8)
            self.assertEqual((values.shape, found.shape, found.chunks[0]), ((30, 3), (30, 2), (8, 8, 8, 6)))
            np.testing.assert_array_equal(values.compute(scheduler="synchronous"), here.values)
            np.testing.assert_array_equal(found.compute(scheduler="synchronous"), here.found)

    def test_a_lost_scheduler_raises_and_keeps_what_is_done(self):
        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, 60)
            file = Path(folder, "scheduler.json")
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            scheduler = subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)],
                **quiet,
            )
            worker = subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-dashboard"],
                cwd=folder,
                **quiet,
            )
            try:
                settings = {"distributed.comm.timeouts.connect": "5s"}
                with dask.config.set(settings), Client(scheduler_file=str(file), timeout="60s") as client:
                    told = []

                    def kill(done, of):
                        told.append(done)
                        scheduler.kill()
                        scheduler.wait()

                    with self.assertRaises((CancelledError, CommClosedError, FutureCancelledError, OSError)):
                        flexline.study.run(path, out=Path(folder, "out"), client=client, chunk=2, progress=kill)
                    client.close(timeout=1)
            finally:
                for own in (scheduler, worker):
                    own.kill()
                    own.wait()
            again = []
            done = flexline.study.run(path, out=Path(folder, "out"), progress=lambda done, of: again.append(done))
            self.assertGreaterEqual(again[0], told[0])
            self.assertEqual(done.status, ["converged"] * 60)

class Outputs(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "pyarrow is not installed")
    def test_parquet_has_the_same_bits(self):
        import pyarrow.parquet

        with tempfile.TemporaryDirectory() as folder:
            result = flexline.study.run(written(folder, 25), out=Path(folder, "out"))
            files = result.write_parquet(Path(folder, "rows"), part=10)
            self.assertEqual([Path(own).name for own in files], [f"part-0000{k}.parquet" for k in range(3)])
            table = pyarrow.parquet.read_table(Path(folder, "rows"))
            self.assertEqual(table.column("row").to_pylist(), list(range(25)))
            self.assertEqual(table.column("status").to_pylist(), result.status)
            for k, name in enumerate(result.parameters):
                np.testing.assert_array_equal(table.column(name).to_numpy(), result.values[:, k])
            for k, name in enumerate(result.responses):
                np.testing.assert_array_equal(table.column(name).to_numpy(), result.found[:, k])
            self.assertEqual(table.schema.metadata[b"seed"], b"1")
            # Fewer files than before leave none of the old.
            self.assertEqual(len(result.write_parquet(Path(folder, "rows"))), 1)
            self.assertEqual(os.listdir(Path(folder, "rows")), ["part-00000.parquet"])
            Path(folder, "rows", "mine.txt").write_text("kept")
            with self.assertRaisesRegex(ValueError, "holds mine.txt: expected an empty folder"):
                result.write_parquet(Path(folder, "rows"))

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "pyarrow is not installed")
    def test_what_is_not_known_is_null(self):
        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, 6)
            text = path.read_text()
            path.write_text(re.sub(r'mean = "380 mm"[^}]*', 'mean = "270 mm", deviation = "40 mm", low = "150 mm", high = "400 mm" ', text))
            result = flexline.study.run(path, out=Path(folder, "out"))
            lost = [own != "converged" for own in result.status]
            self.assertIn(True, lost)
            self.assertEqual(result.table().column(result.responses[0]).is_null().to_pylist(), lost)

    def test_a_full_disk_keeps_what_is_done(self):
        import resource

        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, 40)
            whole = flexline.study.run(path, out=Path(folder, "whole"))
            limits = resource.getrlimit(resource.RLIMIT_FSIZE)
            room = Path(folder, "whole", "rows.txt").stat().st_size // 2
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
            try:
                with self.assertRaisesRegex(OSError, "cannot write .*rows.txt"):
                    flexline.study.run(path, out=Path(folder, "part"), chunk=5)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            told = []
            again = flexline.study.run(path, out=Path(folder, "part"), chunk=5, progress=lambda done, of: told.append(done))
            self.assertGreater(told[0], 5, "rows that were written are not done again")
            np.testing.assert_array_equal(whole.found, again.found)


if __name__ == "__main__":
    unittest.main()

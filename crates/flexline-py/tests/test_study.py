"""Studies on this machine and on worker processes of Dask."""

import os
import pickle
import signal
import tempfile
import unittest
from pathlib import Path

import flexline.study
import numpy as np
from dask.distributed import Client, LocalCluster

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


if __name__ == "__main__":
    unittest.main()

"""What every judge stands on: runs `flexline`, keeps count, prints one line per check."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Failed(Exception):
    """A program that a judge needs did not do what it should."""


class Bench:
    """One run of judges: where things are, and what came out."""

    def __init__(self, program, tools):
        self.program = pathlib.Path(program).resolve()
        self.tools = pathlib.Path(tools).resolve()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="flexline-judges-"))
        self.topic = ""
        self.passed, self.failed, self.skipped = 0, 0, 0

    def path(self, name):
        """A file of this run that `flexline` may write."""
        own = self.folder / self.topic
        own.mkdir(exist_ok=True)
        return own / name

    def scene(self, name):
        """A scene of the repository."""
        return ROOT / "scenes" / name

    def flexline(self, *words, codes=(0,)):
        """Runs `flexline WORDS` and gives what it printed; another exit code than `codes` is a failure."""
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, timeout=120)
        if done.returncode not in codes:
            said = (done.stderr or done.stdout).strip()[-600:]
            raise Failed(f"flexline {' '.join(map(str, words))} ended with {done.returncode}: {said}")
        return done.stdout

    def answer(self, *words, codes=(0,)):
        """The JSON that `flexline WORDS --json` prints."""
        return json.loads(self.flexline(*words, "--json", codes=codes))

    def python(self, script, *words, mujoco3=False):
        """The JSON that another Python program of this folder prints, where wanted with the MuJoCo before 4."""
        env = dict(os.environ)
        if mujoco3:
            env["PYTHONPATH"] = str(self.tools / "mujoco3")
        command = [sys.executable, ROOT / "judges" / script, *map(str, words)]
        # What these programs log goes where the files are.
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=env, cwd=self.folder)
        if done.returncode != 0:
            raise Failed(f"{script} {' '.join(map(str, words))}: {done.stderr.strip()[-600:]}")
        return json.loads(done.stdout)

    def holds(self, name, true, why=""):
        """A check that is met or not."""
        if true:
            self.passed += 1
        else:
            self.failed += 1
        note = f"  {why}" if why else ""
        print(f"{'ok    ' if true else 'FAILED'}  {self.topic}: {name}{note}", flush=True)
        return bool(true)

    def below(self, name, value, bar):
        """A check that a measured value is at most its bar; NaN is not."""
        return self.holds(name, value <= bar, f"{value:.3g}, at most {bar:.3g}")

    def equal(self, name, value, wanted):
        """A check that something is exactly as wanted."""
        return self.holds(name, value == wanted, "" if value == wanted else f"{value!r}, expected {wanted!r}")

    def skip(self, name, why):
        """What cannot be judged on this machine: counted and told."""
        self.skipped += 1
        print(f"skipped {self.topic}: {name}  {why}", flush=True)

    def run(self, topic, judge):
        """One judge; what it raises is one failure."""
        self.topic = topic
        try:
            judge(self)
        except Exception as error:  # whatever it is, the other judges go on
            if not isinstance(error, Failed):
                traceback.print_exc()
            self.holds("runs to its end", False, f"{type(error).__name__}: {error}")

    def close(self):
        """The last line, and whether all is well. Files of a run with failures stay."""
        also = f", {self.skipped} skipped" if self.skipped else ""
        if self.failed:
            print(f"what was judged is in {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
        print(f"{self.passed} passed, {self.failed} failed{also}")
        return self.failed == 0 and self.passed > 0

"""The stubs beside the package that is installed, and the examples of every docstring."""

import doctest
import importlib
import importlib.util
import pkgutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import flexline

#: Modules that need packages of their own.
OPTIONAL = {"flexline.jax": "jax", "flexline.torch": "torch"}


def modules():
    for own in pkgutil.iter_modules(flexline.__path__, "flexline."):
        # What the engine has is found by the names under which users know it.
        if own.name == "flexline._engine":
            continue
        needs = OPTIONAL.get(own.name)
        if needs is None or importlib.util.find_spec(needs):
            yield importlib.import_module(own.name)


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class Stubs(unittest.TestCase):
    def test_they_are_those_of_the_package(self):
        allowed = Path(__file__).with_name("stubtest-allowlist.txt")
        command = [sys.executable, "-m", "mypy.stubtest", "flexline", "--ignore-missing-stub"]
        command += ["--allowlist", str(allowed), "--ignore-unused-allowlist"]
        with tempfile.TemporaryDirectory() as folder:
            # JAX, PyTorch and Dask are optional.
            Path(folder, "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n")
            command += ["--mypy-config-file", "mypy.ini"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Docstrings(unittest.TestCase):
    def test_everything_public_has_one(self):
        for name in flexline.__all__:
            own = getattr(flexline, name)
            if name.startswith("_"):
                continue
            self.assertTrue(own.__doc__, name)
            if isinstance(own, type) and own.__module__ in ("flexline", "builtins"):
                for key, value in vars(own).items():
                    if not key.startswith("_"):
                        self.assertTrue(value.__doc__, f"{name}.{key}")


def load_tests(loader, tests, pattern):
    known = {"flexline": flexline}
    tests.addTests(doctest.DocTestSuite(flexline, globs=known))
    for own in modules():
        tests.addTests(doctest.DocTestSuite(own))
    # Functions of the engine are not those of any module of Python.
    for name in ("solve_many", "parts", "materials"):
        for found in doctest.DocTestFinder().find(getattr(flexline, name), name, module=False, globs=known):
            if found.examples:
                tests.addTest(doctest.DocTestCase(found))
    return tests


if __name__ == "__main__":
    unittest.main()

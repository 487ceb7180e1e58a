"""What the package has of the engine and users do not see; all else is in `flexline`."""

from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from . import Batch as Batch
from . import Cable as Cable
from . import Live as Live
from . import Motion as Motion
from . import NoDerivative as NoDerivative
from . import Scene as Scene
from . import SceneError as SceneError
from . import Session as Session
from . import Solution as Solution
from . import __version__ as __version__
from . import materials as materials
from . import parts as parts
from . import solve_many as solve_many

@final
class Study:
    def __new__(
        cls, text: str, name: str, scene_text: str, scene_name: str, folder: str | PathLike[str] | None = None
    ) -> Study: ...
    @classmethod
    def load(cls, path: str | PathLike[str]) -> Study: ...
    @property
    def parameters(self) -> list[str]: ...
    @property
    def responses(self) -> list[str]: ...
    def values(self, row: int) -> list[float]: ...
    def solve(self, rows: list[int]) -> list[tuple[str, list[float | None]]]: ...
    def open(self, folder: str | PathLike[str], *, anew: bool = False) -> StudyRun: ...
    def told(self, run: StudyRun) -> tuple[str, str]: ...
    def __len__(self) -> int: ...

@final
class StudyRun:
    @property
    def open_rows(self) -> list[int]: ...
    def keep(self, rows: list[int], found: list[tuple[str, list[float | None]]]) -> None: ...
    def rows(self) -> list[tuple[str, list[float | None]] | None]: ...

@final
class SweepRun:
    def told(self) -> dict[str, Any]: ...
    @property
    def csv(self) -> str: ...
    @property
    def cables(self) -> list[str]: ...
    @property
    def course(self) -> tuple[list[str], list[list[float]]]: ...
    def positions(self, cable: str | None) -> NDArray[np.float64]: ...
    def worst(self) -> Solution | None: ...
    def volume(self) -> bytes: ...

def sweep(
    scene: Scene,
    *,
    table: tuple[str, str] | None = None,
    motion: bool = False,
    vary: list[str] = ...,
    steps: int = 50,
) -> SweepRun: ...
def find(
    scene: Scene,
    vary: str,
    so_that: str,
    *,
    table: tuple[str, str] | None = None,
    motion: bool = False,
    steps: int = 24,
    tolerance: float = 1e-6,
    most: bool = False,
) -> dict[str, Any]: ...

"""Sweeps and searches: a scene through many poses, and the value of a parameter at which a condition holds.

>>> import flexline
>>> scene = flexline.Scene.from_dict({
...     "cable": {"length": "400 mm", "part": "brake-hose"},
...     "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
...     "end": {"hold": "pinned", "position": ["250 mm", 0, "100 mm"]},
... })
>>> swept = flexline.sweep(scene, vary={"end.position.z": (0.1, 0.2)}, steps=4)
>>> swept.status
['converged', 'converged', 'converged', 'converged', 'converged']
>>> swept.values("cable.bend_radius").shape, swept.positions().shape
((5,), (5, 101, 3))
>>> found = flexline.find(scene, "cable.length=350 mm..500 mm", "sag=150mm")
>>> found.unit, 350 < found.at < 500
('mm', True)
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _engine
from ._engine import Scene, Solution

Poses = str | os.PathLike[str] | Mapping[str, ArrayLike]
"""A table of poses, .csv, or arrays by name: positions, m, shape (N, 3), or positions and quaternions w, x, y, z, shape (N, 7)."""


def _table(poses: Poses) -> tuple[str, str]:
    """Poses as the text of a table, and what messages call it."""
    if isinstance(poses, (str, os.PathLike)):
        with open(poses, encoding="utf-8-sig") as file:
            return file.read(), os.fspath(poses)
    heads: list[str] = []
    columns: list[NDArray[np.float64]] = []
    for name, values in poses.items():
        own = np.asarray(values, dtype=float)
        if own.ndim != 2 or own.shape[1] not in (3, 7):
            raise ValueError(f"the poses of {name} have the shape {own.shape}: expected (N, 3) or (N, 7)")
        if columns and len(own) != len(columns[0]):
            raise ValueError(f"{name} has {len(own)} poses, others have {len(columns[0])}: expected as many of each")
        heads += [f"{name}.{key}" for key in ("x", "y", "z", "qw", "qx", "qy", "qz")[: own.shape[1]]]
        columns += list(own.T)
    if not columns:
        raise ValueError("no poses: expected at least one array, as in {'end': positions}")
    lines = [",".join(heads)]
    lines += [",".join(repr(float(value)) for value in row) for row in zip(*columns)]
    return "\n".join(lines) + "\n", "poses"


def _range(name: str, ends: Any, steps: int) -> str:
    """A range as the engine reads it."""
    if isinstance(ends, str):
        return f"{name}={ends}"
    low, high = (value if isinstance(value, str) else repr(float(value)) for value in ends)
    return f"{name}={low}..{high}:{steps + 1}"


@dataclass(frozen=True)
class Sweep:
    """A sweep that was done: a row for every pose."""

    #: What distinguishes the poses, and its numbers: shape (poses, heads).
    heads: list[str]
    course: NDArray[np.float64]
    #: How the solve of each pose ended; "refused" where it could not even be posed.
    status: list[str]
    #: The worst verdict of all: "pass", "warn", "fail" or "no_limit".
    verdict: str
    #: The worst of every rule: dicts with cable, pose and finding.
    worst: list[dict[str, Any]]
    #: The pose in which most of any limit is used.
    worst_pose: int | None
    #: Jumps between two poses: dicts with pose, between, distance, cable, s, from and to.
    snaps: list[dict[str, Any]]
    #: All that is known of every pose, as `flexline sweep --json` tells it.
    poses: list[dict[str, Any]] = field(repr=False)
    _run: Any = field(repr=False)

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Which poses have an equilibrium."""
        return np.array([own == "converged" for own in self.status])

    @property
    def csv(self) -> str:
        """A line for every pose, separated by commas."""
        return self._run.csv

    def values(self, column: str) -> NDArray[np.float64]:
        """A column of the table, such as "hose.bend_radius", in SI: NaN where it is not known."""
        rows = list(csv.reader(io.StringIO(self.csv)))
        if column not in rows[0]:
            raise KeyError(f"no column is called {column!r}. There are {', '.join(rows[0])}")
        at = rows[0].index(column)
        return np.array([float(row[at]) if row[at] else np.nan for row in rows[1:]])

    def positions(self, cable: str | None = None) -> NDArray[np.float64]:
        """Positions of the nodes of a cable in every pose, m: shape (poses, nodes, 3), NaN without equilibrium."""
        return self._run.positions(cable)

    def worst_solution(self) -> Solution | None:
        """The solution of the worst pose."""
        return self._run.worst()

    def write_volume(self, path: str | os.PathLike[str]) -> None:
        """Writes the tubes of all poses as STL, in metres: their union is the volume that was swept."""
        with open(path, "wb") as file:
            file.write(self._run.volume())


def sweep(
    scene: Scene,
    *,
    poses: Poses | None = None,
    vary: Mapping[str, str | Sequence[float | str]] | None = None,
    motion: bool = False,
    steps: int = 50,
) -> Sweep:
    """Leads a scene through many poses, each equilibrium from the one before, with the rules of `check` at each.

    Say one of `poses` (a table or arrays of where things are), `vary` (parameters with both ends of their range, in SI or with
    units) and `motion` (what the scene moves in ``[[motion]]``). `steps` divides a range or a motion.
    """
    if sum([poses is not None, vary is not None, motion]) != 1:
        raise ValueError("say one of poses, vary and motion")
    if not 1 <= steps <= 1_000_000:
        raise ValueError(f"steps is {steps}: expected 1 to a million")
    run = _engine.sweep(
        scene,
        table=None if poses is None else _table(poses),
        motion=motion,
        vary=[_range(name, ends, steps) for name, ends in (vary or {}).items()],
        steps=steps,
    )
    told = run.told()
    heads, course = run.course
    rows = told["poses"]
    return Sweep(
        heads=heads,
        course=np.array(course, dtype=float).reshape(len(rows), len(heads)),
        status=[row["status"] or "refused" for row in rows],
        verdict=told["verdict"],
        worst=told["worst"],
        worst_pose=told["worst_pose"],
        snaps=[{"pose": row["pose"], **row["snap"]} for row in rows if row["snap"]],
        poses=rows,
        _run=run,
    )


@dataclass(frozen=True)
class Found:
    """What a search found."""

    #: The value of the parameter, in `unit`; None where the condition holds nowhere.
    at: float | None
    #: The unit of the parameter; None for SI.
    unit: str | None
    #: The quantity there, SI.
    value: float | None
    #: From where to where the condition holds at all values that were looked at.
    holds: list[list[float]]
    #: Where the answer changes: dicts with at, beside, value and kind ("crossing", "jump" or "no_equilibrium").
    boundaries: list[dict[str, Any]]
    #: Whether the quantity went one way, as far as it was looked at.
    monotone: bool
    #: The values of the scan.
    scan: list[dict[str, Any]] = field(repr=False)


def find(
    scene: Scene,
    vary: str,
    so_that: str,
    *,
    prefer: str = "least",
    over: Poses | None = None,
    over_motion: bool = False,
    steps: int = 24,
    tolerance: float = 1e-6,
) -> Found:
    """The value of a parameter at which a condition holds: the shortest length, the place of a clip.

    `vary` is a parameter, with a range as in ``"cable.length=300 mm..600 mm"`` or without; `so_that` a condition such as
    ``"bend_radius>=30mm"``. With `over` it is asked of the worst of these poses, with `over_motion` of what the scene moves.
    """
    if prefer not in ("least", "most"):
        raise ValueError(f"prefer is {prefer!r}: expected 'least' or 'most'")
    if over is not None and over_motion:
        raise ValueError("say one of over and over_motion")
    told = _engine.find(
        scene,
        vary,
        so_that,
        table=None if over is None else _table(over),
        motion=over_motion,
        steps=steps,
        tolerance=tolerance,
        most=prefer == "most",
    )
    found = told["found"]
    return Found(
        at=found["at"],
        unit=told["unit"],
        value=found["look"]["value"] if found["look"] else None,
        holds=found["holds"],
        boundaries=found["boundaries"],
        monotone=found["monotone"],
        scan=found["scan"],
    )

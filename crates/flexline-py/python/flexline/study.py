"""Studies: parameters that are spread, on this machine or on a cluster of Dask.

    import flexline.study
    result = flexline.study.run("study.toml", out="tolerance")
    result.summary["responses"][0]["quantiles"]

With ``client=dask.distributed.Client(...)`` the rows are computed by the workers of that cluster, in chunks that are tried
again where a worker is lost, and have the same bits. The folder `out` keeps what is done: the same call goes on there.
`result.write_parquet(folder)` (with pyarrow) writes partitioned Parquet; `arrays` makes Dask arrays that are computed when needed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._engine import Study

#: Rows of one task.
CHUNK = 64
#: Rows of one file of Parquet.
PART = 65536


@dataclass(frozen=True)
class Result:
    """What a study found: arrays with a row for every row of the study."""

    #: Names of the parameters, and their values in their units: shape (rows, parameters).
    parameters: list[str]
    values: np.ndarray
    #: Names of the responses, and their values in SI, NaN without an equilibrium: shape (rows, responses).
    responses: list[str]
    found: np.ndarray
    #: How each row ended.
    status: list[str]
    #: Quantiles, rates and sensitivities, as `flexline study` has them in summary.json.
    summary: dict[str, Any]

    def table(self) -> Any:
        """All rows as a `pyarrow.Table`: row, parameters in their units, status, responses in SI, null without an equilibrium."""
        import pyarrow

        columns = {"row": np.arange(len(self.status))}
        columns |= {name: self.values[:, k] for k, name in enumerate(self.parameters)}
        columns["status"] = pyarrow.array(self.status).dictionary_encode()
        for k, name in enumerate(self.responses):
            columns[name] = pyarrow.array(self.found[:, k], mask=np.isnan(self.found[:, k]))
        told = {key: str(self.summary[key]) for key in ("format", "scene", "seed")}
        return pyarrow.table(columns).replace_schema_metadata(told)

    def write_parquet(self, folder: str | os.PathLike[str], *, part: int = PART) -> list[str]:
        """Writes all rows as files of Parquet, `part` rows each, into a folder that holds nothing else; returns their names."""
        import pyarrow.parquet

        if part < 1:
            raise ValueError(f"part is {part}: expected 1 or more rows for a file")
        table = self.table()
        os.makedirs(folder, exist_ok=True)
        others = [own for own in os.listdir(folder) if not (own.startswith("part-") and own.endswith(".parquet"))]
        if others:
            raise ValueError(f"{os.fspath(folder)} holds {others[0]}: expected an empty folder, or one of an earlier table")
        names = [f"part-{k:05}.parquet" for k in range(-(-table.num_rows // part))]
        for k, name in enumerate(names):
            # A reader never sees half a file.
            half = os.path.join(folder, f"{name}.half")
            pyarrow.parquet.write_table(table.slice(k * part, part), half)
            os.replace(half, os.path.join(folder, name))
        for old in set(os.listdir(folder)) - set(names):
            os.remove(os.path.join(folder, old))
        return [os.path.join(folder, name) for name in names]


def _solve(study: Study, rows: list[int]) -> list:
    return study.solve(rows)


def run(
    path: str | os.PathLike | Study,
    *,
    out: str | os.PathLike,
    client: Any = None,
    anew: bool = False,
    chunk: int = CHUNK,
    retries: int = 10,
    progress: Callable[[int, int], None] | None = None,
) -> Result:
    """Runs a study into the folder `out`, or goes on there; returns a `Result`.

    `client` is a `dask.distributed.Client`; without it all cores of this machine work. `progress` is called with the number
    of rows that are done and the number of all. A scene that names meshes needs their folder on every worker.
    """
    if chunk < 1 or retries < 0:
        raise ValueError(f"chunk is {chunk} and retries is {retries}: expected 1 or more, and 0 or more")
    study = path if isinstance(path, Study) else Study.load(path)
    os.makedirs(out, exist_ok=True)
    kept = study.open(out, anew=anew)
    open_rows = kept.open_rows
    done = len(study) - len(open_rows)
    pieces = [open_rows[k : k + chunk] for k in range(0, len(open_rows), chunk)]
    for rows, found in _here(study, pieces) if client is None else _on(client, study, pieces, retries):
        kept.keep(rows, found)
        done += len(rows)
        if progress is not None:
            progress(done, len(study))
    summary, table = study.told(kept)
    with open(os.path.join(out, "results.csv"), "w", encoding="utf-8", newline="") as file:
        file.write(table)
    with open(os.path.join(out, "summary.json"), "w", encoding="utf-8") as file:
        file.write(summary + "\n")
    # `told` has refused what is not done.
    rows = [row for row in kept.rows() if row is not None]
    none = float("nan")
    found = [[none if own is None else own for own in values] for _, values in rows]
    return Result(
        parameters=study.parameters,
        values=np.array([study.values(row) for row in range(len(study))]),
        responses=study.responses,
        found=np.array(found, dtype=float),
        status=[status for status, _ in rows],
        summary=json.loads(summary),
    )


def arrays(path: str | os.PathLike[str] | Study, *, chunk: int = CHUNK) -> tuple[Any, Any]:
    """A study as two Dask arrays, which a cluster computes when it is asked to: parameters in their units, shape (rows,
    parameters), and responses in SI, NaN without an equilibrium, shape (rows, responses). Nothing is kept in a folder."""
    import dask
    import dask.array

    if chunk < 1:
        raise ValueError(f"chunk is {chunk}: expected 1 or more")
    study = path if isinstance(path, Study) else Study.load(path)
    one = dask.delayed(study)

    def blocks(of, width):
        starts = range(0, len(study), chunk)
        rows = [list(range(k, min(k + chunk, len(study)))) for k in starts]
        made = [dask.array.from_delayed(dask.delayed(of)(one, own), (len(own), width), dtype=float) for own in rows]
        return dask.array.concatenate(made)

    return blocks(_values, len(study.parameters)), blocks(_found, len(study.responses))


def _values(study: Study, rows: list[int]) -> np.ndarray:
    return np.array([study.values(row) for row in rows])


def _found(study: Study, rows: list[int]) -> np.ndarray:
    none = float("nan")
    return np.array([[none if own is None else own for own in values] for _, values in study.solve(rows)])


def _here(study, pieces):
    for rows in pieces:
        yield rows, study.solve(rows)


def _on(client, study, pieces, retries):
    """The pieces as the cluster ends them. A lost worker costs a piece one of its retries; what was kept stays kept."""
    from dask.distributed import as_completed

    scattered = client.scatter(study, broadcast=True)
    futures = {
        client.submit(_solve, scattered, rows, retries=retries, pure=False): rows for rows in pieces
    }
    for future in as_completed(list(futures)):
        yield futures[future], future.result()
        future.release()

"""Studies: parameters that are spread, on this machine or on a cluster of Dask.

    import flexline.study
    result = flexline.study.run("study.toml", out="tolerance")
    result.summary["responses"][0]["quantiles"]

With ``client=dask.distributed.Client(...)`` the rows are computed by the workers of that cluster, in chunks that are tried
again where a worker is lost, and have the same bits. The folder `out` keeps what is done: the same call goes on there.
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
    summary: dict


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
    rows = kept.rows()
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

"""STEP and IGES out: OpenCASCADE must find valid, closed solids of the volume and curves of the length that they should have."""

import math

from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepGProp import BRepGProp
from OCP.GCPnts import GCPnts_AbscissaPoint
from OCP.GProp import GProp_GProps
from OCP.IGESControl import IGESControl_Reader
from OCP.STEPControl import STEPControl_Reader
from OCP.TopAbs import TopAbs_EDGE, TopAbs_SHELL, TopAbs_SOLID
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS

CURVES = [("brake-hose.toml", "hose.step"), ("brake-hose.toml", "hose.igs"), ("door-harness.toml", "door.step")]


def judge(bench):
    for scene, name in CURVES:
        path = bench.path(name)
        said = bench.answer("export", bench.scene(scene), "--to", path)
        shape = read(path)
        bench.holds(f"{name}: valid", BRepCheck_Analyzer(shape).IsValid())
        edges = [BRepAdaptor_Curve(TopoDS.Edge_s(edge)) for edge in each(shape, TopAbs_EDGE)]
        bench.equal(f"{name}: curves", len(edges), len(said["curves"]))
        # Of a harness the order of products need not be that of cables.
        lengths = sorted(1e-3 * GCPnts_AbscissaPoint.Length_s(edge, 1e-12) for edge in edges)
        wanted = sorted(curve["cable_length"] for curve in said["curves"])
        off = max(abs(a / b - 1) for a, b in zip(lengths, wanted))
        bench.below(f"{name}: length against that of the cable", off, 1e-6)
    path = bench.path("tube.step")
    said = bench.answer("export", bench.scene("brake-hose.toml"), "--to", path, "--solid")
    shape = read(path)
    solids = list(each(shape, TopAbs_SOLID))
    bench.holds("tube.step: valid", BRepCheck_Analyzer(shape).IsValid())
    bench.equal("tube.step: solids", len(solids), 1)
    closed = [BRep_Tool.IsClosed_s(shell) for solid in solids for shell in each(solid, TopAbs_SHELL)]
    bench.holds("tube.step: closed", closed and all(closed))
    # The radius is what the table of the same cable says; the volume is that of Pappus.
    table = bench.path("tube.csv")
    bench.flexline("export", bench.scene("brake-hose.toml"), "--to", table)
    lines = table.read_text().splitlines()
    columns = [word.split()[0].split("_")[0] for word in lines[0].split(",")]
    radius = max(float(line.split(",")[columns.index("radius")]) for line in lines[1:])
    wanted = math.pi * radius**2 * said["curves"][0]["cable_length"] * 1e9
    found = GProp_GProps()
    # The adaptive integral: the plain one is a thousandth off on any bent tube.
    BRepGProp.VolumeProperties_s(solids[0], found, 1e-6, False, False)
    bench.below("tube.step: volume against pi r^2 L", abs(found.Mass() / wanted - 1), 5e-5)
    bench.below("tube.step: bytes", path.stat().st_size, 100e3)


def read(path):
    reader = IGESControl_Reader() if path.suffix == ".igs" else STEPControl_Reader()
    reader.ReadFile(str(path))
    reader.TransferRoots()
    return reader.OneShape()


def each(shape, kind):
    explorer = TopExp_Explorer(shape, kind)
    while explorer.More():
        yield explorer.Current()
        explorer.Next()

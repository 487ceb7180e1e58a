"""STEP and IGES out: OpenCASCADE must find valid, closed solids of the volume and curves of the length that they should have. STEP in:
the centrelines of pipes and curves that it wrote."""

import math

from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge, BRepBuilderAPI_MakeFace, BRepBuilderAPI_MakeWire
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepGProp import BRepGProp
from OCP.BRepOffsetAPI import BRepOffsetAPI_MakePipe
from OCP.gp import gp_Ax2, gp_Circ, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
from OCP.GC import GC_MakeArcOfCircle
from OCP.GCPnts import GCPnts_AbscissaPoint
from OCP.GeomAPI import GeomAPI_PointsToBSpline
from OCP.GProp import GProp_GProps
from OCP.IGESControl import IGESControl_Reader
from OCP.Interface import Interface_Static
from OCP.STEPControl import STEPControl_AsIs, STEPControl_Reader, STEPControl_Writer
from OCP.TColgp import TColgp_Array1OfPnt
from OCP.TopAbs import TopAbs_EDGE, TopAbs_SHELL, TopAbs_SOLID
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Compound

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
    judge_in(bench)


def judge_in(bench):
    """Pipes of OpenCASCADE: a bend between two straight stretches, with and without a bore, in inches, twice in an assembly; one along a spline."""
    corner, half = 30.0, 30.0 * math.sqrt(0.5)
    places = [gp_Pnt(0, 0, 0), gp_Pnt(100, 0, 0), gp_Pnt(100 + half, corner - half, 0), gp_Pnt(130, 30, 0), gp_Pnt(130, 80, 0)]
    wire = BRepBuilderAPI_MakeWire()
    wire.Add(BRepBuilderAPI_MakeEdge(places[0], places[1]).Edge())
    wire.Add(BRepBuilderAPI_MakeEdge(GC_MakeArcOfCircle(*places[1:4]).Value()).Edge())
    wire.Add(BRepBuilderAPI_MakeEdge(places[3], places[4]).Edge())
    wire = wire.Wire()
    length = 150 + corner * math.pi / 2
    solid, bore = (pipe(wire, radius, gp_Dir(1, 0, 0), places[0]) for radius in (8, 6))
    hollow = BRepAlgoAPI_Cut(solid, bore).Shape()
    shifted = gp_Trsf()
    shifted.SetTranslation(gp_Vec(0, 0, 500))
    both, builder = TopoDS_Compound(), BRep_Builder()
    builder.MakeCompound(both)
    builder.Add(both, solid)
    builder.Add(both, solid.Moved(TopLoc_Location(shifted)))
    points = TColgp_Array1OfPnt(1, 21)
    for i in range(21):
        points.SetValue(i + 1, gp_Pnt(15 * i, 40 * math.sin(i / 5), 30 * math.cos(3 * i / 20)))
    spline = GeomAPI_PointsToBSpline(points).Curve()
    edge = BRepBuilderAPI_MakeEdge(spline).Edge()
    along = GCPnts_AbscissaPoint.Length_s(BRepAdaptor_Curve(edge), 1e-12)
    start, ahead = gp_Pnt(), gp_Vec()
    spline.D1(spline.FirstParameter(), start, ahead)
    swept = pipe(BRepBuilderAPI_MakeWire(edge).Wire(), 5, gp_Dir(ahead), start)
    # Name, shape, unit, number of cables, length, radius and bore, share that the length may be off: a swept face is an approximation.
    for name, shape, unit, cables, wanted, radius, inner, bar in [
        ("pipe", solid, "MM", 1, length, 8, None, 1e-9),
        ("hollow", hollow, "MM", 1, length, 8, 6, 1e-9),
        ("inches", hollow, "INCH", 1, length, 8, 6, 1e-9),
        ("assembly", both, "MM", 2, length, 8, None, 1e-9),
        ("wire", wire, "MM", 1, length, None, None, 1e-9),
        ("edge", edge, "MM", 1, along, None, None, 1e-9),
        ("swept", swept, "MM", 1, along, 5, None, 1e-5),
    ]:
        path = bench.path(f"{name}-in.step")
        Interface_Static.SetCVal_s("write.step.unit", unit)
        writer = STEPControl_Writer()
        writer.Transfer(shape, STEPControl_AsIs)
        writer.Write(str(path))
        said = bench.answer("import", path, "--as", "centreline")
        bench.equal(f"{name} in: cables", len(said["edges"]), cables)
        off = max(abs(1e3 * own["length"] / wanted - 1) for own in said["edges"])
        bench.below(f"{name} in: length", off, bar)
        if radius:
            off = max(abs(1e3 * own["radius"][0] / radius - 1) for own in said["edges"])
            bench.below(f"{name} in: radius", off, 1e-5)
        bores = [own["inner_radius"] and round(1e3 * own["inner_radius"], 6) for own in said["edges"]]
        bench.equal(f"{name} in: bore", bores, [inner] * cables)
    Interface_Static.SetCVal_s("write.step.unit", "MM")


def pipe(wire, radius, along, at):
    circle = BRepBuilderAPI_MakeEdge(gp_Circ(gp_Ax2(at, along), radius)).Edge()
    disc = BRepBuilderAPI_MakeFace(BRepBuilderAPI_MakeWire(circle).Wire()).Face()
    return BRepOffsetAPI_MakePipe(wire, disc).Shape()


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

"""Harness data: lxml says what changed in a KBL file, NumPy where its curves go; ezdxf, shapely and pypdf look at the form board."""

import csv
import math
import os
import pathlib
import re

import ezdxf
import numpy as np
from lxml import etree
from pypdf import PdfReader
from shapely.geometry import LineString


def judge(bench):
    door, scene = bench.scene("exchange/door.kbl"), bench.path("door.toml")
    bench.flexline("import", door, "--to", scene)
    same = bench.path("same.kbl")
    bench.flexline("export", scene, "--to", same)
    bench.holds("unchanged: the same bytes", same.read_bytes() == door.read_bytes())
    other = bench.path("door-2.toml")
    bench.flexline("edit", scene, "--script", bench.scene("exchange/door-work.jsonl"), "-o", other)
    for dialect in ("clamped", "vobes"):
        changed(bench, door, other, dialect)
    reserve(bench, door, other)
    schemas(bench, [same, *(bench.path(f"{name}.kbl") for name in ("clamped", "vobes", "reserve"))])
    board(bench, scene)
    # A harness that no KBL file knows, with more branches.
    board(bench, bench.scene("door-harness.toml"))


def schemas(bench, files):
    """The schemas of KBL are those of prostep ivip and not in the repository: KBL_SCHEMAS names a folder with them."""
    folder = os.environ.get("KBL_SCHEMAS")
    found = sorted(pathlib.Path(folder).glob("kbl*.xsd")) if folder else []
    if not found:
        bench.skip("schemas", "KBL_SCHEMAS names no folder with kbl*.xsd")
    for path in found:
        schema = etree.XMLSchema(etree.parse(str(path)))
        wrong = [f"{file.name}: {schema.error_log[0]}" for file in files if not schema.validate(tree(file))]
        bench.equal(f"{path.name}: {len(files)} files that are not valid", wrong, [])


def tree(path):
    return etree.parse(str(path), etree.XMLParser(resolve_entities=False, no_network=True)).getroot()


def by_id(root):
    return {own.get("id"): own for own in root.iter() if isinstance(own.tag, str) and own.get("id")}


def flat(element):
    return [(own.tag, (own.text or "").strip()) for own in element.iter()]


def changed(bench, door, scene, dialect):
    path = bench.path(f"{dialect}.kbl")
    bench.flexline("export", scene, "--to", path, "--kbl-dialect", dialect)
    old, new = by_id(tree(door)), by_id(tree(path))
    bench.equal(f"{dialect}: ids that are gone", sorted(set(old) - set(new)), [])
    kinds = {old[k].tag for k in set(old) & set(new) if flat(old[k]) != flat(new[k])}
    kinds |= {new[k].tag for k in set(new) - set(old)}
    allowed = {"Cartesian_point", "Center_curve", "Segment", "Virtual_length", "General_wire_occurrence", "Core_occurrence",
               "Length_information", "Length_value", "Fixing_assignment", "Harness"}
    bench.equal(f"{dialect}: other kinds that changed", sorted(k for k in kinds - allowed if "KBL_container" not in k), [])
    number = lambda element, name: float(element.findtext(f"{name}/Value_component"))
    segments = {k: own for k, own in new.items() if own.tag == "Segment"}
    miss, off = 0.0, 0.0
    for key, own in segments.items():
        line = [curve(new, each, dialect if flat(own) != flat(old[key]) or moved(old, new, own) else "clamped") for each in own.findall("Center_curve")]
        ends = [point(new, new[own.findtext(name)].findtext("Cartesian_point")) for name in ("Start_node", "End_node")]
        miss = max(miss, np.linalg.norm(line[0][0] - ends[0]), np.linalg.norm(line[-1][-1] - ends[1]))
        miss = max([miss] + [np.linalg.norm(a[-1] - b[0]) for a, b in zip(line, line[1:])])
        length = sum(np.linalg.norm(np.diff(each, axis=0), axis=1).sum() for each in line)
        off = max(off, abs(length - number(own, "Virtual_length")))
    bench.below(f"{dialect}: curves miss nodes and each other by mm", miss, 1e-6)
    bench.below(f"{dialect}: curves against Virtual_length, mm", off, 0.05)
    # Wires are as long as their segments, but for those of the source that are not.
    more = {k: number(own, "Virtual_length") - number(old[k], "Virtual_length") for k, own in segments.items()}
    worst = 0.0
    for routing in (own for own in new.values() if own.tag == "Routing"):
        wire = new[routing.findtext("Routed_wire")].findtext("Wire")
        longer = dmu(new[wire]) - dmu(old[wire])
        worst = max(worst, abs(longer - sum(more[k] for k in routing.findtext("Segments").split())))
    bench.below(f"{dialect}: wires against their segments, mm", worst, 0.001)


def moved(old, new, segment):
    """Whether a point of its curves is elsewhere."""
    ids = [k for own in segment.findall("Center_curve") for k in own.findtext("Control_points").split()]
    return any(k not in old or flat(old[k]) != flat(new[k]) for k in ids)


def dmu(wire):
    own = [each for each in wire.findall("Length_information") if each.findtext("Length_type") == "DMU"][0]
    return float(own.findtext("Length_value/Value_component"))


def point(ids, key):
    return np.array([float(own.text) for own in ids[key].findall("Coordinates")])


def curve(ids, element, dialect):
    """Points of a B-spline by Cox and de Boor, from the definition."""
    degree = int(element.findtext("Degree"))
    points = np.array([point(ids, k) for k in element.findtext("Control_points").split()])
    n = len(points)
    knots = np.arange(n + degree + 1.0) if dialect == "vobes" else np.clip(np.arange(n + degree + 1.0), degree, n)

    def basis(i, p, u):
        if p == 0:
            return float(knots[i] <= u < knots[i + 1])
        a, b = knots[i + p] - knots[i], knots[i + p + 1] - knots[i + 1]
        left = (u - knots[i]) / a * basis(i, p - 1, u) if a > 0 else 0.0
        right = (knots[i + p + 1] - u) / b * basis(i + 1, p - 1, u) if b > 0 else 0.0
        return left + right

    # The last place a hair before the end, where the definition still holds.
    at = np.linspace(knots[degree], knots[n], 200)
    at[-1] = np.nextafter(at[-1], 0)
    return np.array([sum(basis(i, degree, u) * points[i] for i in range(n)) for u in at])


def reserve(bench, door, scene):
    path, table = bench.path("reserve.kbl"), bench.path("cuts.csv")
    rule = ["--reserve", "3 %", "--per-end", "20 mm", "--round", "5 mm"]
    bench.flexline("export", scene, "--to", path, *rule)
    bench.flexline("export", scene, "--to", table, "--cut-list", *rule)
    new = by_id(tree(path))
    rows = {row["signal"]: row for row in csv.DictReader(table.open(newline="")) if row["kind"] == "wire"}
    bench.equal("cut list: wires", len(rows), sum(own.tag == "Connection" for own in new.values()))
    worst = 0.0
    for own in (own for own in new.values() if own.tag == "Connection"):
        row, wire = rows[own.findtext("Signal_name")], new[own.findtext("Wire")]
        cut = [each for each in wire.findall("Length_information") if each.findtext("Length_type") == "Flexline"][0]
        length = dmu(wire)
        wanted = math.ceil((length * 1.03 + 40) / 5 - 1e-9) * 5
        worst = max(worst, abs(float(cut.findtext("Length_value/Value_component")) - wanted), abs(float(row["cut to mm"]) - wanted))
        worst = max(worst, abs(float(row["length mm"]) - length) - 0.05)
    bench.below("lengths with reserve in KBL and in the list, mm", worst, 0.001)


def board(bench, scene):
    name = scene.stem
    said = bench.answer("export", scene, "--to", bench.path(f"{name}.dxf"))
    wanted = {own["name"]: own["length_mm"] for own in said["segments"]}
    drawing = ezdxf.readfile(bench.path(f"{name}.dxf"))
    bench.equal(f"{name}.dxf: what ezdxf finds wrong", [str(each.message) for each in drawing.audit().errors], [])
    bench.equal(f"{name}.dxf: millimetres", drawing.header.get("$INSUNITS"), 4)
    lines = [LineString([p[:2] for p in own.get_points()]) for own in drawing.modelspace() if own.dxf.layer == "SEGMENTS"]
    found = sorted(line.length for line in lines)
    bench.equal(f"{name}.dxf: segments", len(found), len(wanted))
    bench.below(f"{name}.dxf: lengths, mm", max(abs(a - b) for a, b in zip(found, sorted(wanted.values()))), 0.1)
    crossing = sum(a.crosses(b) or a.overlaps(b) for i, a in enumerate(lines) for b in lines[:i])
    bench.equal(f"{name}.dxf: segments across each other", crossing, 0)
    svg = bench.path(f"{name}.svg")
    bench.flexline("export", scene, "--to", svg)
    root = tree(svg)
    box = [float(word) for word in root.get("viewBox").split()]
    bench.equal(f"{name}.svg: a unit is a millimetre", [root.get("width"), root.get("height")], [f"{box[2]:g}mm", f"{box[3]:g}mm"])
    space = "{http://www.w3.org/2000/svg}"
    layer = root.find(f"{space}g[@id='SEGMENTS']")
    off = 0.0
    for own in layer.findall(f"{space}polyline"):
        p = np.array([[float(x) for x in pair.split(",")] for pair in own.get("points").split()])
        off = max(off, abs(np.linalg.norm(np.diff(p, axis=0), axis=1).sum() - wanted[own.get("data-name")]))
    bench.below(f"{name}.svg: lengths by name, mm", off, 0.1)
    for paper, size in (("a4", (297, 210)), ("a3", (420, 297)), ("one", (box[2], box[3]))):
        path = bench.path(f"{name}-{paper}.pdf")
        pages = bench.answer("export", scene, "--to", path, "--paper", paper)["pages"]
        reader = PdfReader(path)
        bench.equal(f"{path.name}: pages", len(reader.pages), pages[0] * pages[1])
        off = max(abs(float(page.mediabox[2 + k]) * 25.4 / 72 - size[k]) for page in reader.pages for k in (0, 1))
        bench.below(f"{path.name}: size of pages, mm", off, 0.01)
    # The scale on the last sheet, in the units of the page.
    content = reader.pages[0]["/Resources"]["/XObject"]["/D"].get_data().decode("latin-1")
    scale = re.search(r"20\.0000 14\.0000 m 120\.0000 14\.0000 l S", content)
    matrix = re.match(r"([\d.]+) 0 0 ([\d.]+) 0 0 cm", reader.pages[0].get_contents().get_data().decode("latin-1"))
    bench.holds(f"{name}: the scale is 100 mm", scale and abs(100 * float(matrix[1]) * 25.4 / 72 - 100) < 1e-3)

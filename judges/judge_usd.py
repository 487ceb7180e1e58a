"""USD out: usd-core opens it and finds curves, samples, units, and the deformables as the proposal names them."""

import numpy as np
from pxr import Usd, UsdGeom, UsdShade

import judge_gltf


def judge(bench):
    playback(bench)
    motion(bench)
    physics(bench, "brake-hose.toml", 1)
    physics(bench, "y-branch.toml", 3)


def opened(bench, name, path):
    stage = Usd.Stage.Open(str(path))
    bench.equal(f"{name}: metres", UsdGeom.GetStageMetersPerUnit(stage), 1.0)
    bench.equal(f"{name}: z is up", str(UsdGeom.GetStageUpAxis(stage)), "Z")
    bench.holds(f"{name}: default prim", stage.GetDefaultPrim().IsValid())
    return stage


def table(bench, scene, path, *more):
    bench.flexline("export", scene, "--to", path, *more)
    lines = [line.split(",") for line in path.read_text().splitlines()]
    return np.array([[float(x) for x in line[1:5]] for line in lines[1:]])


def playback(bench):
    scene, path = bench.scene("brake-hose.toml"), bench.path("hose.usda")
    bench.flexline("export", scene, "--to", path, "--colour", "curvature")
    stage = opened(bench, "hose.usda", path)
    curves = [UsdGeom.BasisCurves(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.BasisCurves)]
    bench.equal("hose.usda: curves", len(curves), 1)
    own = curves[0]
    kind = (own.GetTypeAttr().Get(), own.GetBasisAttr().Get(), own.GetWrapAttr().Get())
    bench.equal("hose.usda: kind of curve", kind, ("cubic", "catmullRom", "pinned"))
    rows = table(bench, scene, bench.path("hose.csv"), "--segments", 100)
    points = np.array(own.GetPointsAttr().Get())
    bench.below("hose.usda: points off the nodes, m", np.abs(points - rows[:, :3]).max(), 1e-7)
    bench.below("hose.usda: widths off twice the radius, m", np.abs(np.array(own.GetWidthsAttr().Get()) - 2 * rows[:, 3]).max(), 1e-8)
    bench.equal("hose.usda: widths", str(own.GetWidthsInterpolation()), "vertex")
    extent = np.array(own.GetExtentAttr().Get())
    around = np.array(UsdGeom.BasisCurves.ComputeExtent(own.GetPointsAttr().Get(), own.GetWidthsAttr().Get()))
    bench.below("hose.usda: extent, m", np.abs(extent - around).max(), 1e-6)


def motion(bench):
    scene, run, path = bench.path("whip.toml"), bench.path("whip.run"), bench.path("whip.usda")
    scene.write_text(bench.scene("brake-hose.toml").read_text().replace("segments = 100", "segments = 49"))
    judge_gltf.write_run(run, "brake hose", 50, 60)
    bench.flexline("export", scene, "--at", run, "--to", path)
    stage = opened(bench, "whip.usda", path)
    own = next(UsdGeom.BasisCurves(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.BasisCurves))
    times = own.GetPointsAttr().GetTimeSamples()
    bench.equal("whip.usda: samples", len(times), 60)
    bench.equal("whip.usda: samples of the extent", len(own.GetExtentAttr().GetTimeSamples()), 60)
    bench.below("whip.usda: last time, s off", abs(stage.GetEndTimeCode() / stage.GetTimeCodesPerSecond() - 59 / 30), 1e-6)
    x = np.linspace(0, 0.38, 50)
    wanted = 0.02 * np.sin(7 * x + 0.1 * 30)
    found = np.array(own.GetPointsAttr().Get(times[30]))[:, 2]
    bench.below("whip.usda: the thirtieth frame, m off", np.abs(found - wanted).max(), 1e-6)


def physics(bench, name, count):
    scene, path = bench.scene(name), bench.path(name.replace(".toml", ".usda"))
    said = bench.answer("export", scene, "--to", path, "--physics")
    stage = opened(bench, path.name, path)
    schemas = lambda prim: set(prim.GetMetadata("apiSchemas").GetAddedOrExplicitItems()) if prim.HasMetadata("apiSchemas") else set()
    curves = [prim for prim in stage.Traverse() if "PhysicsCurvesDeformableSimAPI" in schemas(prim)]
    bench.equal(f"{path.name}: deformables", len(curves), count)
    for prim in curves:
        own = UsdGeom.BasisCurves(prim)
        bench.holds(f"{prim.GetPath()}: linear and open", own.GetTypeAttr().Get() == "linear" and own.GetWrapAttr().Get() == "nonperiodic")
        bench.holds(f"{prim.GetPath()}: body above, collision and binding", "PhysicsDeformableBodyAPI" in schemas(prim.GetParent()) and {"PhysicsCollisionAPI", "MaterialBindingAPI"} <= schemas(prim))
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        bound = material.GetPrim()
        value = lambda key: bound.GetAttribute(f"physics:{key}").Get()
        keys = ["curvesThickness", "curvesStretchStiffness", "curvesShearStiffness", "curvesBendStiffness", "curvesTwistStiffness", "density"]
        bench.holds(f"{prim.GetPath()}: every stiffness above 0", "PhysicsCurvesDeformableMaterialAPI" in schemas(bound) and all((value(key) or 0) > 0 for key in keys))
        # E = 4K/(pi r^4): stretch and bend must be of one disc.
        r = value("curvesThickness") / 2
        bench.below(f"{prim.GetPath()}: EA and EI of one disc", abs(value("curvesStretchStiffness") * r**2 / 4 / value("curvesBendStiffness") - 1), 1e-5)
        rest = np.array(prim.GetAttribute("physics:restShapePoints").Get())
        points = np.array(own.GetPointsAttr().Get())
        length = lambda p: np.linalg.norm(np.diff(p, axis=0), axis=1).sum()
        bench.below(f"{prim.GetPath()}: rest shape is as long", abs(length(rest) / length(points) - 1), 1e-3)
    ties = [prim for prim in stage.Traverse() if prim.GetTypeName() == "PhysicsAttachment"]
    bench.equal(f"{path.name}: attachments", len(ties), said["attachments"])
    apart = 0.0
    for prim in ties:
        at = []
        for side in "01":
            if prim.GetAttribute(f"physics:type{side}").Get() == "xform":
                at.append(np.array(prim.GetAttribute(f"physics:coords{side}").Get()[0]))
            else:
                curve = stage.GetPrimAtPath(prim.GetRelationship(f"physics:src{side}").GetTargets()[0])
                at.append(np.array(UsdGeom.BasisCurves(curve).GetPointsAttr().Get())[prim.GetAttribute(f"physics:indices{side}").Get()[0]])
        apart = max(apart, np.linalg.norm(at[0] - at[1]))
    bench.below(f"{path.name}: attached points apart, m", apart, 1e-6)
    bench.holds(f"{path.name}: says what does not survive", any("rest" in note for note in said["notes"]))

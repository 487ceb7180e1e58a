"""MJCF out: MuJoCo 3 and 4 load the chain and come to rest where Flexline does."""

import mujoco

CANTILEVER = """version = 1
[cable]
name = "rod"
length = "1 m"
measured = { bend = "0.08 N m^2", twist = "0.06 N m^2", mass_per_length = "0.1 kg/m", diameter = "10 mm" }
[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0]
[end]
hold = "free"
"""

# Bent and twisted in space, with a bent and twisted rest shape: the order of hinges would show.
SPATIAL = """version = 1
[cable]
name = "rod"
length = "0.6 m"
measured = { bend1 = "0.02 N m^2", bend2 = "0.03 N m^2", twist = "0.015 N m^2", mass_per_length = "0.1 kg/m", diameter = "8 mm" }
[cable.rest]
curvature = [2, 1]
twist = 4
[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0.3]
[end]
hold = "clamped"
position = [0.3, 0.15, -0.1]
tangent = [0.3, 1, 0.2]
twist = "200 deg"
"""

# Scenes of every kind of joint: name, segments.
SCENES = [
    ("brake-hose.toml", 40),
    ("cantilever.toml", 40),
    ("clips.toml", 100),
    ("harness-branch.toml", 40),
    ("control-unit.toml", 40),
    ("ring.toml", 80),
    ("twisted-cable.toml", 80),
]


def judge(bench):
    bench.equal("the newer MuJoCo is 4", mujoco.__version__.split(".")[0], "4")
    # What is bent and twisted through two right angles each in so short a way meets the same bar in 80.
    for name, text, finest in [("cantilever", CANTILEVER, 1), ("spatial", SPATIAL, 2)]:
        scene = bench.path(f"{name}.toml")
        scene.write_text(text)
        errors = []
        for segments in (20, 40, 80):
            path = bench.path(f"{name}-{segments}.xml")
            bench.flexline("export", scene, "--to", path, "--segments", segments)
            found = parity(bench, f"{name} in {segments}", path, own=segments == 40)
            errors.append(found["off"])
        bench.below(f"{name}: nodes in {[20, 40, 80][finest]} segments, share of the length", errors[finest], 5e-4)
        for coarse, fine in zip(errors, errors[1:]):
            # Second order: 4, but for what the finer solution itself is off by.
            bench.holds(f"{name}: falls by 4 when segments double", 3.0 < coarse / fine < 5.5, f"{coarse / fine:.2f}")
    for name, segments in SCENES:
        path = bench.path(name.replace(".toml", ".xml"))
        bench.flexline("export", bench.scene(name), "--to", path, "--segments", segments)
        found = parity(bench, name, path, own=True)
        bench.below(f"{name}: nodes, share of the length", found["off"], 5e-4)
    # Stepping must stay where it begins: damping, armature and equalities as they are written.
    path = bench.path("bar.xml")
    bench.flexline("export", bench.scene("hose-over-a-bar.toml"), "--to", path)
    for old in (False, True):
        found = bench.python("parity.py", path, "--contact", "--steps", 1000, mujoco3=old)
        version = found["mujoco"].split(".")[0]
        bench.below(f"over a bar: after a second of steps with contact, MuJoCo {version}", found["off_after_steps"], 5e-3)


def parity(bench, name, path, own):
    """What both find; they must find the same."""
    new = bench.python("parity.py", path)
    old = bench.python("parity.py", path, mujoco3=True) if own else new
    bench.below(f"{name}: unbalanced after Newton's method", max(new["residual"], old["residual"]), 1e-8)
    bench.below(f"{name}: MuJoCo 3 and 4 apart", abs(new["off"] - old["off"]), 1e-6)
    if own:
        for found in (old, new):
            version = found["mujoco"].split(".")[0]
            bench.below(f"{name}: reactions off, MuJoCo {version}", found["reactions_off"] or 0.0, 5e-3)
    return new

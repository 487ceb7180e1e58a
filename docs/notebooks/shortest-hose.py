# %% [markdown]
# # The shortest hose over the motion of an engine
#
# A coolant hose joins a radiator, which is fixed, and an engine on soft mounts, which rocks about its crankshaft and shakes. The hose must
# keep its bend radius in every position of the engine, and every millimetre of it costs. How short may it be?

# %%
import flexline
import numpy as np

scene = flexline.Scene.from_dict({
    "title": "A hose between radiator and engine",
    "port": [
        {"name": "radiator", "position": [0, 0, 0], "tangent": [1, 0, 0]},
        {"name": "engine", "position": ["250 mm", "60 mm", "180 mm"], "tangent": [0, 0, 1]},
    ],
    "cable": [{
        "name": "hose", "length": "360 mm", "part": "brake-hose", "use": "dynamic", "from": "radiator", "to": "engine", "segments": 50,
    }],
})
LIMIT = 0.070

# %% [markdown]
# The engine turns by 6° either way about the x axis through its crankshaft, 300 mm below the port, while it moves up and down by 8 mm.

# %%
turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
angle = np.radians(6) * np.sin(turn)
port = np.array([0.25, 0.06, 0.18])
crankshaft = port - [0, 0, 0.3]
arm = port - crankshaft
cos, sin = np.cos(angle), np.sin(angle)
positions = crankshaft + np.stack([
    np.full_like(angle, arm[0]),
    arm[1] * cos - arm[2] * sin,
    arm[1] * sin + arm[2] * cos + 8e-3 * np.sin(3 * turn),
], axis=1)

# %% [markdown]
# Ends of the range are lengths that are surely too short and surely long enough. Each length that is looked at is led through all 24
# positions; what counts is its tightest bend in any of them.

# %%
found = flexline.find(
    scene, "hose.length=320 mm..480 mm", f"bend_radius>={LIMIT} m", over={"engine": positions}, steps=16, tolerance=1e-3
)
print(f"shortest hose: {found.at:.1f} mm, tightest bend {1e3 * found.value:.2f} mm")
for low, high in found.holds:
    print(f"it holds from {low:.1f} to {high:.1f} mm")
assert found.at is not None

# %% [markdown]
# That length holds in every position, and one millimetre less does not.


# %%
def tightest(length, positions=positions):
    swept = flexline.sweep(scene.with_values({"hose.length": f"{length} mm"}), poses={"engine": positions})
    assert swept.converged.all(), swept.status
    return swept.values("hose.bend_radius").min()


at_rest = tightest(found.at, port[None])
print(f"at rest the same hose would have {1e3 * at_rest:.1f} mm: the motion takes {1e3 * (at_rest - tightest(found.at)):.1f} mm of it")
assert tightest(found.at) >= LIMIT - 1e-9
assert tightest(found.at - 1.0) < LIMIT

# %% [markdown]
# # A robot's dress pack
#
# A hose runs from a bracket on the arm of a robot to its flange. The flange goes once round an ellipse while the wrist turns and tilts:
# 200 poses. Does the hose keep its bend radius at every one of them, where is it worst, and does it ever snap?

# %%
import flexline
import numpy as np

scene = flexline.Scene.from_dict({
    "title": "Dress pack of a robot",
    "port": [
        {"name": "arm", "position": [0, 0, 0], "tangent": [1, 0, 0.5]},
        {"name": "tool", "position": ["600 mm", 0, 0], "tangent": [1, 0, 0], "up": [0, 0, -1]},
    ],
    "cable": [{
        "name": "hose", "length": "900 mm", "part": "brake-hose", "use": "dynamic", "from": "arm", "to": "tool", "segments": 60,
    }],
})

# %% [markdown]
# The way of the flange as arrays: positions and quaternions w, x, y, z, from its own axes to the world. In the first pose its z axis, along
# which the hose leaves, is the x axis of the world.


# %%
def product(a, b):
    """Of quaternions w, x, y, z, row by row."""
    (aw, ax, ay, az), (bw, bx, by, bz) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ], axis=-1)


def about(axis, angle):
    return np.stack([np.cos(angle / 2), *(k * np.sin(angle / 2) for k in axis)], axis=-1)


turn = np.linspace(0, 2 * np.pi, 200)
positions = np.stack([0.5 + 0.1 * np.cos(turn), 0.25 * np.sin(turn), 0.05 * np.sin(2 * turn)], axis=1)
first = np.sqrt([0.5, 0, 0.5, 0])
wrist = about([0, 0, 1], np.radians(70) * np.sin(turn))
tilt = about([0, 1, 0], np.radians(25) * np.sin(2 * turn))
quaternions = product(product(wrist, tilt), np.broadcast_to(first, (200, 4)))

# %%
swept = flexline.sweep(scene, poses={"tool": np.hstack([positions, quaternions])})
radius = swept.values("hose.bend_radius")
print(f"{swept.converged.sum()} of {len(radius)} poses have an equilibrium; verdict {swept.verdict}, {len(swept.snaps)} snaps")
print(f"tightest bend {1e3 * radius.min():.1f} mm in pose {radius.argmin()}")
assert swept.converged.all()
assert not swept.snaps

# %% [markdown]
# The worst pose, as a notebook shows it, and where in the world the hose has been.

# %%
worst = swept.worst_solution()
picture = worst.plot(view="perspective")
shape = swept.positions("hose")
print("the hose needs room from", np.round(1e3 * np.nanmin(shape, axis=(0, 1))), "to", np.round(1e3 * np.nanmax(shape, axis=(0, 1))), "mm")
assert shape.shape == (200, 61, 3)
np.testing.assert_allclose(shape[:, -1], positions, atol=1e-9)

# %% [markdown]
# # Find a stiffness
#
# A cable hangs from a clamp to a ball joint. Forty points of its centreline are measured to half a millimetre. Its bending stiffness
# over its weight per length is in its shape: Gauss and Newton find it from the derivatives of the shape, and how well it is known.

# %%
import flexline
import numpy as np

TRUE, WEIGHT = 0.034, 0.12  # N m², kg/m
scene = flexline.Scene.from_dict({
    "cable": {
        "length": 0.60,
        "measured": {"bend": 0.02, "twist": 0.015, "mass_per_length": WEIGHT, "diameter": "10 mm"},
    },
    "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
    "end": {"hold": "pinned", "position": [0.45, 0.0, 0.05]},
})

# %% [markdown]
# The measurement: the true cable, with noise.

# %%
NOISE = 0.5e-3
places = [f"cable.position @ {share:.2f} %" for share in np.linspace(5, 95, 40)]
shape = flexline.Equilibrium(scene, ["cable.measured.bend"], places)
measured = shape([TRUE]) + np.random.default_rng(7).normal(0.0, NOISE, 120)

# %% [markdown]
# Gauss–Newton from a guess, on the logarithm, so that the stiffness stays above zero.

# %%
stiffness = shape.start
for step in range(8):
    points, jacobian = shape.with_jacobian(stiffness)
    by_logarithm = jacobian[:, 0] * stiffness[0]
    change = by_logarithm @ (measured - points) / (by_logarithm @ by_logarithm)
    print(f"{step}: {stiffness[0]:.5f} N m², off by {1e3 * np.sqrt(np.mean((measured - points) ** 2)):.3f} mm")
    stiffness = stiffness * np.exp(np.clip(change, -0.7, 0.7))

# %%
error = NOISE / np.linalg.norm(by_logarithm)
print(f"bending stiffness {stiffness[0]:.5f} N m² ± {100 * error:.1f} %, true {TRUE}")
assert abs(np.log(stiffness[0] / TRUE)) < 4 * error, (stiffness, error)
assert error < 0.05, error

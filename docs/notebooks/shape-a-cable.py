# %% [markdown]
# # Shape a cable
#
# A hose leaves a wall and ends in a ball joint. Its middle shall pass through a given point: how long must it be, and where must the
# joint stand? Gradient descent finds it, with derivatives from the factors of every equilibrium.

# %%
import flexline
import numpy as np

scene = flexline.Scene.from_dict({
    "cable": {
        "length": 0.40,
        "measured": {"bend": 0.02, "twist": 0.015, "mass_per_length": 0.09, "diameter": "10 mm"},
    },
    "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
    "end": {"hold": "pinned", "position": [0.25, 0.0, 0.1]},
})
shape = flexline.Equilibrium(scene, ["cable.length", "end.position"], ["cable.position @ 50 %", "cable.least_bend_radius"])

# %% [markdown]
# What is wanted: the middle at `AIM`, to the millimetre, and no more cable than that takes.

# %%
AIM = np.array([0.17, 0.03, -0.07])
CABLE = 0.01  # what a metre of cable costs, in square metres of missing the aim


def cost(values):
    outputs, jacobian = shape.with_jacobian(values)
    missed = outputs[:3] - AIM
    gradient = 2 * missed @ jacobian[:3]
    gradient[0] += CABLE * 0.01
    return missed @ missed + CABLE * 0.01 * values[0], gradient, np.linalg.norm(missed)


# %% [markdown]
# Descent with momentum; every step is one equilibrium and its derivatives by four numbers.

# %%
values, speed = shape.start.copy(), np.zeros(4)
for step in range(60):
    value, gradient, missed = cost(values)
    if step % 10 == 0:
        print(f"{step:3}: off by {1e3 * missed:7.3f} mm, length {1e3 * values[0]:.1f} mm")
    speed = 0.7 * speed - 0.15 * gradient
    values = values + speed

# %%
value, gradient, missed = cost(values)
length, end = values[0], values[1:]
print(f"length {1e3 * length:.1f} mm, joint at {np.round(1e3 * end, 1)} mm, off by {1e3 * missed:.3f} mm")
assert missed < 1e-3, missed
assert abs(end[1]) > 1e-3, "the joint has moved aside, as the aim asks"

# %% [markdown]
# # Tolerances of a clipped harness
#
# A bundle along the side of a car is held by two clips between its connectors. Clips stand where holes are drilled, within a millimetre or
# two, bundles are cut to length within five, and nobody knows the stiffness of a bundle better than to a tenth. 10,000 cars: how much do
# the forces on the clips spread, how often is the bundle bent too tightly, and which tolerance is worth paying for?

# %%
import tempfile
import time
from pathlib import Path

import flexline.study
import numpy as np

SCENE = """
version = 1
title = "Bundle with two clips"

[[port]]
name = "dashboard"
position = [0, 0, "100 mm"]
tangent = [1, 0, -0.3]

[[port]]
name = "lamp"
position = ["920 mm", "40 mm", "120 mm"]
tangent = [0.4, 0, 1]

[[cable]]
name = "bundle"
length = "1.08 m"
segments = 36
measured = { bend = "0.03 N m^2", twist = "0.02 N m^2", mass_per_length = "150 g/m", diameter = "10 mm" }
from = "dashboard"
to = "lamp"

[[clip]]
name = "A"
cable = "bundle"
at = "36 %"
hold = "pinned"
position = ["360 mm", 0, "-10 mm"]

[[clip]]
name = "B"
cable = "bundle"
at = "68 %"
hold = "pinned"
position = ["660 mm", "10 mm", "-10 mm"]
"""

STUDY = """
version = 1
scene = "scene.toml"
seed = 2
samples = 10000
method = "latin-hypercube"

[[parameter]]
name = "bundle.length"
normal = { mean = "1.08 m", deviation = "0.002 m", low = "1.07 m", high = "1.09 m" }

[[parameter]]
name = "A.position.z"
normal = { mean = "-10 mm", deviation = "0.7 mm", low = "-13 mm", high = "-7 mm" }

[[parameter]]
name = "B.position.z"
normal = { mean = "-10 mm", deviation = "0.7 mm", low = "-13 mm", high = "-7 mm" }

[[parameter]]
name = "bundle.measured.bend"
uniform = ["0.027 N m^2", "0.033 N m^2"]

[[response]]
quantity = "bend_radius"
limit = ">= 127.5 mm"

[[response]]
quantity = "A.reaction"

[[response]]
quantity = "B.reaction"
"""

# %%
folder = tempfile.TemporaryDirectory()
study = Path(folder.name, "study.toml")
study.write_text(STUDY)
Path(folder.name, "scene.toml").write_text(SCENE)
begun = time.perf_counter()
result = flexline.study.run(study, out=Path(folder.name, "out"))
print(f"{len(result.status)} harnesses in {time.perf_counter() - begun:.1f} s")
assert result.status.count("converged") == 10_000

# %% [markdown]
# Quantiles have intervals, and so has the rate of failure.

# %%
for own in result.summary["responses"]:
    quantiles = dict((share, told["value"]) for share, told in own["quantiles"])
    print(f"{own['quantity']}: {quantiles[0.01]:.4g} (1 %), {quantiles[0.5]:.4g} (median), {quantiles[0.99]:.4g} (99 %), SI")
bend = result.summary["responses"][0]
low, high = bend["failure"]["interval"]
print(f"bent too tightly: {100 * bend['failure']['value']:.2f} % ({100 * low:.2f} to {100 * high:.2f})")

# %% [markdown]
# What matters: the share of each parameter in the deviation of the force on clip A. Squares of these add up to what a plane explains, but
# for the correlation that samples have by chance, 1/√n.

# %%
plane = result.summary["responses"][1]["regression"]
for name, share in zip(result.parameters, plane["standardised"]):
    print(f"{name:>22}: {share:+.3f}")
print(f"a plane explains {100 * plane['explained']:.1f} %")
assert abs(np.square(plane["standardised"]).sum() - plane["explained"]) < 4 / np.sqrt(10_000)

# %% [markdown]
# The plane is believed where it agrees with derivatives of the one harness as it is drawn, which cost one factorisation.

# %%
drawn = flexline.Scene.load(Path(folder.name, "scene.toml")).solve()
force = np.linalg.norm(drawn.values(["A.force"]))
slope = (drawn.values(["A.force"]) @ drawn.jacobian(["A.force"], result.parameters)) / force
# The study has lengths in m, clips in mm and stiffness in N m².
study_slopes = np.array(plane["slopes"]) * [1, 1e3, 1e3, 1]
deviations = result.values.std(axis=0) * [1, 1e-3, 1e-3, 1]
for name, linear, spread in zip(result.parameters, slope * deviations, study_slopes * deviations):
    print(f"{name:>22}: {linear:+.4f} N by the derivative, {spread:+.4f} N by the plane")
assert np.abs((slope - study_slopes) * deviations).max() < 0.1 * np.abs(study_slopes * deviations).max()
folder.cleanup()

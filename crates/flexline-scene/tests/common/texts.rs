//! Texts of scenes that several tests begin with.

#![allow(dead_code, reason = "not every test file needs all of it")]

/// A harness of three cables at a fork; tests break it in one way, or add to it at its end.
pub const HARNESS: &str = r#"version = 1

[[port]]
name = "A"
position = [0, 0, 0]
tangent = [1, 0, 0]

[[port]]
name = "B"
position = ["600 mm", 0, 0]
tangent = [1, 0, 0]

[[part]]
name = "unit"
position = ["300 mm", "100 mm", "-200 mm"]
mass = "0.4 kg"

[[part.connector]]
name = "plug"
tangent = [0, 1, 0]

[[junction]]
name = "fork"

[[cable]]
name = "trunk"
length = "400 mm"
part = "bundle-20x0.5"
from = "A"
to = "fork"

[[cable]]
name = "left"
length = "350 mm"
part = "wire-6"
from = "fork"
to = "B"

[[cable]]
name = "right"
length = "350 mm"
part = "wire-6"
from = "fork"
to = "unit.plug"

[[clip]]
name = "c1"
cable = "trunk"
at = "50 %"
hold = "pinned"
position = ["190 mm", 0, 0]

[[clip]]
name = "c2"
cable = "left"
at = "100 mm"
hold = "free"

[[constraint]]
kind = "distance"
from = "unit"
to = [0, 0, 0]
distance = "370 mm"

[[load]]
cable = "left"
at = "200 mm"
force = [0, 0, "-1 N"]
"#;

/// A scene of one cable with these keys, clamped at the origin along x and free at its other end; tables may follow it.
pub fn free_cable(keys: &str) -> String {
    format!(
        "version = 1\n[cable]\n{}\n[start]\nhold = \"clamped\"\nposition = [0, 0, 0]\ntangent = [1, 0, 0]\n\
         [end]\nhold = \"free\"\n",
        keys.trim()
    )
}

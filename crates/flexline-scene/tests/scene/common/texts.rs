//! Texts of scenes that several tests begin with.

/// The text of a scene of the project.
pub fn scene(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

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

/// A cable clamped at the left, over a bar that pushes it up by 5 mm, free at the right; `more` are keys of the bar.
pub fn over_a_bar(model: &str, more: &str) -> String {
    let cable = free_cable(&format!(
        "length = \"400 mm\"\nmodel = {model}\n\
         measured = {{ bend = \"0.2 N m^2\", twist = \"0.15 N m^2\", mass_per_length = \"90 g/m\", diameter = \"10 mm\" }}"
    ));
    let bar = "[[pole]]\nname = \"bar\"\nthrough = [\"200 mm\", 0, \"-15 mm\"]\naxis = [0, 2, 0]\nradius = \"20 mm\"\n";
    format!("{cable}{bar}{more}\n")
}

/// A cable drawn straight between two clamps and turned so often; `slides` are more keys of its end.
pub fn taut(turns: f64, slides: &str) -> String {
    format!(
        "version = 1\n[world]\ngravity = \"none\"\n[cable]\nname = \"c\"\nlength = 1\nsegments = 60\n\
         measured = {{ bend = 0.02, twist = 0.01, mass_per_length = 0.05, diameter = 0.008 }}\n\
         [start]\nhold = \"clamped\"\nposition = [0, 0, 0]\ntangent = [1, 0, 0]\n\
         [end]\nhold = \"clamped\"\nposition = [1, 0, 0]\ntangent = [1, 0, 0]\ntwist = \"{turns} turns\"\n{slides}"
    )
}

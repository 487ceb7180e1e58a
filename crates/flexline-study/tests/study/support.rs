//! Scenes to be varied.

use flexline_scene::Folder;
use flexline_study::Base;

/// A wire that hangs between two pins.
pub const WIRE: &str = r#"version = 1
[cable]
name = "wire"
length = "1 m"
segments = 40
measured = { bend = "0.002 N m^2", twist = "0.0015 N m^2", mass_per_length = "90 g/m", diameter = "5 mm" }
[start]
hold = "pinned"
position = [0, 0, 0]
[end]
hold = "pinned"
position = ["0.9 m", 0, 0]
"#;

/// A text as a scene to be varied.
pub fn base(text: &str) -> Base {
    Base::new(text.into(), "test".into(), Folder::default())
}

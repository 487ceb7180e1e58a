//! Units of a file: SI with a prefix and a power, or a name.

use roxmltree::Node as Element;

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Length,
    Area,
    Mass,
    MassPerLength,
}

impl Measure {
    pub fn words(self) -> &'static str {
        match self {
            Self::Length => "a length",
            Self::Area => "an area",
            Self::Mass => "a mass",
            Self::MassPerLength => "a mass per length",
        }
    }
}

/// A unit: what it measures and what one is in SI; `Err` with its words where it is not known.
pub type Unit = Result<(Measure, f64), String>;

/// What a `Unit` element says.
pub fn unit(element: Element<'_, '_>) -> Unit {
    let text = |name: &str| {
        let child = element.children().find(|own| own.has_tag_name(name));
        child.and_then(|own| own.text()).map(|own| own.trim().to_ascii_lowercase()).unwrap_or_default()
    };
    let (name, prefix, power, own) =
        (text("Si_unit_name"), text("Si_prefix"), text("Si_dimension"), text("Unit_name"));
    let shown = || [&prefix, &name, &power, &own].map(String::as_str).join(" ").trim().to_owned();
    if name.is_empty() {
        return named(&own).ok_or_else(shown);
    }
    let factor = match prefix.as_str() {
        "" => 1.0,
        "micro" => 1e-6,
        "milli" => 1e-3,
        "centi" => 1e-2,
        "deci" => 1e-1,
        "kilo" => 1e3,
        _ => return Err(shown()),
    };
    match (name.as_str(), power.as_str()) {
        ("metre" | "meter", "" | "linear") => Ok((Measure::Length, factor)),
        ("metre" | "meter", "square") => Ok((Measure::Area, factor * factor)),
        ("gram", "" | "linear") => Ok((Measure::Mass, 1e-3 * factor)),
        _ => Err(shown()),
    }
}

/// A unit by its name, however it is written.
fn named(name: &str) -> Option<(Measure, f64)> {
    let plain: String =
        name.replace("per", "/").chars().filter(|c| c.is_ascii_alphanumeric() || *c == '/').collect();
    let plain = plain.replace("meter", "metre").replace("kilogramm", "kilogram");
    Some(match plain.as_str() {
        "m" | "metre" => (Measure::Length, 1.0),
        "mm" | "millimetre" => (Measure::Length, 1e-3),
        "cm" | "centimetre" => (Measure::Length, 1e-2),
        "in" | "inch" => (Measure::Length, 0.0254),
        "mm2" | "squaremillimetre" | "millimetre2" | "millimetresquare" | "qmm" => (Measure::Area, 1e-6),
        "g" | "gram" => (Measure::Mass, 1e-3),
        "kg" | "kilogram" => (Measure::Mass, 1.0),
        "g/m" | "gram/metre" => (Measure::MassPerLength, 1e-3),
        "kg/m" | "kilogram/metre" => (Measure::MassPerLength, 1.0),
        "kg/km" | "kilogram/kilometre" => (Measure::MassPerLength, 1e-3),
        "g/mm" | "gram/millimetre" => (Measure::MassPerLength, 1.0),
        _ => return None,
    })
}

//! What is to be identified: its name, how it is scaled, what is known of it before, and how a scene is given a value of it.

use crate::base::{Base, StudyError};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::network::Grip;
use flexline_scene::Compiled;
use flexline_scene::model::{Rest, Scene};
use flexline_scene::units::Dimension;
use flexline_scene::units::{is_percentage, parse, parse_any};
use flexline_scene::words::{offer, quote};
use flexline_session::command::value_of;
use serde_json::Value;

/// Properties of cables by their names; before a dot may stand the cable.
const PROPERTIES: [&str; 5] =
    ["bending_stiffness", "twisting_stiffness", "mass", "rest_curvature", "rest_twist"];
/// Most numbers along a cable that a free rest curvature has.
const MOST_KNOTS: usize = 40;

/// What a number changes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// K1 of a cable; the ratio of K2 to it stays.
    Bending { cable: usize, ratio: f64 },
    /// K3 of a cable.
    Twisting(usize),
    /// Mass per length of a cable.
    Mass(usize),
    /// Uniform rest curvature about d1 or d2.
    Curvature(usize, usize),
    /// Rest curvature at one of so many equal distances, linear in between.
    Knot { cable: usize, knot: usize, of: usize, axis: usize },
    /// Uniform rest twist.
    RestTwist(usize),
    /// Where what holds cables is off by, world.
    Shift { anchor: String, axis: usize },
    /// By what it is turned, a rotation vector, world.
    Turn { anchor: String, axis: usize },
    /// A value of the scene file, or one of a vector of them.
    Key { name: String, component: usize, of: usize },
}

/// A number that is identified.
#[derive(Clone, Debug)]
pub(super) struct Unknown {
    /// As it is told.
    pub name: String,
    /// As it was asked for.
    pub asked: String,
    pub what: What,
    /// The pose that has it for its own; none for what all share.
    pub pose: Option<usize>,
    /// Whether it is above zero: its logarithm is sought.
    pub positive: bool,
    /// What is 1 in the search, of what is not positive.
    pub scale: f64,
    /// SI unit.
    pub unit: &'static str,
    /// Where the search begins.
    pub start: f64,
    /// Mean and deviation before any measurement, in the units of the search.
    pub prior: Option<[f64; 2]>,
}

impl Unknown {
    /// The number of a coordinate of the search.
    pub fn value(&self, coordinate: f64) -> f64 {
        if self.positive { coordinate.exp() } else { coordinate * self.scale }
    }

    /// The coordinate of the search of a number.
    pub fn coordinate(&self, value: f64) -> f64 {
        if self.positive { value.ln() } else { value / self.scale }
    }
}

/// The unknowns that some names ask for, in poses of which all have the same cables.
pub(super) fn unknowns(
    names: &[String],
    poses: &[(&Base, &Scene, &Compiled)],
) -> Result<Vec<Unknown>, StudyError> {
    let mut found: Vec<Unknown> = Vec::new();
    for name in names {
        let name = name.trim();
        if found.iter().any(|own| own.asked == name) {
            return Err(StudyError::Input(format!("--vary says {} twice", quote(name))));
        }
        found.extend(one(name, poses)?);
    }
    match found.is_empty() {
        true => {
            Err(StudyError::Input("nothing is to be identified: say --vary bending_stiffness,mass".into()))
        }
        false => Ok(found),
    }
}

fn one(name: &str, poses: &[(&Base, &Scene, &Compiled)]) -> Result<Vec<Unknown>, StudyError> {
    let (base, scene, compiled) = poses[0];
    let (thing, word) = name.rsplit_once('.').map_or((None, name), |(thing, word)| (Some(thing), word));
    let (property, count) = match word.strip_suffix(')').and_then(|own| own.split_once('(')) {
        Some((property, count)) => (property, Some(count)),
        None => (word, None),
    };
    if PROPERTIES.contains(&property) {
        return property_of(name, thing, property, count, scene, compiled);
    }
    let axis = ["x", "y", "z"].iter().position(|axis| *axis == word);
    let (holder, part) = match (axis, thing.and_then(|own| own.rsplit_once('.'))) {
        (Some(_), Some((holder, part))) => (Some(holder), part),
        _ => (thing, word),
    };
    if let (Some(holder), "position" | "orientation") = (holder, part)
        && compiled.anchors.iter().any(|own| own.name == holder)
    {
        return holder_of(name, holder, part == "orientation", axis, poses);
    }
    // A word alone that is none of these is a slip; a dotted name may be a key of the file.
    if thing.is_none() {
        let cables = compiled
            .anchors
            .iter()
            .flat_map(|own| ["position", "orientation"].map(|part| format!("{}.{part}", own.name)));
        let known: Vec<String> = PROPERTIES.iter().map(|own| (*own).to_owned()).chain(cables).collect();
        return Err(StudyError::Input(format!(
            "--vary {}: nothing has this name; {}",
            quote(name),
            offer(name, known.iter().map(String::as_str))
        )));
    }
    let values = value_of(&base.text, name).map_err(|error| match numbers_of(&base.text) {
        known if known.is_empty() => StudyError::from(error),
        known => StudyError::Input(format!(
            "--vary {}: it has no number in this scene; {}",
            quote(name),
            offer(name, known.iter().map(String::as_str))
        )),
    })?;
    let of = values.len();
    let key = |(component, value): (usize, &f64)| {
        let positive = of == 1 && *value > 0.0 && !name.contains("position") && !name.contains("twist");
        Unknown {
            name: if of == 1 { name.into() } else { format!("{name}.{}", ["x", "y", "z"][component.min(2)]) },
            asked: name.into(),
            what: What::Key { name: name.into(), component, of },
            pose: None,
            positive,
            scale: if *value == 0.0 { 1.0 } else { value.abs() },
            unit: "",
            start: *value,
            prior: None,
        }
    };
    Ok(values.iter().enumerate().map(key).collect())
}

/// Names of all numbers that the text of a scene says.
fn numbers_of(text: &str) -> Vec<String> {
    fn within(prefix: &str, value: &toml::Value, found: &mut Vec<String>) {
        match value {
            toml::Value::Table(table) => {
                for (key, value) in table {
                    within(
                        &format!("{prefix}{}{key}", if prefix.is_empty() { "" } else { "." }),
                        value,
                        found,
                    );
                }
            }
            toml::Value::Array(list) => {
                for own in list.iter().filter_map(toml::Value::as_table) {
                    // Of a list of things each has a name.
                    if let Some(name) = own.get("name").and_then(toml::Value::as_str) {
                        within(name, &toml::Value::Table(own.clone()), found);
                    }
                }
                if list.first().is_some_and(|own| !own.is_table()) {
                    found.push(prefix.to_owned());
                }
            }
            _ => found.push(prefix.to_owned()),
        }
    }
    let mut found = Vec::new();
    if let Ok(table) = text.parse::<toml::Table>() {
        within("", &toml::Value::Table(table), &mut found);
    }
    found.retain(|name| value_of(text, name).is_ok());
    found
}

fn property_of(
    name: &str,
    thing: Option<&str>,
    property: &str,
    count: Option<&str>,
    scene: &Scene,
    compiled: &Compiled,
) -> Result<Vec<Unknown>, StudyError> {
    let wrong = |why: String| StudyError::Input(format!("--vary {}: {why}", quote(name)));
    let labels = compiled.cables.iter().map(|own| own.name.as_str());
    let cable = match thing {
        None if compiled.cables.len() == 1 => 0,
        None => {
            return Err(wrong(format!("say of which cable, as in {}.{property}", compiled.cables[0].name)));
        }
        Some("cable") if scene.is_single() => 0,
        Some(thing) => labels.clone().position(|own| own == thing).ok_or_else(|| {
            wrong(format!("no cable is called \"{}\"; {}", quote(thing), offer(thing, labels.clone())))
        })?,
    };
    let own = &scene.cables[cable].cable;
    let section = compiled.cables[cable].section.at(0.0);
    let length = own.length;
    let is_rest = property.starts_with("rest");
    if !is_rest && !own.zones.is_empty() {
        return Err(wrong(format!(
            "cable '{}' has zones with sections of their own; name the value of one, as in {}.measured.bend",
            own.name, own.name
        )));
    }
    let unknown = |name: String, what, positive, scale, unit, start| Unknown {
        name,
        asked: String::new(),
        what,
        pose: None,
        positive,
        scale,
        unit,
        start,
        prior: None,
    };
    let before = own.rest.at(0.0, length);
    let mut found = match property {
        "bending_stiffness" => {
            let what = What::Bending { cable, ratio: section.stiffness.y / section.stiffness.x };
            vec![unknown(name.into(), what, true, 1.0, "N m²", section.stiffness.x)]
        }
        "twisting_stiffness" => {
            vec![unknown(name.into(), What::Twisting(cable), true, 1.0, "N m²", section.stiffness.z)]
        }
        "mass" => vec![unknown(name.into(), What::Mass(cable), true, 1.0, "kg/m", section.mass_per_length)],
        "rest_twist" => {
            vec![unknown(name.into(), What::RestTwist(cable), false, 1.0 / length, "rad/m", before.z)]
        }
        _ => match count {
            None => (0..2)
                .map(|axis| {
                    let label = format!("{name}.k{}", axis + 1);
                    unknown(label, What::Curvature(cable, axis), false, 1.0 / length, "1/m", before[axis])
                })
                .collect(),
            Some(text) => {
                let of = text.parse::<usize>().ok().filter(|of| (2..=MOST_KNOTS).contains(of));
                let of = of.ok_or_else(|| {
                    wrong(format!("\"{}\" places along the cable: expected 2 to {MOST_KNOTS}", quote(text)))
                })?;
                let knots = (0..of).flat_map(|knot| [0, 1].map(|axis| (knot, axis)));
                knots
                    .map(|(knot, axis)| {
                        let share = knot as f64 / (of - 1) as f64;
                        let label = format!("{name}.k{} @ {:.0} %", axis + 1, 100.0 * share);
                        let what = What::Knot { cable, knot, of, axis };
                        let start = own.rest.at(share * length, length)[axis];
                        unknown(label, what, false, 1.0 / length, "1/m", start)
                    })
                    .collect()
            }
        },
    };
    if count.is_some() && property != "rest_curvature" {
        return Err(wrong("only rest_curvature may differ along the cable".into()));
    }
    if is_rest && count.is_none() && !matches!(own.rest, Rest::Constant(_)) {
        return Err(wrong(format!(
            "the rest shape of cable '{}' differs along it: identify rest_curvature(8), its values at 8 places",
            own.name
        )));
    }
    for own in &mut found {
        own.asked = name.into();
        if own.positive && own.start <= 0.0 {
            return Err(wrong(format!(
                "it is {} in the scene, and the search goes by factors: give a first guess above zero",
                own.start
            )));
        }
    }
    Ok(found)
}

/// Errors of where something holds cables: of every pose its own.
fn holder_of(
    name: &str,
    holder: &str,
    is_turn: bool,
    axis: Option<usize>,
    poses: &[(&Base, &Scene, &Compiled)],
) -> Result<Vec<Unknown>, StudyError> {
    let mut found = Vec::new();
    for (pose, (_, _, compiled)) in poses.iter().enumerate() {
        let Some(index) = compiled.anchors.iter().position(|own| own.name == holder) else { continue };
        let anchor = &compiled.network.anchors[index];
        let ends =
            compiled.network.spans.iter().flat_map(|span| std::iter::once(&span.start).chain(&span.end));
        let clamps = || ends.filter(|own| own.anchor == index).any(|own| own.grip == Grip::Clamped);
        let held = if is_turn { anchor.held_orientation && clamps() } else { anchor.held.contains(&true) };
        if !held {
            let what = if is_turn { "orientation" } else { "position" };
            return Err(StudyError::Input(format!(
                "--vary {}: nothing holds the {what} of {}, so that it follows from the rest",
                quote(name),
                compiled.anchors[index]
            )));
        }
        let longest = compiled.cables.iter().fold(0.0f64, |most, own| most.max(own.length));
        for own in (0..3).filter(|own| axis.is_none_or(|axis| axis == *own)) {
            let label = format!(
                "{holder}.{}.{}",
                if is_turn { "orientation" } else { "position" },
                ["x", "y", "z"][own]
            );
            let anchor = holder.to_owned();
            found.push(Unknown {
                name: if poses.len() > 1 { format!("{label} (pose {pose})") } else { label },
                asked: name.into(),
                what: if is_turn {
                    What::Turn { anchor, axis: own }
                } else {
                    What::Shift { anchor, axis: own }
                },
                pose: Some(pose),
                positive: false,
                scale: if is_turn { 1.0 } else { longest },
                unit: if is_turn { "rad" } else { "m" },
                start: 0.0,
                prior: None,
            });
        }
    }
    Ok(found)
}

/// Gives unknowns what is known of them before: `NAME=VALUE+-DEVIATION`, with units or a share.
pub(super) fn set_prior(text: &str, unknowns: &mut [Unknown]) -> Result<(), StudyError> {
    let wrong = |why: String| StudyError::Input(format!("--prior {}: {why}", quote(text)));
    let form = || {
        wrong(
            "expected NAME=VALUE+-DEVIATION, as in \"mass=90 g/m +- 2 %\" or \"end.orientation=0+-2 deg\""
                .into(),
        )
    };
    let (name, numbers) = text.split_once('=').ok_or_else(form)?;
    let (value, deviation) = numbers.split_once("+-").or_else(|| numbers.split_once('±')).ok_or_else(form)?;
    let number = |text: &str| match parse_any(text.trim()) {
        Ok(own) => Ok(own),
        Err(error) => Err(wrong(format!("\"{}\" {}", quote(text.trim()), error.problem))),
    };
    let mean = number(value)?;
    let deviation = match is_percentage(deviation.trim()) {
        true => parse(deviation.trim(), Dimension::Ratio).map_err(|_| form())? * mean.abs(),
        false => number(deviation)?,
    };
    if !(deviation > 0.0 && deviation.is_finite() && mean.is_finite()) {
        return Err(wrong(format!("the deviation is {deviation}: expected a number above zero")));
    }
    let name = name.trim();
    let mut meant = unknowns.iter_mut().filter(|own| own.asked == name || own.name == name).peekable();
    if meant.peek().is_none() {
        let known: Vec<String> = unknowns.iter().map(|own| own.asked.clone()).collect();
        let near = offer(name, known.iter().map(String::as_str));
        return Err(wrong(format!("\"{}\" is not among what is identified; {near}", quote(name))));
    }
    for own in meant {
        own.prior = Some(match own.positive {
            true if mean <= 0.0 => return Err(wrong(format!("{mean} is not above zero"))),
            true => [mean.ln(), deviation / mean],
            false => [mean / own.scale, deviation / own.scale],
        });
    }
    Ok(())
}

/// The scene of a pose with values of the unknowns, before it is compiled.
pub(super) fn posed(
    base: &Base,
    scene: &Scene,
    pose: usize,
    unknowns: &[Unknown],
    values: &[f64],
) -> Result<Scene, StudyError> {
    let meant = || unknowns.iter().zip(values).filter(|(own, _)| own.pose.is_none_or(|p| p == pose));
    let keys = keys(meant());
    let mut scene = match keys.is_empty() {
        true => scene.clone(),
        false => {
            let keys: Vec<(&str, Value)> =
                keys.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
            base.read(&base.with(&keys)?)?
        }
    };
    for (own, &value) in meant() {
        match own.what {
            What::Bending { cable, ratio } => {
                let changes = &mut scene.cables[cable].cable.section.changes;
                (changes.bend1, changes.bend2) = (Some(value), Some(value * ratio));
            }
            What::Twisting(cable) => scene.cables[cable].cable.section.changes.twist = Some(value),
            What::Mass(cable) => scene.cables[cable].cable.section.changes.mass_per_length = Some(value),
            What::Curvature(cable, axis) => {
                if let Rest::Constant(rest) = &mut scene.cables[cable].cable.rest {
                    rest[axis] = value;
                }
            }
            What::RestTwist(cable) => {
                if let Rest::Constant(rest) = &mut scene.cables[cable].cable.rest {
                    rest.z = value;
                }
            }
            What::Knot { cable, knot, of, axis } => {
                let cable = &mut scene.cables[cable].cable;
                let place = |knot: usize| cable.length * knot as f64 / (of - 1) as f64;
                if !matches!(&cable.rest, Rest::Table(rows) if rows.len() == of) {
                    let rows = (0..of).map(|knot| (place(knot), cable.rest.at(place(knot), cable.length)));
                    cable.rest = Rest::Table(rows.collect());
                }
                if let Rest::Table(rows) = &mut cable.rest {
                    rows[knot].1[axis] = value;
                }
            }
            What::Shift { .. } | What::Turn { .. } | What::Key { .. } => {}
        }
    }
    Ok(scene)
}

/// The values of keys of the file, vectors in one.
pub(super) fn keys<'a>(meant: impl Iterator<Item = (&'a Unknown, &'a f64)>) -> Vec<(String, Value)> {
    let mut found: Vec<(String, Vec<f64>)> = Vec::new();
    for (own, value) in meant {
        let What::Key { name, component, of } = &own.what else { continue };
        if *component == 0 {
            found.push((name.clone(), vec![0.0; *of]));
        }
        if let Some((_, numbers)) = found.iter_mut().find(|known| known.0 == *name) {
            numbers[*component] = *value;
        }
    }
    let value = |numbers: Vec<f64>| match numbers[..] {
        [one] => Value::from(one),
        _ => Value::from(numbers),
    };
    found.into_iter().map(|(name, numbers)| (name, value(numbers))).collect()
}

/// Moves what holds cables in a compiled pose.
pub(super) fn put(compiled: &mut Compiled, pose: usize, unknowns: &[Unknown], values: &[f64]) {
    for (index, known) in compiled.anchors.iter().enumerate() {
        let (mut shift, mut turn) = (Vec3::zeros(), Vec3::zeros());
        for (own, value) in unknowns.iter().zip(values).filter(|(own, _)| own.pose == Some(pose)) {
            match &own.what {
                What::Shift { anchor, axis } if *anchor == known.name => shift[*axis] = *value,
                What::Turn { anchor, axis } if *anchor == known.name => turn[*axis] = *value,
                _ => {}
            }
        }
        let own = &mut compiled.network.anchors[index].pose;
        own.position += shift;
        own.orientation = rotation::exp(&turn) * own.orientation;
    }
}

//! The key numbers of a cable.

use crate::cable::{Cable, Station, bend_share};
use crate::colour_map::CAUTION;
use crate::error::PlotError;
use crate::quantity::{Quantity, fixed, short};
use nalgebra::Vector3;
use std::f64::consts::TAU;

/// How a key number is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// No verdict.
    Plain,
    /// Within limits.
    Good,
    /// Near a limit.
    Warn,
    /// Beyond a limit.
    Bad,
}

/// A key number of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What it is.
    pub label: String,
    /// The number with its unit.
    pub value: String,
    /// A few words more, such as the place.
    pub note: String,
    /// Verdict.
    pub tone: Tone,
}

impl Cable {
    /// The numbers a reader asks for first.
    pub fn facts(&self) -> Result<Vec<Fact>, PlotError> {
        self.check()?;
        let (first, last) = (&self.stations[0], &self.stations[self.stations.len() - 1]);
        let apart = (Vector3::from(last.position) - Vector3::from(first.position)).norm();
        let apart = if apart < 1e-9 * self.length() { 0.0 } else { apart };
        let mut facts = vec![
            Fact::new("Length", Quantity::Length.show(self.length()), Tone::Plain),
            Fact::new("Ends apart", Quantity::Length.show(apart), Tone::Plain),
            self.bend_radius(),
            self.largest("Largest tension", Quantity::Force, self.limits.tension, Station::tension),
            self.largest("Largest bending moment", Quantity::Moment, None, Station::bending_moment),
            self.turns(),
        ];
        if let Some(shares) = self.shares() {
            let most = shares.iter().copied().fold(0.0, f64::max);
            let value = format!("{} %", fixed(100.0 * most, 0));
            let fact = Fact::new("Utilisation", value, tone(most, Some(1.0)));
            facts.push(Fact { note: "of the limits".into(), ..fact });
        }
        Ok(facts)
    }

    fn bend_radius(&self) -> Fact {
        let (place, curvature) = self.peak(Station::curvature);
        let inside = self.limits.inside;
        let label = if inside > 0.0 { "Tightest bend, inner radius" } else { "Tightest bend, centre radius" };
        let limit = self.limits.curvature;
        let tone = limit.map_or(Tone::Plain, |limit| tone(bend_share(curvature, limit, inside), Some(1.0)));
        let radius = |curvature: f64| Quantity::Length.show((1.0 / curvature - inside).max(0.0));
        let allowed = limit.map_or("no limit known".into(), |limit| format!("at least {}", radius(limit)));
        if curvature <= self.noise().strain {
            return Fact { note: allowed, ..Fact::new(label, "straight".into(), tone) };
        }
        let fact = Fact::new(label, radius(curvature), tone).at(place);
        Fact { note: format!("{}, {allowed}", fact.note), ..fact }
    }

    /// Largest value of a quantity, with its place.
    fn largest(&self, label: &str, quantity: Quantity, limit: Option<f64>, f: fn(&Station) -> f64) -> Fact {
        let noise = self.noise();
        let noise = if quantity == Quantity::Force { noise.force } else { noise.moment };
        let (place, value) = self.peak(f);
        if value.abs() <= noise {
            return Fact::new(label, quantity.show(0.0), tone(0.0, limit));
        }
        Fact::new(label, quantity.show(value), tone(value, limit)).at(place)
    }

    /// Twist summed over the length; judged by the largest twist per length.
    fn turns(&self) -> Fact {
        let piece = |w: &[Station]| 0.5 * (w[0].strain[2] + w[1].strain[2]) * (w[1].s - w[0].s) / TAU;
        let turns: f64 = self.stations.windows(2).map(piece).sum();
        let turns = if turns.abs() < 5e-4 { 0.0 } else { turns };
        let (_, twist) = self.peak(|s| s.strain[2].abs());
        let text = short(turns);
        let unit = if text == "1" || text == "−1" { "turn" } else { "turns" };
        Fact::new("Twist", format!("{text} {unit}"), tone(twist, self.limits.twist))
    }

    /// Largest value and the first place where it is reached, up to rounding.
    fn peak(&self, f: impl Fn(&Station) -> f64) -> (f64, f64) {
        let largest = self.stations.iter().map(&f).fold(f64::NEG_INFINITY, f64::max);
        let reached = |s: &&Station| f(s) >= largest - 1e-9 * largest.abs();
        (self.stations.iter().find(reached).map_or(0.0, |s| s.s), largest)
    }
}

impl Fact {
    fn new(label: &str, value: String, tone: Tone) -> Self {
        Self { label: label.into(), value, note: String::new(), tone }
    }

    fn at(self, place: f64) -> Self {
        Self { note: format!("at s = {}", Quantity::Length.show(place)), ..self }
    }
}

fn tone(value: f64, limit: Option<f64>) -> Tone {
    match limit.map(|l| value / l) {
        None => Tone::Plain,
        Some(share) if share < CAUTION => Tone::Good,
        Some(share) if share < 1.0 => Tone::Warn,
        Some(_) => Tone::Bad,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cable::Limits;

    /// A quarter circle of radius 0.5 m in the x–z plane under 8 N of tension at its far end, one turn of twist.
    fn quarter() -> Cable {
        let length = 0.25 * TAU * 0.5;
        let station = |i: u32| {
            let u = f64::from(i) / 50.0;
            let angle = 0.25 * TAU * u;
            let (sin, cos) = (0.5 * (0.25 * TAU - angle)).sin_cos();
            Station {
                s: u * length,
                position: [0.5 * angle.sin(), 0.0, 0.5 * (1.0 - angle.cos())],
                frame: [cos, 0.0, sin, 0.0],
                strain: [0.0, -2.0, TAU / length],
                moment: [0.0, -0.1, 0.02],
                force: [0.0, 0.0, 8.0],
                radius: 0.01,
            }
        };
        let stations = (0..=50).map(station).collect();
        let limits = Limits { curvature: Some(2.2), tension: Some(4.0), ..Limits::default() };
        Cable { stations, limits, ..Cable::default() }
    }

    #[test]
    fn the_facts_of_a_quarter_circle() {
        let facts = quarter().facts().unwrap();
        let shown: Vec<(&str, &str, Tone)> = facts.iter().map(|f| (&*f.label, &*f.value, f.tone)).collect();
        let expected = [
            ("Length", "785 mm", Tone::Plain),
            ("Ends apart", "707 mm", Tone::Plain),
            ("Tightest bend, centre radius", "500 mm", Tone::Warn),
            ("Largest tension", "8 N", Tone::Bad),
            ("Largest bending moment", "0.1 N·m", Tone::Plain),
            ("Twist", "1 turn", Tone::Plain),
            ("Utilisation", "200 %", Tone::Bad),
        ];
        assert_eq!(shown, expected);
        assert_eq!(facts[2].note, "at s = 0 mm, at least 455 mm");
        assert_eq!(facts[3].note, "at s = 785 mm");
        // Measured at the inner side, radius and limit are both smaller, and more of the limit is used.
        let mut inner = quarter();
        inner.limits.inside = 0.01;
        let fact = &inner.facts().unwrap()[2];
        assert_eq!((&*fact.label, &*fact.value), ("Tightest bend, inner radius", "490 mm"));
        assert_eq!(fact.note, "at s = 0 mm, at least 445 mm");
        inner.limits.curvature = None;
        assert!(inner.facts().unwrap()[2].note.ends_with("no limit known"));
    }

    #[test]
    fn rounding_errors_are_not_facts() {
        let mut cable = quarter();
        cable.limits = Limits::default();
        for station in &mut cable.stations {
            station.strain = [1e-13, 0.0, 0.0];
            station.moment = [1e-18, 0.0, 0.0];
            station.force = [0.0, 1e-15, 0.0];
        }
        cable.stations[50].position = [1e-15, 0.0, 0.0];
        let values: Vec<String> = cable.facts().unwrap().into_iter().map(|f| f.value).collect();
        assert_eq!(values, ["785 mm", "0 mm", "straight", "0 N", "0 N·m", "0 turns"]);
    }
}

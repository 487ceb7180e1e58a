//! The key numbers of a cable.

use crate::cable::{Cable, Station};
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
        let tone = tone(curvature, self.limits.curvature);
        if curvature <= self.noise().strain {
            return Fact::new("Tightest bend radius", "straight".into(), tone);
        }
        Fact::new("Tightest bend radius", Quantity::Length.show(1.0 / curvature), tone).at(place)
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
        Fact::new("Twist", format!("{} turns", short(turns)), tone(twist, self.limits.twist))
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

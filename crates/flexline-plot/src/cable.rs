//! A solved cable as plain numbers along its arc length.

use crate::colour_map::ColourScale;
use crate::drawing::theme;
use crate::error::{LARGEST_COORDINATE, LARGEST_VALUE, PlotError, check, check_count, check_length};
use crate::quantity::Quantity;
use crate::subject::{End, Load, Paint, Solid, Subject, Tube};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// The cable at one arc length; SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    /// Arc length, m.
    pub s: f64,
    /// Position, m, world.
    pub position: [f64; 3],
    /// Material frame (w, x, y, z), material to world, d3 the tangent.
    pub frame: [f64; 4],
    /// Darboux vector (κ1, κ2, τ), 1/m, material.
    pub strain: [f64; 3],
    /// Internal moment, N m, material.
    pub moment: [f64; 3],
    /// Internal force of the part beyond s on the part before, N, world.
    pub force: [f64; 3],
    /// Outer radius, m.
    pub radius: f64,
}

impl Station {
    /// Curvature of the centreline, 1/m.
    pub fn curvature(&self) -> f64 {
        self.strain[0].hypot(self.strain[1])
    }

    /// Internal force along the tangent, N; negative in compression.
    pub fn tension(&self) -> f64 {
        Vector3::from(self.force).dot(&self.tangent())
    }

    /// Internal force across the tangent, N.
    pub fn shear(&self) -> f64 {
        let (force, tangent) = (Vector3::from(self.force), self.tangent());
        (force - tangent * force.dot(&tangent)).norm()
    }

    /// Magnitude of the bending moment, N m.
    pub fn bending_moment(&self) -> f64 {
        self.moment[0].hypot(self.moment[1])
    }

    fn tangent(&self) -> Vector3<f64> {
        let [w, x, y, z] = self.frame;
        UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)) * Vector3::z()
    }
}

/// Limits of the section, drawn on the charts and used for colours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Largest curvature, 1 / smallest bend radius of the centreline, 1/m.
    pub curvature: Option<f64>,
    /// How far inside the centreline the bend radius is measured, m: the outer radius for the inner side.
    pub inside: f64,
    /// Largest twist in magnitude, rad/m.
    pub twist: Option<f64>,
    /// Largest tension, N.
    pub tension: Option<f64>,
}

/// What the colour of the tube shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// Share of the limits when there are any, curvature otherwise.
    #[default]
    Auto,
    /// One colour.
    Nothing,
    /// Largest share of any limit.
    Utilisation,
    /// Curvature of the centreline.
    Curvature,
    /// Twist τ.
    Twist,
    /// Tension.
    Tension,
    /// Bending moment.
    Moment,
}

/// A solved cable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cable {
    /// Name, used as the title.
    pub name: String,
    /// Stations, s increasing.
    pub stations: Vec<Station>,
    /// How the ends are held.
    pub ends: [End; 2],
    /// Loads.
    pub loads: Vec<Load>,
    /// Limits.
    pub limits: Limits,
    /// Share of the limits at each station, when the caller knows better than curvature, twist and tension.
    pub utilisation: Option<Vec<f64>>,
    /// What it cannot enter.
    pub solids: Vec<Solid>,
}

/// Share of a bend limit: the smallest radius over the radius there is, both measured `inside` the centreline.
pub(crate) fn bend_share(curvature: f64, limit: f64, inside: f64) -> f64 {
    let radius = |curvature: f64| (1.0 / curvature - inside).max(0.0);
    radius(limit) / radius(curvature)
}

impl Cable {
    /// Checks every number of the stations.
    pub(crate) fn check(&self) -> Result<(), PlotError> {
        check_count("stations", self.stations.len(), 2)?;
        for (i, station) in self.stations.iter().enumerate() {
            check("s", i, station.s, LARGEST_COORDINATE)?;
            if i > 0 && station.s < self.stations[i - 1].s {
                let expected = "a value not below the one before";
                return Err(PlotError::OutOfRange { what: "s".into(), index: i, value: station.s, expected });
            }
            let lists = [("strain", station.strain), ("moment", station.moment), ("force", station.force)];
            for (what, values) in lists {
                values.iter().try_for_each(|v| check(what, i, *v, LARGEST_VALUE))?;
            }
        }
        check("limits", 0, self.limits.inside, LARGEST_COORDINATE)?;
        let limits = [self.limits.curvature, self.limits.twist, self.limits.tension];
        for (i, limit) in limits.into_iter().enumerate() {
            let Some(value) = limit else { continue };
            check("limits", i, value, LARGEST_VALUE)?;
            if value <= 0.0 {
                let (what, expected) = ("limits".into(), "a positive number");
                return Err(PlotError::OutOfRange { what, index: i, value, expected });
            }
        }
        if let Some(values) = &self.utilisation {
            check_length("utilisation", values.len(), self.stations.len(), "the stations")?;
            values.iter().enumerate().try_for_each(|(i, v)| check("utilisation", i, *v, LARGEST_VALUE))?;
        }
        Ok(())
    }

    /// The cable as a tube in space, coloured as asked.
    pub fn subject(&self, by: ColourBy) -> Result<Subject, PlotError> {
        self.check()?;
        let noise = self.noise();
        let by = match by {
            ColourBy::Auto if self.shares().is_some() => ColourBy::Utilisation,
            ColourBy::Auto => ColourBy::Curvature,
            other => other,
        };
        let (paint, scale) = match by {
            ColourBy::Nothing | ColourBy::Auto => (None, None),
            ColourBy::Utilisation => {
                let shares = self.shares().ok_or_else(|| PlotError::NoLimits(self.name.clone()))?;
                (Some(shares), Some(ColourScale::utilisation("Utilisation")))
            }
            ColourBy::Curvature => {
                let values = self.clean(noise.strain, Station::curvature);
                magnitude("Curvature", Quantity::Curvature, values)
            }
            ColourBy::Moment => {
                let values = self.clean(noise.moment, Station::bending_moment);
                magnitude("Bending moment", Quantity::Moment, values)
            }
            ColourBy::Twist => signed("Twist", Quantity::Twist, self.clean(noise.strain, |s| s.strain[2])),
            ColourBy::Tension => {
                signed("Tension", Quantity::Force, self.clean(noise.force, Station::tension))
            }
        };
        let tube = Tube {
            centre: self.stations.iter().map(|s| s.position).collect(),
            frames: self.stations.iter().map(|s| s.frame).collect(),
            radius: self.stations.iter().map(|s| s.radius).collect(),
            paint: paint.map_or(Paint::Plain(theme::RUBBER), Paint::Values),
            stripe: true,
            ends: self.ends,
        };
        let tubes = vec![tube];
        let subject = Subject {
            title: self.name.clone(),
            tubes,
            solids: self.solids.clone(),
            loads: self.loads.clone(),
            scale,
        };
        subject.check()?;
        Ok(subject)
    }

    /// Largest share of any limit at each station; none without limits.
    pub(crate) fn shares(&self) -> Option<Vec<f64>> {
        if self.utilisation.is_some() {
            return self.utilisation.clone();
        }
        let Limits { curvature, inside, twist, tension } = self.limits;
        curvature.or(twist).or(tension)?;
        let share = |value: f64, limit: Option<f64>| limit.map_or(0.0, |l| value / l);
        let station = |s: &Station| {
            let bend = curvature.map_or(0.0, |limit| bend_share(s.curvature(), limit, inside));
            bend.max(share(s.strain[2].abs(), twist)).max(share(s.tension(), tension))
        };
        Some(self.stations.iter().map(station).collect())
    }

    /// Values of a quantity with numerical noise removed.
    fn clean(&self, noise: f64, f: impl Fn(&Station) -> f64) -> Vec<f64> {
        self.stations.iter().map(f).map(|v| if v.abs() > noise { v } else { 0.0 }).collect()
    }

    /// Magnitudes that are rounding errors rather than physics.
    pub(crate) fn noise(&self) -> Noise {
        let largest = |f: fn(&Station) -> [f64; 3]| {
            self.stations.iter().map(|s| Vector3::from(f(s)).norm()).fold(0.0, f64::max)
        };
        let (strain, force, moment) = (largest(|s| s.strain), largest(|s| s.force), largest(|s| s.moment));
        let length = self.length();
        // A strain that turns the whole length by less than a microradian cannot be seen.
        let visible = if length > 0.0 { 1e-6 / length } else { 0.0 };
        let per_length = if length > 0.0 { moment / length } else { 0.0 };
        Noise {
            strain: (NOISE * strain).max(visible),
            force: (NOISE * force.max(per_length)).max(1e-13),
            moment: (NOISE * moment.max(force * length)).max(1e-16),
        }
    }

    /// Length of the cable, m.
    pub(crate) fn length(&self) -> f64 {
        match (self.stations.first(), self.stations.last()) {
            (Some(first), Some(last)) => last.s - first.s,
            _ => 0.0,
        }
    }
}

/// Smallest magnitudes worth showing, SI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    pub strain: f64,
    pub force: f64,
    pub moment: f64,
}

/// What lies this far below the largest value of its kind is numerical noise.
const NOISE: f64 = 1e-7;

type Painted = (Option<Vec<f64>>, Option<ColourScale>);

fn magnitude(title: &str, quantity: Quantity, values: Vec<f64>) -> Painted {
    let scale = ColourScale::magnitude(title, quantity, &values);
    (Some(values), Some(scale))
}

fn signed(title: &str, quantity: Quantity, values: Vec<f64>) -> Painted {
    let scale = ColourScale::signed(title, quantity, &values);
    (Some(values), Some(scale))
}

//! Natural strains that make given curves equilibria under gravity: clamped at s = 0, free at s = L.
//!
//! The curve is given by its strain; a rod that is curved so at rest is in its shape. The natural strain that makes that shape an
//! equilibrium is compared, κ̄ = u − K⁻¹ Rᵀ m along the rod, and so is what a solve forward finds from there.
//!
//! Natural strain is compared where a model has it: what is constant over an element of a helix, or over the stretch that a vertex of a chain
//! stands for, in its middle (at the ends of a chain it is extrapolated); what is linear over a clothoid at the two points of Gauss's rule, where a linear best fit of a parabola is right
//! (J. Barlow, *Optimal stress locations in finite element models*, 1976); that of a spline everywhere.

use super::{list, name};
use crate::case::{Cases, Measure};
use crate::compare::{Samples, Theta};
use crate::field::{Field, FieldError};
use crate::judge::{Quantity, tolerance};
use crate::rods::{Grid, Model, Uniform, at_rest, force_per_length, pose, weight};
use flexline::Vec3;
use flexline::inverse::natural_rod;
use flexline::solver::statics::profile;
use flexline::solver::{End, Pose, Problem, Sample, Status};

/// Added to the places of cases: quick runs, which take every fifth in few segments, take an arc and not the random curve that needs
/// more of them.
const SHIFTED: usize = 1;

/// Gauss's points of an interval, as shares of it.
const GAUSS: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// Reads `cases`.
pub(super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "cases")? {
        let measure = Target::read(&case).map(|c| Box::new(move |grid| c.measure(grid)) as Measure);
        cases.add(name(&case, "case", place)?, place + SHIFTED, measure)?;
    }
    Ok(())
}

/// A curve that is to be an equilibrium.
struct Target {
    uniform: Uniform,
    clamp: Pose,
    force_per_length: Vec3,
    s: Vec<f64>,
    strains: Vec<Vec3>,
    natural: Vec<Vec3>,
    samples: Option<Samples>,
    stable: Option<bool>,
}

impl Target {
    fn read(case: &Field) -> Result<Self, FieldError> {
        let params = case.get("params")?;
        let uniform = Uniform::read(&params)?;
        let target = case.get("target")?;
        let vectors = |field: Field| field.items()?.iter().map(Field::as_vec3).collect::<Result<Vec<_>, _>>();
        let s = target.get("s")?.as_numbers()?;
        let strains = vectors(target.get("u")?)?;
        let natural = vectors(case.get("results")?.get("kbar")?)?;
        if strains.len() != s.len() || natural.len() != s.len() || s.len() < 4 {
            return Err(target.get("s")?.uneven());
        }
        let stable = case.find("stability").and_then(|own| own.find("stable"));
        Ok(Self {
            force_per_length: force_per_length(&params, uniform.density)?,
            uniform,
            clamp: pose(&params.get("clamp")?)?,
            s,
            strains,
            natural,
            samples: Some(Samples::of(&target, Theta::Below)?),
            stable: stable.map(|own| own.as_bool()).transpose()?,
        })
    }

    /// A sampled vector between the samples: the cubic through the four nearest.
    fn between(&self, values: &[Vec3], s: f64) -> Vec3 {
        let first = self.s.partition_point(|own| *own <= s).saturating_sub(2).min(self.s.len() - 4);
        let places = &self.s[first..first + 4];
        let share = |i: usize| -> f64 {
            let others = (0..4).filter(|k| *k != i);
            others.map(|k| (s - places[k]) / (places[i] - places[k])).product()
        };
        (0..4).map(|i| values[first + i] * share(i)).sum()
    }

    fn measure(&self, grid: Grid) -> Result<Vec<Quantity>, String> {
        let (density, gravity) = weight(&self.force_per_length);
        let mesh = self.uniform.mesh(grid.n)?;
        let strain = |s: f64| self.between(&self.strains, s);
        let rod = Uniform { density, ..self.uniform }.build(grid.model, &mesh, &strain)?;
        let mut problem = Problem::new(rod, End::clamped(self.clamp), End::free());
        problem.gravity = gravity;
        let shape = at_rest(&problem, &self.clamp);
        let found = natural_rod(&problem, &shape).map_err(|error| error.to_string())?;
        if found.report.status != Status::Converged {
            return Err(format!("a solve from the shape: {}", found.report.status));
        }
        let mut out = Vec::new();
        if let Some(samples) = &self.samples {
            samples.compare(&found.problem.rod, &found.state.rod, &mut out);
        }
        let stiffness = self.uniform.stiffness;
        let largest = self.natural.iter().map(Vec3::norm).fold(0.0, f64::max);
        let places: Vec<(f64, Vec3)> = match grid.model {
            Model::Spline => {
                let strain = |own: &Sample| own.strain - own.moment_material.component_div(&stiffness);
                let samples = profile(&found.problem, &found.state).samples;
                samples.iter().map(|own| (own.s, strain(own))).collect()
            }
            Model::Chain(_) => inner_places(&found.problem.rod.natural_rows(), self.uniform.length),
            Model::Curvature(_) => own_places(&found.problem.rod.natural_rows()),
        };
        let off = places
            .into_iter()
            .map(|(s, natural)| (natural - self.between(&self.natural, s)).norm() / largest);
        out.push(Quantity::new("natural strain", off.fold(0.0, f64::max), tolerance::NATURAL));
        if let Some(stable) = self.stable {
            let told = found.report.negative == 0;
            out.push(Quantity::new("stable or not", f64::from(u8::from(told != stable)), 0.5));
        }
        Ok(out)
    }
}

/// Where rows of a natural strain are compared, and what it is there.
fn own_places(rows: &[(f64, Vec3)]) -> Vec<(f64, Vec3)> {
    let stretches = rows.windows(2).filter(|w| w[1].0 > w[0].0);
    let own = |w: &[(f64, Vec3)]| -> Vec<(f64, Vec3)> {
        let at = |share: f64| (w[0].0 + (w[1].0 - w[0].0) * share, w[0].1.lerp(&w[1].1, share));
        if w[0].1 == w[1].1 { vec![at(0.5)] } else { GAUSS.map(at).to_vec() }
    };
    stretches.flat_map(own).collect()
}

/// The same of a chain. Half a cell at either end has the curvature of its middle and the moment of its end: what such a cell has is of first
/// order, over a stretch that shrinks. At the ends what is linear through the two vertices beside them is compared instead.
fn inner_places(rows: &[(f64, Vec3)], length: f64) -> Vec<(f64, Vec3)> {
    let mut places = own_places(rows);
    let n = places.len();
    if n < 6 {
        return places;
    }
    let through = |s: f64, a: (f64, Vec3), b: (f64, Vec3)| (s, a.1.lerp(&b.1, (s - a.0) / (b.0 - a.0)));
    places[0] = through(0.0, places[1], places[2]);
    places[n - 1] = through(length, places[n - 2], places[n - 3]);
    places
}

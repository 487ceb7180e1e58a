//! What touches, by names: a list for tables and files, of cables and of parts with a shape.

use crate::contact::{PartPress, Press};
use crate::harness::{Compiled, Solution};
use crate::pressure::Pressure;
use flexline::Vec3;
use flexline::solver::Profile;
use flexline::solver::network::ContactState;

/// One contact.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Touching {
    /// The cable, or the part with a shape.
    pub a: String,
    /// The obstacle, cable or part that presses on it.
    pub b: String,
    /// Arc length on the cable, m; none on a part.
    pub at: Option<f64>,
    /// Where, m, world: on the axis of the cable, or on the surface of the part.
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub position: Vec3,
    /// From what presses to what is pressed, world.
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub normal: Vec3,
    /// Distance of the surfaces, m.
    pub gap: f64,
    /// Force on what is pressed, N, world: along the normal, and friction.
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub force: Vec3,
    /// Line pressure there, N/m, over one diameter; none on a part.
    pub pressure: Option<f64>,
    /// Whether it slides.
    pub state: ContactState,
    /// How far it has slid since the last equilibrium, m.
    pub slip: f64,
}

impl Compiled {
    /// All contacts of a solution: those of cables, then those of parts.
    pub fn touching(&self, solution: &Solution) -> Vec<Touching> {
        self.touching_of(&self.presses(solution), &self.part_presses(solution), &solution.profiles)
    }

    /// The same of what presses anywhere, in motion too, with the samples of every cable.
    pub fn touching_of(
        &self,
        presses: &[Press],
        on_parts: &[PartPress],
        profiles: &[Profile],
    ) -> Vec<Touching> {
        let each = self.cables.iter().zip(profiles).enumerate();
        let along: Vec<Pressure> =
            each.map(|(i, (_, profile))| Pressure::new(presses, i, &profile.samples)).collect();
        let on_cable = |press: &Press| {
            let width = self.pressed_length(press.cable, press.s);
            Touching {
                a: self.cables[press.cable].name.clone(),
                b: self.presser(press.by).to_owned(),
                at: Some(press.s),
                position: press.position,
                normal: press.normal,
                gap: press.gap,
                force: press.force,
                pressure: along.get(press.cable).and_then(|own| own.of(press.by, press.s, width)),
                state: press.state,
                slip: press.slip,
            }
        };
        let on_part = |press: &PartPress| Touching {
            a: self.obstacles[press.shape].name.clone(),
            b: self.obstacles[press.by].name.clone(),
            at: None,
            position: press.position,
            normal: press.normal,
            gap: press.gap,
            force: press.force,
            pressure: None,
            state: press.state,
            slip: press.slip,
        };
        presses.iter().map(on_cable).chain(on_parts.iter().map(on_part)).collect()
    }
}

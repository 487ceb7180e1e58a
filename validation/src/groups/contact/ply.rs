//! Two equal rods wound round each other.
//!
//! A turn of the ply is held at one end as the helices are there, but for the way to the axis, where they hold each other; at
//! the other end it may slide along the axis, z, under the axial force of the case. The rods turn about themselves between their ends by what their twisting moment asks for.

use super::super::{list, name, pending};
use super::CHAINS;
use crate::case::{Cases, Measure};
use crate::compare::worse;
use crate::field::{Field, FieldError};
use crate::judge::{Quantity, tolerance};
use crate::rods::{Grid, Uniform};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::{Rod, Station};
use flexline::solver::network::{
    Anchor, Attachment, Contact, Network, NetworkReport, NetworkState, NetworkWorkspace, Other, Span,
    solve_network,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};
use std::f64::consts::{PI, TAU};

/// Shares of the length between which the pressure is taken: away from the ends.
const MIDDLE: [f64; 2] = [0.3, 0.7];

/// Reads `balanced_ply` and `loaded_ply`; a whole plectoneme is not posed.
pub(in super::super) fn read(root: &Field, test: &str, cases: &mut Cases) -> Result<(), FieldError> {
    let done = ["balanced_ply", "loaded_ply"];
    for key in done {
        for (place, case) in list(root, key)? {
            cases.add_contact(name(&case, key, place)?, place, &CHAINS, ply(&case))?;
        }
    }
    pending::read_others("h_ply", test, root, &done, cases)
}

/// Helices of one radius about z, half a turn apart.
#[derive(Clone, Copy)]
struct Ply {
    uniform: Uniform,
    radius: f64,
    /// Sine and cosine of the angle of the strands to the axis.
    sin: f64,
    cos: f64,
    /// How fast the strands turn about themselves, rad/m.
    twist: f64,
    /// Force that pulls the ply, N.
    pull: f64,
}

impl Ply {
    /// A strand at `s`; its directors turn as its twist says.
    fn station(&self, strand: usize, s: f64) -> Station {
        let (sine, cosine) = (s * self.sin / self.radius + strand as f64 * PI).sin_cos();
        let outward = Vec3::new(cosine, sine, 0.0);
        let tangent = Vec3::new(-sine, cosine, 0.0) * self.sin + Vec3::z() * self.cos;
        // The normal points to the axis and turns about the tangent with the torsion of the helix.
        let turned = (self.twist - self.sin * self.cos / self.radius) * s;
        let d1 = rotation::rotate(&rotation::exp(&(tangent * turned)), &-outward);
        Station {
            position: outward * self.radius + Vec3::z() * (s * self.cos),
            frame: rotation::frame(&tangent, &d1),
        }
    }

    /// Brings both strands to rest from their helices.
    fn solve(&self, grid: Grid) -> Result<(Network, NetworkState, NetworkReport), String> {
        let mut network = Network::default();
        let length = self.uniform.length;
        for strand in 0..2 {
            let first = network.anchors.len();
            for s in [0.0, length] {
                let Station { position, frame: orientation } = self.station(strand, s);
                network.anchors.push(Anchor::fixed(Pose { position, orientation }));
            }
            // A helix has no shear towards its axis: the other strand holds it there.
            network.anchors[first].held[0] = false;
            network.anchors[first + 1].held = [false, true, false];
            network.anchors[first + 1].force.z = 0.5 * self.pull;
            let ends = [first, first + 1].map(Attachment::clamped);
            network.spans.push(Span {
                contact_radius: self.radius,
                ..Span::new(self.uniform.straight(grid)?, ends[0], Some(ends[1]))
            });
        }
        let mut state = NetworkState::initial(&network);
        for (strand, own) in state.spans.iter_mut().enumerate() {
            own.rod = network.spans[strand].rod.state_from(&|s| self.station(strand, s));
        }
        let mut ws = NetworkWorkspace::new(&network);
        let report = solve_network(&network, &mut state, &mut ws, &Settings::interactive())
            .map_err(|e| e.to_string())?;
        match report.status {
            Status::Converged => Ok((network, state, report)),
            status => {
                Err(format!("the solver stopped with {status:?} after {} iterations", report.iterations))
            }
        }
    }
}

/// Force per length of the first strand, N/m, away from its ends.
fn pressure(contacts: &[Contact], length: f64) -> f64 {
    let mut own: Vec<(f64, f64)> = contacts
        .iter()
        .filter_map(|c| {
            let s = if c.body.span() == Some(0) { c.s } else { other_place(c)? };
            Some((s, c.force.norm()))
        })
        .filter(|(s, _)| *s > MIDDLE[0] * length && *s < MIDDLE[1] * length)
        .collect();
    own.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [first, .., last] = own[..] else { return f64::NAN };
    let sum: f64 = own.iter().map(|(_, force)| force).sum();
    (sum - 0.5 * (first.1 + last.1)) / (last.0 - first.0)
}

/// The place on the first strand of what presses on the second.
fn other_place(contact: &Contact) -> Option<f64> {
    match contact.other {
        Other::Span { index: 0, s } => Some(s),
        _ => None,
    }
}

fn ply(case: &Field) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let (ei, radius) = (params.positive("EI")?, params.positive("radius")?);
    let k0 = params.positive("K0")?;
    let (sin, cos) = params.positive("ply_angle_deg")?.to_radians().sin_cos();
    let results = case.get("results")?;
    // Of a balanced ply it is a result.
    let moment = match params.maybe_number("strand_twisting_moment")? {
        Some(moment) => moment,
        None => results.number("strand_twisting_moment")?,
    };
    let contact = results.maybe_number("contact_force_per_length")?;
    let axial_moment = results.maybe_number("total_axial_moment")?;
    let length = TAU * radius / sin;
    let ply = Ply {
        uniform: Uniform { length, stiffness: Vec3::new(ei, ei, k0), density: 0.0 },
        radius,
        sin,
        cos,
        twist: moment / k0,
        pull: params.maybe_number("total_axial_force")?.unwrap_or(0.0),
    };
    Ok(Box::new(move |grid| {
        let (network, state, report) = ply.solve(grid)?;
        let mut out = Vec::new();
        let off = (0..2)
            .flat_map(|k| network.spans[k].rod.arcs().iter().map(move |&s| (k, s)).collect::<Vec<_>>())
            .map(|(k, s)| {
                let found = network.spans[k].rod.station(&state.spans[k].rod, s).position;
                (found - ply.station(k, s).position).norm()
            });
        let off = off.fold(0.0, worse) / length;
        out.push(Quantity::new("centreline", off, tolerance::contact::CENTRELINE));
        let overlap = report.penetration / length;
        out.push(Quantity::new("penetration", overlap, tolerance::contact::PENETRATION).unordered());
        let found = pressure(&report.contacts, length);
        out.extend(
            contact.map(|r| {
                Quantity::new("contact force", (found / r - 1.0).abs(), tolerance::contact::PRESSURE)
            }),
        );
        // What the fixed ends take up about the axis, against what the strands bring there.
        let turning: f64 = [0, 2]
            .into_iter()
            .map(|k| {
                let held = &report.reactions[k];
                held.moment.z + state.anchors[k].position.cross(&held.force).z
            })
            .sum();
        out.extend(axial_moment.map(|r| {
            let scale = r.abs().max(moment.abs());
            Quantity::new("moment of the ply", (-turning - r).abs() / scale, tolerance::contact::FORCE)
        }));
        Ok(out)
    }))
}

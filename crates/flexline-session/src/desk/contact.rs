//! Obstacles as a page shows them, what presses on cables, and how near they are.

use crate::session::{Solved, checksum};
use flexline::contact::{Mesh, Shape};
use flexline::solver::Status;
use flexline_scene::obstacle::Form;
use serde::Serialize;
use std::sync::Arc;

/// What cables cannot enter.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Obstacle"))]
pub struct ObstacleView {
    /// Its name, which a thing has too: that says where it is.
    pub name: String,
    /// What it is.
    pub form: ObstacleForm,
    /// Its radius, m, where it has one.
    pub radius: Option<f64>,
    /// Its whole length, m, where it has one; of a capsule that of the straight part.
    pub length: Option<f64>,
    /// Of a box: its whole lengths, m.
    #[cfg_attr(feature = "typescript", ts(as = "Option<flexline_scene::typescript::Vector>"))]
    pub size: Option<[f64; 3]>,
    /// Of a mesh: what `GET …/mesh/KEY` calls it.
    pub mesh: Option<String>,
    /// Of a mesh: its triangles.
    pub triangles: Option<usize>,
    /// Coulomb's coefficient of cables on it.
    pub friction: f64,
}

/// What an obstacle is, in its own axes: bars and tubes along z, a plane solid below z = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ObstacleForm {
    /// Everything below z = 0.
    Plane,
    /// A ball.
    Sphere,
    /// A round bar with flat ends, or without end.
    Cylinder,
    /// A round bar with round ends.
    Capsule,
    /// A block.
    Box,
    /// A bore without end that cables are led in.
    Tube,
    /// A mesh of triangles.
    Mesh,
}

/// Something that presses on a cable, or on a part with a shape.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Contact"))]
pub struct ContactView {
    /// The cable, or the obstacle that is the shape of the part.
    pub cable: String,
    /// The obstacle, or the other cable.
    pub by: String,
    /// Where the axis of the cable is, or the surface of the part, m.
    #[cfg_attr(feature = "typescript", ts(as = "flexline_scene::typescript::Vector"))]
    pub position: [f64; 3],
    /// From what presses to the cable or the part.
    #[cfg_attr(feature = "typescript", ts(as = "flexline_scene::typescript::Vector"))]
    pub normal: [f64; 3],
    /// Force on the cable or the part, N.
    #[cfg_attr(feature = "typescript", ts(as = "flexline_scene::typescript::Vector"))]
    pub force: [f64; 3],
}

/// Where a cable is nearest to an obstacle.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Clearance"))]
pub struct ClearanceView {
    /// The cable.
    pub cable: String,
    /// The obstacle.
    pub obstacle: String,
    /// Arc length of the place, m.
    pub s: f64,
    /// Distance of the surfaces, m; negative where they overlap.
    pub gap: f64,
    /// Where the axis of the cable is, m.
    #[cfg_attr(feature = "typescript", ts(as = "flexline_scene::typescript::Vector"))]
    pub position: [f64; 3],
}

/// What a mesh is called: the same while it is the same.
fn key(mesh: &Mesh) -> String {
    let [low, high] = mesh.extent();
    let mut bytes: Vec<u8> = Vec::new();
    // A mesh that differs by a vertex differs in one of these but for the rarest chance.
    let sum =
        mesh.vertices().iter().enumerate().fold(low * 0.0, |sum, (i, v)| sum + v * (1.0 + i as f64).sqrt());
    for value in low.iter().chain(high.iter()).chain(sum.iter()) {
        bytes.extend(value.to_bits().to_le_bytes());
    }
    for count in [mesh.vertices().len(), mesh.triangles().len()] {
        bytes.extend(count.to_le_bytes());
    }
    format!("{:016x}", checksum(&bytes))
}

/// The obstacles of a scene.
pub(super) fn obstacles(solved: &Solved) -> Vec<ObstacleView> {
    let made = solved.scene.obstacles.iter().zip(&solved.compiled.network.obstacles);
    made.map(|(spec, own)| {
        let (form, radius, length) = match &spec.form {
            Form::Plane => (ObstacleForm::Plane, None, None),
            Form::Sphere { radius } => (ObstacleForm::Sphere, Some(*radius), None),
            Form::Cylinder { radius, length } => (ObstacleForm::Cylinder, Some(*radius), *length),
            Form::Capsule { radius, length } => (ObstacleForm::Capsule, Some(*radius), Some(*length)),
            Form::Box { .. } => (ObstacleForm::Box, None, None),
            Form::Tube { radius } => (ObstacleForm::Tube, Some(*radius), None),
            Form::Mesh(_) => (ObstacleForm::Mesh, None, None),
        };
        let size = if let Form::Box { size } = &spec.form { Some((*size).into()) } else { None };
        let mesh = if let Shape::Mesh(mesh) = &own.shape { Some(mesh) } else { None };
        ObstacleView {
            name: spec.name.clone(),
            form,
            radius,
            length,
            size,
            mesh: mesh.map(|mesh| key(mesh)),
            triangles: mesh.map(|mesh| mesh.triangles().len()),
            friction: spec.friction,
        }
    })
    .collect()
}

/// The meshes of obstacles, by their keys.
pub(super) fn meshes(solved: &Solved) -> Vec<(String, Arc<Mesh>)> {
    let own = solved.compiled.network.obstacles.iter().filter_map(|own| match &own.shape {
        Shape::Mesh(mesh) => Some((key(mesh), mesh.clone())),
        _ => None,
    });
    own.collect()
}

/// What presses on cables; nothing is known of that without equilibrium.
pub(super) fn contacts(solved: &Solved) -> Vec<ContactView> {
    let Solved { compiled, solution, .. } = solved;
    if solution.report.status != Status::Converged {
        return Vec::new();
    }
    let on_parts = compiled.part_presses(solution).into_iter().map(|press| ContactView {
        cable: compiled.obstacles[press.shape].name.clone(),
        by: compiled.obstacles[press.by].name.clone(),
        position: press.position.into(),
        normal: press.normal.into(),
        force: press.force.into(),
    });
    let presses = compiled.presses(solution).into_iter();
    presses
        .map(|press| ContactView {
            cable: compiled.cables[press.cable].name.clone(),
            by: compiled.presser(press.by).to_owned(),
            position: press.position.into(),
            normal: press.normal.into(),
            force: press.force.into(),
        })
        .chain(on_parts)
        .collect()
}

/// Where a cable is nearest to an obstacle.
pub(super) fn clearance(solved: &Solved) -> Option<ClearanceView> {
    let Solved { compiled, solution, .. } = solved;
    let each = (0..compiled.cables.len()).filter_map(|i| Some((i, compiled.least_clearance(solution, i)?)));
    let (cable, least) = each.min_by(|a, b| a.1.gap.total_cmp(&b.1.gap))?;
    let samples = &solution.profiles[cable].samples;
    let next = samples.partition_point(|sample| sample.s < least.s).min(samples.len().checked_sub(1)?);
    Some(ClearanceView {
        cable: compiled.cables[cable].name.clone(),
        obstacle: compiled.obstacles.get(least.obstacle)?.name.clone(),
        s: least.s,
        gap: least.gap,
        position: samples[next].position.into(),
    })
}

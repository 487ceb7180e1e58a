//! Obstacles as geoms.

use super::text::{Numbers, vector};
use crate::xml::escaped;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Mesh, Obstacle, Shape};
use flexline::solver::Pose;
use std::fmt::Write as _;

/// Half the length of what is endless, m.
const ENDLESS: f64 = 20.0;
/// Planks around a bore.
const PLANKS: usize = 24;

/// Lines of a file.
#[derive(Default)]
pub(super) struct Made {
    pub(super) geoms: Vec<String>,
    pub(super) assets: String,
}

/// The geoms of an obstacle at a pose; what is otherwise than in the scene goes to `notes`.
pub(super) fn geoms(name: &str, obstacle: &Obstacle, pose: &Pose, notes: &mut Vec<String>) -> Made {
    let label = escaped(name);
    let material = format!(
        "contype=\"2\" conaffinity=\"1\" friction=\"{} 0.005 0.0001\" rgba=\".6 .62 .65 1\"",
        obstacle.friction
    );
    let line = |suffix: &str, kind: &str, size: &[f64], at: &Pose| {
        let q = at.orientation;
        format!(
            "<geom name=\"{label}{suffix}\" type=\"{kind}\" size=\"{}\" pos=\"{}\" quat=\"{} {} {} {}\" {material}/>",
            Numbers(size.to_vec()),
            vector(&at.position),
            q.w,
            q.i,
            q.j,
            q.k
        )
    };
    let mut made = Made::default();
    match &obstacle.shape {
        Shape::Plane => made.geoms.push(line("", "plane", &[0.0, 0.0, 1.0], pose)),
        Shape::Sphere { radius } => made.geoms.push(line("", "sphere", &[*radius], pose)),
        Shape::Cylinder { radius, half_length } => {
            made.geoms.push(line("", "cylinder", &[*radius, half_length.unwrap_or(ENDLESS)], pose));
            if half_length.is_none() {
                notes.push(format!("'{name}' has no ends in the scene; here it is {} m long", 2.0 * ENDLESS));
            }
        }
        Shape::Capsule { radius, half_length } => {
            made.geoms.push(line("", "capsule", &[*radius, *half_length], pose))
        }
        Shape::Box { half } => made.geoms.push(line("", "box", &[half.x, half.y, half.z], pose)),
        Shape::Tube { radius } => {
            let half = radius * (std::f64::consts::PI / PLANKS as f64).tan();
            for k in 0..PLANKS {
                let angle = std::f64::consts::TAU * k as f64 / PLANKS as f64;
                let turn = rotation::exp(&Vec3::new(0.0, 0.0, angle));
                let orientation = pose.orientation * turn;
                let out = rotation::rotate(&orientation, &Vec3::x());
                let at = Pose { position: pose.position + out * (1.25 * radius), orientation };
                made.geoms.push(line(&format!(":{k}"), "box", &[0.25 * radius, half, ENDLESS], &at));
            }
            notes.push(format!(
                "the bore '{name}' is {PLANKS} planks here, {} m long and up to 0.9 % wider",
                2.0 * ENDLESS
            ));
        }
        Shape::Mesh(mesh) => mesh_geoms(name, mesh, pose, &material, &mut made, notes),
        _ => notes.push(format!("'{name}' is of a shape that this file has nothing for, and is left out")),
    }
    made
}

/// Every body of a mesh is a mesh, which MuJoCo takes the hull of.
fn mesh_geoms(
    name: &str,
    mesh: &Mesh,
    pose: &Pose,
    material: &str,
    made: &mut Made,
    notes: &mut Vec<String>,
) {
    let (vertices, triangles) = (mesh.vertices(), mesh.triangles());
    let mut bodies = bodies(vertices.len(), triangles);
    let flat = |own: &Vec<u32>| is_flat(vertices, triangles, own);
    let left_out = bodies.iter().filter(|own| flat(own)).count();
    bodies.retain(|own| !flat(own));
    if left_out > 0 {
        notes.push(format!("{left_out} flat sheet(s) of the mesh '{name}' have no hull and are left out"));
    }
    notes.push(format!(
        "the mesh '{name}' is touched as the convex hull of each of its {} bodies",
        bodies.len()
    ));
    let label = escaped(name);
    let q = pose.orientation;
    for (k, own) in bodies.iter().enumerate() {
        let mut index = vec![u32::MAX; vertices.len()];
        let mut points = Vec::new();
        let mut faces = String::new();
        for t in own {
            for corner in triangles[*t as usize] {
                let slot = &mut index[corner as usize];
                if *slot == u32::MAX {
                    *slot = (points.len() / 3) as u32;
                    points.extend(vertices[corner as usize].iter().copied());
                }
                let _ = write!(faces, "{slot} ");
            }
        }
        let _ = writeln!(
            made.assets,
            "    <mesh name=\"{label}:{k}\" inertia=\"shell\" vertex=\"{}\" face=\"{}\"/>",
            Numbers(points),
            faces.trim_end()
        );
        made.geoms.push(format!(
            "<geom name=\"{label}:{k}\" type=\"mesh\" mesh=\"{label}:{k}\" pos=\"{}\" quat=\"{} {} {} {}\" {material}/>",
            vector(&pose.position),
            q.w,
            q.i,
            q.j,
            q.k
        ));
    }
}

/// Triangles that hang together, body by body.
fn bodies(vertices: usize, triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut root: Vec<u32> = (0..vertices as u32).collect();
    fn find(root: &mut [u32], mut k: u32) -> u32 {
        while root[k as usize] != k {
            root[k as usize] = root[root[k as usize] as usize];
            k = root[k as usize];
        }
        k
    }
    for t in triangles {
        let a = find(&mut root, t[0]);
        for other in &t[1..] {
            let b = find(&mut root, *other);
            root[b as usize] = a;
        }
    }
    let mut slots = std::collections::BTreeMap::<u32, Vec<u32>>::new();
    for (k, t) in triangles.iter().enumerate() {
        slots.entry(find(&mut root, t[0])).or_default().push(k as u32);
    }
    slots.into_values().collect()
}

/// Whether triangles lie in one plane, to a millionth of what they measure.
fn is_flat(vertices: &[Vec3], triangles: &[[u32; 3]], own: &[u32]) -> bool {
    let corners = || own.iter().flat_map(|t| triangles[*t as usize]).map(|k| vertices[k as usize]);
    let normal = |t: &u32| {
        let [a, b, c] = triangles[*t as usize].map(|k| vertices[k as usize]);
        (b - a).cross(&(c - a))
    };
    let Some(first) = corners().next() else { return true };
    let largest = own.iter().map(normal).max_by(|a, b| a.norm().total_cmp(&b.norm())).unwrap_or_default();
    let Some(unit) = largest.try_normalize(0.0) else { return true };
    let size = corners().map(|p| (p - first).norm()).fold(0.0, f64::max);
    corners().all(|p| (p - first).dot(&unit).abs() <= 1e-6 * size)
}

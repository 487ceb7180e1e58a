//! Obstacles of a scene as surfaces, and what presses on its cables as arrows.

use super::Shown;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Obstacle, Shape};
use flexline::solver::Status;
use flexline_plot::{Colour, Load, LoadKind, Solid};
use flexline_scene::contact::Press;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const STONE: Colour = Colour::hex(0xc4_bfb4);
const GLASS: Colour = Colour::hex(0x9f_b4c4);
/// Corners of a circle, and rings of a ball from its equator to a pole.
const CORNERS: usize = 36;
const RINGS: usize = 9;
/// Pieces of an endless surface either way: short enough to be sorted among cables.
const PIECES: usize = 16;
/// How many triangles stand side by side over the picture at least.
const FINENESS: f64 = 60.0;
/// More triangles than this are not drawn; the box around them is.
const MOST: usize = 60_000;
/// More contacts of a cable with one obstacle than this are drawn as their resultant.
const FEW: usize = 3;

/// The part of space that is drawn: the box around the cables, with room.
struct Scope {
    low: Vec3,
    high: Vec3,
}

impl Scope {
    fn of(solved: &Shown<'_>) -> Self {
        let samples = solved.solution.profiles.iter().flat_map(|profile| &profile.samples);
        let (low, high) = samples
            .fold((Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)), |(low, high), sample| {
                (low.inf(&sample.position), high.sup(&sample.position))
            });
        let room = 0.12 * (high - low).norm().max(1e-3);
        Self { low: low.add_scalar(-room), high: high.add_scalar(room) }
    }

    /// The box around it in the axes of an obstacle.
    fn seen_from(&self, own: impl Fn(&Vec3) -> Vec3) -> [Vec3; 2] {
        let corner = |k: usize| {
            let at = |axis: usize| if k >> axis & 1 == 0 { self.low[axis] } else { self.high[axis] };
            own(&Vec3::new(at(0), at(1), at(2)))
        };
        let first = corner(0);
        (1..8).map(corner).fold([first; 2], |[low, high], p| [low.inf(&p), high.sup(&p)])
    }

    /// Whether a triangle may be seen in it.
    fn holds(&self, triangle: &[Vec3; 3]) -> bool {
        let (low, high) = (
            triangle[0].inf(&triangle[1]).inf(&triangle[2]),
            triangle[0].sup(&triangle[1]).sup(&triangle[2]),
        );
        (0..3).all(|k| low[k] <= self.high[k] && high[k] >= self.low[k])
    }
}

/// The obstacles as surfaces.
pub fn solids(solved: &Shown<'_>) -> Vec<Solid> {
    let scope = Scope::of(solved);
    solved.compiled.network.obstacles.iter().filter_map(|own| solid(own, &scope)).collect()
}

fn solid(obstacle: &Obstacle, scope: &Scope) -> Option<Solid> {
    let Obstacle { shape, pose, .. } = obstacle;
    let own = |p: &Vec3| rotation::rotate(&pose.orientation.conjugate(), &(p - pose.position));
    let [from, to] = scope.seen_from(own);
    let mut faces: Vec<[Vec3; 3]> = Vec::new();
    let (mut closed, mut glassy) = (true, false);
    match shape {
        Shape::Plane => {
            let step = (to - from) / PIECES as f64;
            let at =
                |i: usize, j: usize| Vec3::new(from.x + step.x * i as f64, from.y + step.y * j as f64, 0.0);
            grid(&mut faces, PIECES, PIECES, at);
            (closed, glassy) = (false, true);
        }
        Shape::Sphere { radius } => {
            lathe(&mut faces, &arc(*radius, 0.0, -FRAC_PI_2, FRAC_PI_2, 2 * RINGS));
        }
        Shape::Capsule { radius, half_length } => {
            let mut profile = arc(*radius, -half_length, -FRAC_PI_2, 0.0, RINGS);
            profile.extend(arc(*radius, *half_length, 0.0, FRAC_PI_2, RINGS));
            lathe(&mut faces, &profile);
        }
        Shape::Cylinder { radius, half_length } => {
            let [low, high] = half_length.map_or([from.z, to.z], |h| [-h, h]);
            let mut profile = vec![[0.0, low]];
            profile.extend((0..=PIECES).map(|k| [*radius, low + (high - low) * k as f64 / PIECES as f64]));
            profile.push([0.0, high]);
            lathe(&mut faces, &profile);
        }
        Shape::Tube { radius } => {
            let step = (to.z - from.z) / PIECES as f64;
            let profile: Vec<[f64; 2]> = (0..=PIECES).map(|k| [*radius, from.z + step * k as f64]).collect();
            lathe(&mut faces, &profile);
            (closed, glassy) = (false, true);
        }
        Shape::Box { half } => block(&mut faces, -half, *half),
        Shape::Mesh(mesh) => {
            let points = |t: &[u32; 3]| t.map(|v| mesh.vertices()[v as usize]);
            let to_world = |p: Vec3| pose.position + rotation::rotate(&pose.orientation, &p);
            let seen = mesh.triangles().iter().map(points).filter(|t| scope.holds(&t.map(to_world)));
            faces.extend(seen.take(MOST + 1));
            closed = false;
            if faces.len() > MOST {
                faces.clear();
                let [low, high] = mesh.extent();
                block(&mut faces, low, high);
                (closed, glassy) = (true, true);
            }
        }
        _ => return None,
    }
    let faces = finer(faces, (scope.high - scope.low).norm() / FINENESS);
    let world = |p: Vec3| <[f64; 3]>::from(pose.position + rotation::rotate(&pose.orientation, &p));
    let triangles: Vec<[[f64; 3]; 3]> = faces.into_iter().map(|face| face.map(world)).collect();
    let colour = if glassy { GLASS } else { STONE };
    (!triangles.is_empty()).then_some(Solid { triangles, colour, closed, glassy })
}

/// Triangles with no side longer than `most`, halved as often as that takes: they are sorted among cables by their middles.
fn finer(mut faces: Vec<[Vec3; 3]>, most: f64) -> Vec<[Vec3; 3]> {
    let mut done = Vec::new();
    while let Some([a, b, c]) = faces.pop() {
        // The longest side first.
        let [a, b, c] = [[a, b, c], [b, c, a], [c, a, b]]
            .into_iter()
            .max_by(|x, y| (x[1] - x[0]).norm().total_cmp(&(y[1] - y[0]).norm()))
            .unwrap_or([a, b, c]);
        if (b - a).norm() <= most || done.len() + faces.len() >= MOST {
            done.push([a, b, c]);
            continue;
        }
        let middle = 0.5 * (a + b);
        faces.push([a, middle, c]);
        faces.push([middle, b, c]);
    }
    done
}

/// Two triangles for every cell of a grid; counter-clockwise where the second index runs to the left of the first.
fn grid(faces: &mut Vec<[Vec3; 3]>, rows: usize, columns: usize, at: impl Fn(usize, usize) -> Vec3) {
    for i in 0..rows {
        for j in 0..columns {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            faces.push([a, b, c]);
            faces.push([a, c, d]);
        }
    }
}

/// A profile (distance from the axis, height) turned about z, seen from outside where its height grows.
fn lathe(faces: &mut Vec<[Vec3; 3]>, profile: &[[f64; 2]]) {
    let at = |i: usize, j: usize| {
        let ([radius, height], angle) = (profile[j], TAU * i as f64 / CORNERS as f64);
        Vec3::new(radius * angle.cos(), radius * angle.sin(), height)
    };
    grid(faces, CORNERS, profile.len() - 1, at);
}

/// Points of an arc about a place of the axis, from one latitude to another.
fn arc(radius: f64, height: f64, from: f64, to: f64, pieces: usize) -> Vec<[f64; 2]> {
    let point = |k: usize| {
        let latitude = from + (to - from) * k as f64 / pieces as f64;
        // On the axis exactly, where it begins and ends there.
        let out = if (latitude.abs() - FRAC_PI_2).abs() < 1e-3 * PI { 0.0 } else { radius * latitude.cos() };
        [out, height + radius * latitude.sin()]
    };
    (0..=pieces).map(point).collect()
}

/// The six faces of a box, in cells that can be sorted among cables.
fn block(faces: &mut Vec<[Vec3; 3]>, low: Vec3, high: Vec3) {
    let size = high - low;
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (side, turned) in [(low[axis], true), (high[axis], false)] {
            let at = |i: usize, j: usize| {
                let mut p = low;
                p[axis] = side;
                let (i, j) = if turned { (j, i) } else { (i, j) };
                p[u] += size[u] * i as f64 / 8.0;
                p[v] += size[v] * j as f64 / 8.0;
                p
            };
            grid(faces, 8, 8, at);
        }
    }
}

/// What presses on cables: one arrow each where there are few on one obstacle, their resultant where there are many.
pub fn presses(solved: &Shown<'_>, cable: Option<usize>) -> Vec<Load> {
    if solved.status() != Status::Converged {
        return Vec::new();
    }
    let all = solved.compiled.presses(solved.solution);
    let mut groups: Vec<Vec<&Press>> = Vec::new();
    for press in all.iter().filter(|press| cable.is_none_or(|own| own == press.cable)) {
        let same = |group: &&mut Vec<&Press>| group[0].cable == press.cable && group[0].by == press.by;
        match groups.iter_mut().find(same) {
            Some(group) => group.push(press),
            None => groups.push(vec![press]),
        }
    }
    let load = |at: Vec3, force: Vec3| Load { at: at.into(), vector: force.into(), kind: LoadKind::Force };
    let arrows = |group: Vec<&Press>| -> Vec<Load> {
        if group.len() <= FEW {
            return group.iter().map(|press| load(press.position, press.force)).collect();
        }
        let total: f64 = group.iter().map(|press| press.force.norm()).sum();
        let at: Vec3 = group.iter().map(|press| press.position * (press.force.norm() / total)).sum();
        vec![load(at, group.iter().map(|press| press.force).sum())]
    };
    groups.into_iter().flat_map(arrows).collect()
}

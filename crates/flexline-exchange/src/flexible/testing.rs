//! Meshes of cables with a known centreline, made for tests: a bounded curvature integrated in a frame that does not turn
//! about its tangent, swept by a section.

use flexline::Vec3;

use super::Flexible;

/// A centreline in equal steps of arc length, with a frame that does not turn about it.
#[derive(Clone)]
pub(crate) struct Curve {
    pub length: f64,
    pub points: Vec<Vec3>,
    pub frames: Vec<[Vec3; 3]>,
}

const STEPS: usize = 4000;

impl Curve {
    /// From the two curvatures as functions of arc length; starts at the origin along x.
    pub fn new(length: f64, curvature: impl Fn(f64) -> [f64; 2]) -> Self {
        Self::from(length, Vec3::zeros(), [Vec3::x(), Vec3::y(), Vec3::z()], curvature)
    }

    pub fn from(length: f64, start: Vec3, frame: [Vec3; 3], curvature: impl Fn(f64) -> [f64; 2]) -> Self {
        let h = length / STEPS as f64;
        let (mut x, [mut t, mut a, mut b]) = (start, frame);
        let mut curve = Self { length, points: vec![x], frames: vec![[t, a, b]] };
        for i in 0..STEPS {
            let [p, q] = curvature((i as f64 + 0.5) * h);
            // One rotation by the curvature in the middle of the step; the chord of its arc.
            let axis = p * b - q * a;
            let angle = axis.norm() * h;
            let turn = |v: Vec3, part: f64| {
                let Some(e) = axis.try_normalize(0.0) else { return v };
                let (s, c) = (part * angle).sin_cos();
                c * v + s * e.cross(&v) + (1.0 - c) * e.dot(&v) * e
            };
            let chord = if angle > 1e-9 { h * (0.5 * angle).sin() / (0.5 * angle) } else { h };
            x += chord * turn(t, 0.5);
            (t, a, b) = (turn(t, 1.0), turn(a, 1.0), turn(b, 1.0));
            curve.points.push(x);
            curve.frames.push([t, a, b]);
        }
        curve
    }

    pub fn at(&self, s: f64) -> (Vec3, [Vec3; 3]) {
        let f = (s / self.length * STEPS as f64).clamp(0.0, STEPS as f64);
        let i = (f as usize).min(STEPS - 1);
        let w = f - i as f64;
        let mix = |a: Vec3, b: Vec3| a + w * (b - a);
        let frame = [0, 1, 2].map(|k| mix(self.frames[i][k], self.frames[i + 1][k]).normalize());
        (mix(self.points[i], self.points[i + 1]), frame)
    }

    fn distance(&self, x: &Vec3) -> f64 {
        let nearest =
            (0..=STEPS).min_by(|a, b| (self.points[*a] - x).norm().total_cmp(&(self.points[*b] - x).norm()));
        let i = nearest.unwrap_or(0);
        let t = self.frames[i][0];
        let off = x - self.points[i];
        (off - off.dot(&t).clamp(-self.length / STEPS as f64, self.length / STEPS as f64) * t).norm()
    }
}

/// Triangles with their vertices.
#[derive(Clone, Default)]
pub(crate) struct Mesh {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// A tube of `sides` around and rings at the arc lengths `at`; the section is a radius for arc length and angle.
    pub fn tube(
        curve: &Curve,
        at: &[f64],
        sides: usize,
        caps: bool,
        section: impl Fn(f64, f64) -> f64,
    ) -> Self {
        let mut mesh = Self::default();
        for &s in at {
            let (x, [_, a, b]) = curve.at(s);
            for k in 0..sides {
                let angle = std::f64::consts::TAU * k as f64 / sides as f64;
                mesh.vertices.push(x + section(s, angle) * (angle.cos() * a + angle.sin() * b));
            }
        }
        let id = |ring: usize, k: usize| (ring * sides + k % sides) as u32;
        for r in 1..at.len() {
            for k in 0..sides {
                mesh.triangles.push([id(r - 1, k), id(r - 1, k + 1), id(r, k + 1)]);
                mesh.triangles.push([id(r - 1, k), id(r, k + 1), id(r, k)]);
            }
        }
        if caps {
            for (ring, s) in [(0, at[0]), (at.len() - 1, at[at.len() - 1])] {
                let middle = mesh.vertices.len() as u32;
                mesh.vertices.push(curve.at(s).0);
                for k in 0..sides {
                    mesh.triangles.push([middle, id(ring, k), id(ring, k + 1)]);
                }
            }
        }
        mesh
    }

    pub fn add(&mut self, other: Self) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
    }

    /// Every corner a vertex of its own, off by up to `by`.
    pub fn unwelded(&self, by: f64, random: &mut Random) -> Self {
        let mut mesh = Self::default();
        for t in &self.triangles {
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend(t.map(|v| self.vertices[v as usize] + by * random.inside()));
            mesh.triangles.push([first, first + 1, first + 2]);
        }
        mesh
    }

    pub fn flexible(&self) -> Flexible {
        super::cables(&self.vertices, &self.triangles)
    }
}

/// Equal steps from zero.
pub(crate) fn steps(length: f64, count: usize) -> Vec<f64> {
    (0..=count).map(|i| length * i as f64 / count as f64).collect()
}

/// A seeded sequence (Steele, Lea & Flood 2014).
pub(crate) struct Random(pub u64);

impl Random {
    /// Between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Normal, of deviation one.
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().max(1e-300).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// In the cube −1…1.
    pub fn inside(&mut self) -> Vec3 {
        Vec3::from_fn(|_, _| 2.0 * self.unit() - 1.0)
    }
}

/// Errors of a span against its curve.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    /// Of the length, relative.
    pub length: f64,
    /// Of the centreline in radii, mean and largest, ends left out by a radius.
    pub mean: f64,
    pub worst: f64,
    /// Of the radius, relative, median.
    pub radius: f64,
}

/// Compares span `k` with a curve of given radius.
pub(crate) fn errors(flexible: &Flexible, k: usize, curve: &Curve, radius: impl Fn(f64) -> f64) -> Errors {
    assert_eq!(flexible.refused, None);
    let span = &flexible.spans[k];
    let typical = radius(0.5 * curve.length);
    let inner = |i: &usize| span.arc[*i] > typical && span.arc[*i] < span.length - typical;
    let off: Vec<f64> =
        (0..span.points.len()).filter(inner).map(|i| curve.distance(&span.points[i]) / typical).collect();
    let forward = (span.points[0] - curve.points[0]).norm() < (span.points[0] - curve.points[STEPS]).norm();
    let place = |i: usize| if forward { span.arc[i] } else { curve.length - span.arc[i] };
    let mut thick: Vec<f64> = (0..span.points.len())
        .filter(inner)
        .map(|i| (span.radius[i] / radius(place(i)) - 1.0).abs())
        .collect();
    thick.sort_by(f64::total_cmp);
    let errors = Errors {
        length: (span.length / curve.length - 1.0).abs(),
        mean: off.iter().sum::<f64>() / off.len() as f64,
        worst: off.iter().copied().fold(0.0, f64::max),
        radius: thick[thick.len() / 2],
    };
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    println!(
        "{name}: length {:.1e}, centre {:.1e} at worst {:.1e} radii, radius {:.1e}",
        errors.length, errors.mean, errors.worst, errors.radius
    );
    errors
}

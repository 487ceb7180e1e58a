//! From space to the page: a viewing direction, a projection, and a scale that fits.

use crate::drawing::Rect;
use nalgebra::Vector3;

/// A plane of projection along a coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// x to the right, z up, seen from −y.
    Front,
    /// y to the right, z up, seen from +x.
    Side,
    /// x to the right, y up, seen from +z.
    Top,
}

impl Plane {
    /// The three views.
    pub const ALL: [Self; 3] = [Self::Front, Self::Side, Self::Top];

    /// Indices of the axes to the right and up.
    pub(crate) fn axes(self) -> [usize; 2] {
        match self {
            Self::Front => [0, 2],
            Self::Side => [1, 2],
            Self::Top => [0, 1],
        }
    }

    /// Name of the view.
    pub fn name(self) -> &'static str {
        match self {
            Self::Front => "Front",
            Self::Side => "Side",
            Self::Top => "Top",
        }
    }
}

/// A viewing direction and a projection onto a plane through `centre`, in metres, y up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    pub right: Vector3<f64>,
    pub up: Vector3<f64>,
    /// Unit vector towards the eye.
    pub toward: Vector3<f64>,
    centre: Vector3<f64>,
    /// Distance of the eye from the plane, m; none for parallel projection.
    distance: Option<f64>,
}

impl Camera {
    /// Parallel projection along an axis.
    pub fn along(plane: Plane, centre: Vector3<f64>) -> Self {
        let [i, j] = plane.axes();
        let unit = |k: usize| Vector3::from_fn(|row, _| if row == k { 1.0 } else { 0.0 });
        let (right, up) = (unit(i), unit(j));
        Self { right, up, toward: right.cross(&up), centre, distance: None }
    }

    /// Perspective from the given azimuth (from +x towards +y) and elevation, degrees.
    pub fn perspective(azimuth: f64, elevation: f64, centre: Vector3<f64>, distance: f64) -> Self {
        let (sin_a, cos_a) = azimuth.to_radians().sin_cos();
        let (sin_e, cos_e) = elevation.to_radians().sin_cos();
        let toward = Vector3::new(cos_e * cos_a, cos_e * sin_a, sin_e);
        let right = Vector3::new(-sin_a, cos_a, 0.0);
        Self { right, up: toward.cross(&right), toward, centre, distance: Some(distance) }
    }

    /// Position in the plane, m, y up.
    pub fn plane(&self, p: &Vector3<f64>) -> [f64; 2] {
        let (d, k) = (p - self.centre, self.magnification(p));
        [d.dot(&self.right) * k, d.dot(&self.up) * k]
    }

    /// How near the point is: larger is nearer, m.
    pub fn depth(&self, p: &Vector3<f64>) -> f64 {
        (p - self.centre).dot(&self.toward)
    }

    /// Size in the plane of a unit length at the point.
    pub fn magnification(&self, p: &Vector3<f64>) -> f64 {
        match self.distance {
            // The eye is never nearer than a hundredth of its distance, so this stays finite.
            Some(d) => d / (d - self.depth(p)).max(0.01 * d),
            None => 1.0,
        }
    }
}

/// A camera with a scale and a place on the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projection {
    pub camera: Camera,
    /// Pixels per metre in the plane.
    pub scale: f64,
    origin: [f64; 2],
}

impl Projection {
    /// A projection that puts the point `[x, y]` of the plane (m, y up) at `origin`.
    pub fn new(camera: Camera, scale: f64, plane_point: [f64; 2], at: [f64; 2]) -> Self {
        let origin = [at[0] - plane_point[0] * scale, at[1] + plane_point[1] * scale];
        Self { camera, scale, origin }
    }

    /// The largest projection in which all balls (centre, radius) lie inside `rect`, centred there.
    pub fn fit(camera: Camera, balls: &[(Vector3<f64>, f64)], rect: Rect) -> Self {
        let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for (centre, radius) in balls {
            let (p, r) = (camera.plane(centre), radius * camera.magnification(centre));
            for i in 0..2 {
                lo[i] = lo[i].min(p[i] - r);
                hi[i] = hi[i].max(p[i] + r);
            }
        }
        let size = [0, 1].map(|i| (hi[i] - lo[i]).max(0.0));
        let ratio = |room: f64, size: f64| if size > 0.0 { room / size } else { f64::INFINITY };
        let scale = ratio(rect.width, size[0]).min(ratio(rect.height, size[1]));
        let scale = if scale.is_finite() { scale } else { 1.0 };
        let middle = [0, 1].map(|i| if lo[i] <= hi[i] { 0.5 * (lo[i] + hi[i]) } else { 0.0 });
        Self::new(camera, scale, middle, rect.centre())
    }

    /// Position on the page, px, y down.
    pub fn page(&self, p: &Vector3<f64>) -> [f64; 2] {
        let [x, y] = self.camera.plane(p);
        [self.origin[0] + x * self.scale, self.origin[1] - y * self.scale]
    }

    /// Pixels per metre at the point.
    pub fn pixels(&self, p: &Vector3<f64>) -> f64 {
        self.scale * self.camera.magnification(p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64, z: f64) -> Vector3<f64> {
        Vector3::new(x, y, z)
    }

    #[test]
    fn parallel_views_show_the_named_axes() {
        let p = v(1.0, 2.0, 3.0);
        let plane = |plane| Camera::along(plane, Vector3::zeros()).plane(&p);
        assert_eq!(plane(Plane::Front), [1.0, 3.0]);
        assert_eq!(plane(Plane::Side), [2.0, 3.0]);
        assert_eq!(plane(Plane::Top), [1.0, 2.0]);
        let depth = |plane| Camera::along(plane, Vector3::zeros()).depth(&p);
        assert_eq!([Plane::Front, Plane::Side, Plane::Top].map(depth), [-2.0, 1.0, 3.0]);
    }

    #[test]
    fn the_perspective_basis_is_right_handed_with_z_up() {
        let c = Camera::perspective(-60.0, 25.0, Vector3::zeros(), 5.0);
        assert!((c.right.cross(&c.up) - c.toward).norm() < 1e-15);
        assert!(c.right.z == 0.0 && c.up.z > 0.0);
        assert!(c.plane(&v(0.0, 0.0, 1.0))[1] > 0.0);
    }

    #[test]
    fn near_things_are_larger_in_perspective() {
        let c = Camera::perspective(0.0, 0.0, Vector3::zeros(), 4.0);
        // The eye is at x = 4: at x = 2 the scale doubles, at x = −4 it halves.
        assert_eq!(c.plane(&v(2.0, 1.0, 0.5)), [2.0, 1.0]);
        assert_eq!(c.plane(&v(-4.0, 1.0, 0.5)), [0.5, 0.25]);
        assert!(c.magnification(&v(4.0, 0.0, 0.0)).is_finite());
    }

    #[test]
    fn fitting_fills_the_narrower_side_and_centres() {
        let c = Camera::along(Plane::Front, v(5.0, 0.0, 0.0));
        let balls = [(v(0.0, 0.0, 0.0), 0.5), (v(3.0, 0.0, 1.0), 0.5)];
        let rect = Rect::new(100.0, 50.0, 400.0, 300.0);
        let fit = Projection::fit(c, &balls, rect);
        assert!((fit.scale - 100.0).abs() < 1e-12);
        let page = fit.page(&v(1.5, 9.0, 0.5));
        assert!((page[0] - 300.0).abs() < 1e-9 && (page[1] - 200.0).abs() < 1e-9);
        assert!((fit.page(&v(-0.5, 0.0, 0.0))[0] - 100.0).abs() < 1e-9);
    }

    #[test]
    fn fitting_a_single_point_is_finite() {
        let c = Camera::along(Plane::Top, Vector3::zeros());
        let fit = Projection::fit(c, &[(v(1.0, 1.0, 1.0), 0.0)], Rect::new(0.0, 0.0, 10.0, 10.0));
        assert_eq!(fit.page(&v(1.0, 1.0, 1.0)), [5.0, 5.0]);
    }
}

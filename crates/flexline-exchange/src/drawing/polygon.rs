//! Polygons as triangles: fans of convex ones, ears of others (Meisters 1975).

use flexline::Vec3;

/// How many corners are looked at before a polygon is cut as a fan: ears of a wild one cost their square.
const MOST_LOOKS: usize = 20_000_000;

/// The triangles of a polygon, by the numbers of its corners; one fewer than two of them are asked for.
pub(super) fn triangulate(corners: &[[f64; 3]]) -> Vec<[usize; 3]> {
    let n = corners.len();
    let fan = || (1..n - 1).map(|i| [0, i, i + 1]).collect();
    if n < 4 {
        return fan();
    }
    let points: Vec<Vec3> = corners.iter().map(|p| Vec3::from(*p)).collect();
    // Twice the area, as a vector (Newell).
    let normal: Vec3 = (1..n - 1).map(|i| (points[i] - points[0]).cross(&(points[i + 1] - points[0]))).sum();
    let size = normal.norm();
    if !(size > 0.0 && size.is_finite()) {
        return fan();
    }
    let unit = normal / size;
    // The plane of the polygon: two axes that see its normal towards them.
    let helper = if unit.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    let u = unit.cross(&helper).normalize();
    let v = unit.cross(&u);
    let flat: Vec<[f64; 2]> =
        points.iter().map(|p| [(p - points[0]).dot(&u), (p - points[0]).dot(&v)]).collect();
    let slack = 1e-12 * size;
    let convex = (0..n).all(|i| turn(flat[i], flat[(i + 1) % n], flat[(i + 2) % n]) >= -slack);
    if convex {
        return fan();
    }
    ears(&flat, slack)
}

/// Twice the area of a triangle, positive where it turns left.
fn turn([ax, ay]: [f64; 2], [bx, by]: [f64; 2], [cx, cy]: [f64; 2]) -> f64 {
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

/// Cuts off ears; where a polygon crosses itself and has none left, what remains is cut as it comes.
fn ears(flat: &[[f64; 2]], slack: f64) -> Vec<[usize; 3]> {
    let mut left: Vec<usize> = (0..flat.len()).collect();
    let mut triangles = Vec::with_capacity(flat.len() - 2);
    let mut looks = 0;
    let mut start = 0;
    while left.len() > 3 {
        let n = left.len();
        let is_ear = |k: usize| {
            let [a, b, c] = [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
            let corners = [flat[a], flat[b], flat[c]];
            turn(corners[0], corners[1], corners[2]) > slack
                && left.iter().all(|i| {
                    let p = flat[*i];
                    corners.contains(&p)
                        || !(0..3).all(|e| turn(corners[e], corners[(e + 1) % 3], p) >= -slack)
                })
        };
        let found = (0..n).map(|i| (start + i) % n).find(|k| {
            looks += n;
            looks > MOST_LOOKS || is_ear(*k)
        });
        // No ear: a corner that is straight may go first.
        let straight = || {
            (0..n).find(|k| {
                turn(flat[left[(k + n - 1) % n]], flat[left[*k]], flat[left[(k + 1) % n]]).abs() <= slack
            })
        };
        let k = found.or_else(straight).unwrap_or(0);
        triangles.push([left[(k + n - 1) % n], left[k], left[(k + 1) % n]]);
        left.remove(k);
        start = if k == 0 { 0 } else { k - 1 };
    }
    triangles.push([left[0], left[1], left[2]]);
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[[f64; 3]], triangles: &[[usize; 3]]) -> (f64, f64) {
        let point = |i: usize| Vec3::from(corners[i]);
        let vector = |t: &[usize; 3]| 0.5 * (point(t[1]) - point(t[0])).cross(&(point(t[2]) - point(t[0])));
        let all: Vec<Vec3> = triangles.iter().map(vector).collect();
        (all.iter().sum::<Vec3>().norm(), all.iter().map(|a| a.norm()).sum())
    }

    #[test]
    fn convex_polygons_are_fans() {
        let square = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]];
        assert_eq!(triangulate(&square), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn concave_polygons_keep_their_area() {
        // An arrow head, a comb of five teeth standing askew, and a slit that touches itself.
        let arrow = vec![[0.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.5, 1.0, 0.0]];
        let mut comb = vec![[10.0, -1.0, 0.0]];
        for i in (0..5).rev() {
            let x = 2.0 * f64::from(i);
            comb.extend([[x + 1.5, 3.0, x], [x + 1.0, 3.0, x], [x + 0.5, 0.0, x]]);
        }
        comb.push([0.0, -1.0, 0.0]);
        let comb: Vec<[f64; 3]> = comb.iter().map(|[x, y, _]| [*x, *y, 0.5 * x - 0.2 * y]).collect();
        let slit = [
            [0.0, 0.0],
            [4.0, 0.0],
            [4.0, 4.0],
            [0.0, 4.0],
            [0.0, 0.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [3.0, 3.0],
            [3.0, 1.0],
            [1.0, 1.0],
        ];
        let slit: Vec<[f64; 3]> = slit.iter().map(|[x, y]| [*x, *y, 0.0]).collect();
        for corners in [arrow, comb, slit] {
            for turned in 0..corners.len() {
                let mut own = corners.clone();
                own.rotate_left(turned);
                let triangles = triangulate(&own);
                assert_eq!(triangles.len(), own.len() - 2);
                let (signed, plain) = area(&own, &triangles);
                assert!((signed - plain).abs() < 1e-12 * plain, "{turned}: {signed} {plain}");
            }
        }
    }

    #[test]
    fn wild_polygons_end() {
        let star: Vec<[f64; 3]> =
            (0..5).map(|i| f64::from(i) * 2.513_274).map(|a| [a.cos(), a.sin(), 0.0]).collect();
        assert_eq!(triangulate(&star).len(), 3);
        assert_eq!(triangulate(&[[1.0; 3]; 6]).len(), 4);
    }
}

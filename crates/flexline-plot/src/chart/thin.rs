//! Fewer points for the same line on the page.

/// Points farther than this from the thinned line do not exist, px.
const TOLERANCE: f64 = 0.08;
/// Width of the columns in which a dense line is reduced to its extremes, px.
const COLUMN: f64 = 0.5;
/// The exact thinning works on stretches of this many points, so its cost stays linear.
const STRETCH: usize = 512;

/// The same line on the page with as few points as the eye needs.
pub(crate) fn thinned(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let coarse = extremes(points);
    let mut keep = vec![false; coarse.len()];
    let mut start = 0;
    while start + 1 < coarse.len() {
        let end = (start + STRETCH).min(coarse.len() - 1);
        keep[start] = true;
        keep[end] = true;
        split(&coarse, start, end, &mut keep);
        start = end;
    }
    if coarse.len() < 3 {
        return coarse;
    }
    coarse.into_iter().zip(keep).filter_map(|(p, kept)| kept.then_some(p)).collect()
}

/// First, lowest, highest and last point of every run of points in one column, in their order.
fn extremes(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let column = |p: &[f64; 2]| (p[0] / COLUMN).floor();
    let mut out = Vec::new();
    for run in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_y = |a: &usize, b: &usize| run[*a][1].total_cmp(&run[*b][1]);
        let low = (0..run.len()).min_by(by_y).unwrap_or(0);
        let high = (0..run.len()).max_by(by_y).unwrap_or(0);
        let mut places = [0, low.min(high), low.max(high), run.len() - 1].to_vec();
        places.dedup();
        out.extend(places.into_iter().map(|i| run[i]));
    }
    out
}

/// Marks the points needed between two kept ones (Ramer 1972, Douglas and Peucker 1973), without recursion.
fn split(points: &[[f64; 2]], start: usize, end: usize, keep: &mut [bool]) {
    let mut stack = vec![(start, end)];
    while let Some((start, end)) = stack.pop() {
        let farthest = (start + 1..end)
            .map(|i| (i, distance(points[i], points[start], points[end])))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((i, far)) = farthest
            && far > TOLERANCE
        {
            keep[i] = true;
            stack.extend([(start, i), (i, end)]);
        }
    }
}

/// Distance of `p` from the segment `a`–`b`.
fn distance(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (d, e) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let square = d[0] * d[0] + d[1] * d[1];
    let t = if square > 0.0 { ((e[0] * d[0] + e[1] * d[1]) / square).clamp(0.0, 1.0) } else { 0.0 };
    (e[0] - t * d[0]).hypot(e[1] - t * d[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_keeps_its_ends() {
        let points: Vec<_> = (0..300).map(|i| [f64::from(i), 2.0 * f64::from(i)]).collect();
        assert_eq!(thinned(&points), [[0.0, 0.0], [299.0, 598.0]]);
    }

    #[test]
    fn a_dense_curve_stays_within_tolerance() {
        let points: Vec<_> =
            (0..10_000).map(|i| f64::from(i) * 0.03).map(|x| [x, 50.0 * (x / 20.0).sin()]).collect();
        let thin = thinned(&points);
        assert!(thin.len() < 400, "{}", thin.len());
        for p in points.iter().step_by(7) {
            let near = thin.windows(2).map(|w| distance(*p, w[0], w[1])).fold(f64::INFINITY, f64::min);
            assert!(near < TOLERANCE + COLUMN, "{near}");
        }
    }

    #[test]
    fn a_lone_spike_survives() {
        let mut points: Vec<_> = (0..50_000).map(|i| [f64::from(i) * 0.004, 0.0]).collect();
        points[31_234][1] = 80.0;
        assert!(thinned(&points).iter().any(|p| p[1] == 80.0));
    }

    #[test]
    fn short_and_repeated_input() {
        assert!(thinned(&[]).is_empty());
        assert_eq!(thinned(&[[1.0, 2.0]]), [[1.0, 2.0]]);
        assert!(!thinned(&[[1.0, 2.0]; 9]).is_empty());
    }
}

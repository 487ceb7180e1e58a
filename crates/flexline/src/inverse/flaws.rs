//! What is wrong with points that are to be a centreline, each with its place and what is best done.

use crate::algebra::Vec3;
use std::fmt;

/// Turn of a polyline at one point that no neighbour shares, rad, from which on it is a corner.
const CORNER: f64 = 0.5;
/// A chord so many times as long as the middle one of all is a gap.
const GAP: f64 = 8.0;
/// Lengths that cables have, m.
const LENGTHS: [f64; 2] = [1e-3, 100.0];
/// Slenderness, length over radius, beyond which a unit is doubted.
const SLENDER: f64 = 1e5;
/// Flaws of a kind that are listed.
const LISTED: usize = 4;

/// A flaw of points.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Flaw {
    /// Points that lie where the one before does; they are left out.
    Repeated {
        /// The first of them.
        point: usize,
        /// How many.
        count: usize,
    },
    /// A corner: rounded by what is fitted.
    Corner {
        /// Which point.
        point: usize,
        /// Where, m.
        at: Vec3,
        /// Turn, rad.
        turn: f64,
        /// How many there are.
        count: usize,
    },
    /// A long way without points: bridged smoothly.
    Gap {
        /// The point before it.
        point: usize,
        /// Where it begins, m.
        at: Vec3,
        /// How long, m.
        length: f64,
        /// The chord that is usual, m.
        usual: f64,
        /// How many there are.
        count: usize,
    },
    /// The curve passes through itself.
    Crossing {
        /// The points before the two places.
        points: [usize; 2],
        /// Where, m.
        at: Vec3,
        /// Distance there, m.
        distance: f64,
    },
    /// Bent more tightly than it is thick.
    Sharp {
        /// Which point.
        point: usize,
        /// Where, m.
        at: Vec3,
        /// Bend radius, m.
        radius: f64,
        /// Radius of the cable, m.
        thick: f64,
    },
    /// A length that a cable hardly has.
    Size {
        /// Length, m.
        length: f64,
    },
}

/// A place as people read it.
fn place(at: &Vec3) -> String {
    format!("({:.4}, {:.4}, {:.4}) m", at.x, at.y, at.z)
}

/// How many more there are.
fn more(count: usize) -> String {
    if count > 1 { format!("; {} more", count - 1) } else { String::new() }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repeated { point, count } => {
                write!(
                    f,
                    "{count} point(s) repeat the one before, the first is point {}: left out",
                    point + 1
                )
            }
            Self::Corner { point, at, turn, count } => write!(
                f,
                "corner of {:.0} degrees at point {}, {}{}: no cable has one; it is rounded, and the largest error is there",
                turn.to_degrees(),
                point + 1,
                place(at),
                more(*count)
            ),
            Self::Gap { point, at, length, usual, count } => write!(
                f,
                "gap of {:.1} mm after point {}, {}, where {:.1} mm are usual{}: bridged smoothly; the shape there is a guess",
                length * 1e3,
                point + 1,
                place(at),
                usual * 1e3,
                more(*count)
            ),
            Self::Crossing { points: [a, b], at, distance } => write!(
                f,
                "the curve comes within {:.2} mm of itself after points {} and {}, {}: it passes through itself there; if the points are out \
                 of order, sort them",
                distance * 1e3,
                a + 1,
                b + 1,
                place(at)
            ),
            Self::Sharp { point, at, radius, thick } => write!(
                f,
                "bent to a radius of {:.2} mm at point {}, {}, with a cable of {:.2} mm radius: check the unit, or say how far the points are off \
                 with --noise",
                radius * 1e3,
                point + 1,
                place(at),
                thick * 1e3
            ),
            Self::Size { length } => {
                write!(
                    f,
                    "{length:.4e} m long: if that is not meant, say the unit of the file, as in --unit mm"
                )
            }
        }
    }
}

/// The points without those that repeat the one before, and what is wrong with them. `thick` is the radius of the cable, where it is known.
pub fn inspect(points: &[Vec3], thick: Option<f64>) -> (Vec<Vec3>, Vec<Flaw>) {
    let mut flaws = Vec::new();
    let extent = points.windows(2).map(|w| (w[1] - w[0]).norm()).sum::<f64>();
    let mut kept: Vec<Vec3> = Vec::with_capacity(points.len());
    // Where every point that was kept stood.
    let mut places = Vec::with_capacity(points.len());
    let mut repeated: Option<(usize, usize)> = None;
    for (i, p) in points.iter().enumerate() {
        // Nearer than round-off of the coordinates is the same.
        if kept.last().is_some_and(|last: &Vec3| (p - last).norm() <= 1e-12 * extent.max(p.amax())) {
            repeated = Some((repeated.map_or(i, |own| own.0), repeated.map_or(1, |own| own.1 + 1)));
            continue;
        }
        kept.push(*p);
        places.push(i);
    }
    if let Some((point, count)) = repeated {
        flaws.push(Flaw::Repeated { point, count });
    }
    let n = kept.len();
    if n < 3 {
        return (kept, flaws);
    }
    let chords: Vec<f64> = kept.windows(2).map(|w| (w[1] - w[0]).norm()).collect();
    let length: f64 = chords.iter().sum();
    if !(LENGTHS[0]..=LENGTHS[1]).contains(&length) || thick.is_some_and(|r| length > SLENDER * r) {
        flaws.push(Flaw::Size { length });
    }
    let mut sorted = chords.clone();
    sorted.sort_by(f64::total_cmp);
    let usual = sorted[sorted.len() / 2];
    let gaps: Vec<usize> = (0..n - 1).filter(|k| chords[*k] > GAP * usual).collect();
    for k in gaps.iter().take(1) {
        let (at, length) = (kept[*k], chords[*k]);
        flaws.push(Flaw::Gap { point: places[*k], at, length, usual, count: gaps.len() });
    }
    let turn = |k: usize| {
        if k == 0 || k + 1 == n { 0.0 } else { (kept[k] - kept[k - 1]).angle(&(kept[k + 1] - kept[k])) }
    };
    let turns: Vec<f64> = (0..n).map(turn).collect();
    let alone = |k: &usize| turns[*k] > CORNER && turns[*k] > 3.0 * turns[k - 1].max(turns[k + 1]);
    let corners: Vec<usize> = (1..n - 1).filter(alone).collect();
    for k in corners.iter().take(1) {
        flaws.push(Flaw::Corner { point: places[*k], at: kept[*k], turn: turns[*k], count: corners.len() });
    }
    if let Some(thick) = thick {
        // Of the circle that turns as much over the shorter chord.
        let radius = |k: usize| chords[k - 1].min(chords[k]) / (2.0 * (0.5 * turns[k]).sin());
        let tight = (1..n - 1)
            .filter(|k| turns[*k] > 0.0 && !corners.contains(k))
            .min_by(|a, b| radius(*a).total_cmp(&radius(*b)));
        if let Some(k) = tight.filter(|k| radius(*k) < thick) {
            flaws.push(Flaw::Sharp { point: places[k], at: kept[k], radius: radius(k), thick });
        }
    }
    flaws.extend(crossings(&kept, &places, &chords, thick));
    (kept, flaws)
}

/// Where the polyline comes nearer to itself than the cable is thick, or all but touches.
fn crossings(points: &[Vec3], places: &[usize], chords: &[f64], thick: Option<f64>) -> Vec<Flaw> {
    let n = chords.len();
    let length: f64 = chords.iter().sum();
    let near = thick.map_or(1e-4 * length, |r| 2.0 * r);
    let longest = chords.iter().fold(0.0f64, |m, c| m.max(*c));
    let mut arcs = vec![0.0];
    for c in chords {
        arcs.push(arcs[arcs.len() - 1] + c);
    }
    let mut found: Vec<Flaw> = Vec::new();
    let mut i = 0;
    while i < n && found.len() < LISTED {
        // What is as near along the curve is no crossing: half a circle about the cable's own thickness, and two chords.
        let apart = (std::f64::consts::PI * near).max(2.0 * longest);
        let mut j = i + 1;
        let mut crossed = false;
        while j < n {
            if arcs[j] - arcs[i + 1] < apart {
                j += 1;
                continue;
            }
            let (at, distance) = between([points[i], points[i + 1]], [points[j], points[j + 1]]);
            // A ring comes back to its beginning.
            let closes = i == 0 && j == n - 1;
            if distance < near && !closes {
                found.push(Flaw::Crossing { points: [places[i], places[j]], at, distance });
                crossed = true;
                break;
            }
            // Along the curve no place comes nearer faster than it goes on.
            let way = arcs[j] + (distance - near).max(0.0);
            j = arcs.partition_point(|s| *s < way).clamp(j + 1, n);
        }
        // One place is told once.
        i = if crossed { arcs.partition_point(|s| *s < arcs[i] + apart).max(i + 1) } else { i + 1 };
    }
    found
}

/// Where two straight stretches are nearest, and how far apart.
fn between(a: [Vec3; 2], b: [Vec3; 2]) -> (Vec3, f64) {
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, uv, vv) = (u.dot(&u), u.dot(&v), v.dot(&v));
    let (uw, vw) = (u.dot(&w), v.dot(&w));
    let size = uu * vv - uv * uv;
    let mut s = if size > 1e-14 * uu * vv { ((uv * vw - vv * uw) / size).clamp(0.0, 1.0) } else { 0.0 };
    let t = ((uv * s + vw) / vv).clamp(0.0, 1.0);
    s = ((uv * t - uw) / uu).clamp(0.0, 1.0);
    let (p, q) = (a[0] + u * s, b[0] + v * t);
    ((p + q) * 0.5, (p - q).norm())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(n: usize) -> Vec<Vec3> {
        (0..=n)
            .map(|k| 3.0 * k as f64 / n as f64)
            .map(|t| Vec3::new(0.1 * t.sin(), 0.1 * t.cos(), 0.02 * t))
            .collect()
    }

    #[test]
    fn a_smooth_curve_has_none() {
        for n in [6, 40, 1000] {
            assert_eq!(inspect(&arc(n), Some(3e-3)).1, vec![], "{n}");
        }
    }

    #[test]
    fn every_flaw_is_told_with_its_place() {
        let mut points = arc(60);
        points.insert(20, points[20]);
        points.insert(20, points[20]);
        let (kept, flaws) = inspect(&points, None);
        assert_eq!(kept, arc(60));
        assert_eq!(flaws, vec![Flaw::Repeated { point: 21, count: 2 }]);

        let mut bent: Vec<Vec3> = (0..=20).map(|k| Vec3::new(0.01 * f64::from(k), 0.0, 0.0)).collect();
        bent.extend((1..=20).map(|k| Vec3::new(0.2, 0.01 * f64::from(k), 0.0)));
        let flaws = inspect(&bent, None).1;
        assert!(matches!(flaws[..], [Flaw::Corner { point: 20, count: 1, .. }]), "{flaws:?}");
        assert!(flaws[0].to_string().contains("90 degrees at point 21"), "{}", flaws[0]);

        let torn: Vec<Vec3> = arc(200)
            .into_iter()
            .enumerate()
            .filter(|(k, _)| !(80..100).contains(k))
            .map(|own| own.1)
            .collect();
        let flaws = inspect(&torn, None).1;
        assert!(matches!(flaws[..], [Flaw::Gap { point: 79, count: 1, .. }]), "{flaws:?}");

        let eight: Vec<Vec3> = (0..=200)
            .map(|k| 5.5 * f64::from(k) / 200.0)
            .map(|t| Vec3::new(0.2 * t.sin(), 0.1 * (2.0 * t).sin(), 0.001 * t))
            .collect();
        let flaws = inspect(&eight, Some(4e-3)).1;
        assert!(flaws.iter().any(|own| matches!(own, Flaw::Crossing { .. })), "{flaws:?}");
        assert_eq!(inspect(&eight, None).1, vec![], "3 mm apart is no crossing of a line");

        let metres: Vec<Vec3> = arc(60).iter().map(|p| p * 1000.0).collect();
        assert!(matches!(inspect(&metres, None).1[..], [Flaw::Size { .. }]));

        let tight: Vec<Vec3> = arc(60).iter().map(|p| p * 0.02).collect();
        assert!(inspect(&tight, Some(4e-3)).1.iter().any(|own| matches!(own, Flaw::Sharp { .. })));
    }
}

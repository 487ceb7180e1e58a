//! Curves as cables: joined where they meet end to end, sampled evenly, with ends and junctions.

use super::{Curve, Curves, Nurbs};
use crate::drawing::Up;
use crate::flexible::{Flexible, Node, Span};
use flexline::Vec3;

/// Points of a cable at most.
const MOST: usize = 4000;
/// Curves that become cables at once.
const MOST_LAID: usize = 5000;
/// Nodes and weights of Gauss's rule of five points, from 0 to 1.
const RULE: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_6),
    (0.230_765_344_947_158_4, 0.239_314_335_249_683_2),
    (0.5, 0.284_444_444_444_444_5),
    (0.769_234_655_052_841_6, 0.239_314_335_249_683_2),
    (0.953_089_922_969_332, 0.118_463_442_528_094_6),
];

/// The arc length between two parameters that no knot is between.
fn between(own: &Nurbs, a: f64, b: f64) -> f64 {
    RULE.iter().map(|(t, w)| w * own.at(a + (b - a) * t).1.norm()).sum::<f64>() * (b - a)
}

/// How finely a piece between knots is taken.
fn steps(own: &Nurbs, stops: usize) -> usize {
    if own.degree == 1 { 1 } else { (MOST / stops.max(1)).clamp(4, 32) }
}

/// The arc length of a curve.
pub(crate) fn length(own: &Nurbs) -> f64 {
    table(own).last().map_or(0.0, |last| last.1)
}

/// Parameters and arc lengths from the beginning, densely.
fn table(own: &Nurbs) -> Vec<(f64, f64)> {
    let stops = own.stops();
    let sub = steps(own, stops.len());
    let mut rows = vec![(stops[0], 0.0)];
    for w in stops.windows(2) {
        for i in 0..sub {
            let [a, b] = [i, i + 1].map(|i| w[0] + (w[1] - w[0]) * i as f64 / sub as f64);
            rows.push((b, rows[rows.len() - 1].1 + between(own, a, b)));
        }
    }
    rows
}

impl Curves {
    /// Cables along the curves. `unit` is that of the file in metres, `radius` in metres that of curves that have none.
    pub fn to_flexible(&self, unit: f64, up: Up, radius: Option<f64>) -> Result<Flexible, String> {
        let mut flexible = Flexible::default();
        if self.curves.len() > MOST_LAID {
            return Err(format!(
                "{} curves: at most {MOST_LAID} become cables at once; export only those that are wanted",
                self.curves.len()
            ));
        }
        let mut rows: Vec<Row> = Vec::new();
        for curve in &self.curves {
            rows.push(Row::new(curve, unit, up, radius)?);
        }
        let before = rows.len();
        join(&mut rows);
        if rows.len() < before {
            let cables =
                if rows.len() == 1 { "1 cable".to_owned() } else { format!("{} cables", rows.len()) };
            flexible.warnings.push(format!("{before} curves that meet end to end are {cables}"));
        }
        for row in rows {
            let near = row.near;
            let ends = [row.span.points[0], row.span.points[row.span.points.len() - 1]];
            let nodes = ends.map(|at| match flexible.nodes.iter().position(|n| (n.at - at).norm() <= near) {
                Some(k) => k,
                None => {
                    flexible.nodes.push(Node { at, junction: false });
                    flexible.nodes.len() - 1
                }
            });
            flexible.spans.push(Span { nodes, ..row.thinned() });
        }
        for k in 0..flexible.nodes.len() {
            let degree = flexible.spans.iter().flat_map(|s| s.nodes).filter(|n| *n == k).count();
            flexible.nodes[k].junction = degree > 2;
        }
        Ok(flexible)
    }
}

/// A curve on its way to a cable.
struct Row {
    span: Span,
    /// Ends nearer than this are one.
    near: f64,
}

impl Row {
    fn new(curve: &Curve, unit: f64, up: Up, radius: Option<f64>) -> Result<Self, String> {
        let name = if curve.name.is_empty() { "a curve".to_owned() } else { format!("'{}'", curve.name) };
        let mut dense: Vec<(usize, f64, f64)> = Vec::new();
        let mut sum = 0.0;
        for (k, piece) in curve.pieces.iter().enumerate() {
            let rows = table(piece);
            dense.extend(rows.iter().map(|(u, s)| (k, *u, sum + s)));
            sum += rows[rows.len() - 1].1;
        }
        if !(sum * unit > 1e-9 && sum.is_finite()) {
            return Err(format!("{name} has no length"));
        }
        let radii: Vec<(f64, f64)> = match (curve.radii.is_empty(), radius) {
            (false, _) => curve.radii.iter().map(|(s, r)| (*s, unit * r)).collect(),
            (true, Some(radius)) => vec![(0.0, radius)],
            (true, None) => {
                return Err(format!(
                    "{name} does not say how thick it is\n  say it: --radius LENGTH, such as \"4 mm\""
                ));
            }
        };
        let thick = |share: f64| {
            let k = radii.partition_point(|r| r.0 <= share);
            match (radii.get(k.wrapping_sub(1)), radii.get(k)) {
                (Some(a), Some(b)) if b.0 > a.0 => a.1 + (b.1 - a.1) * (share - a.0) / (b.0 - a.0),
                (Some(a), _) => a.1,
                (None, b) => b.map_or(0.0, |b| b.1),
            }
        };
        let place = |p: Vec3| Vec3::from(up.turned((p * unit).into()));
        let turn = |p: Vec3| Vec3::from(up.turned(p.into()));
        let count = dense.len().clamp(400, MOST);
        let mut k = 0;
        let mut span = Span {
            nodes: [0, 1],
            length: sum * unit,
            points: Vec::with_capacity(count + 1),
            arc: Vec::with_capacity(count + 1),
            radius: Vec::with_capacity(count + 1),
            ellipse: Vec::new(),
            tangents: [Vec3::zeros(); 2],
            residual: 0.0,
            gaps: Vec::new(),
            bore: curve.bore.map(|b| unit * b),
        };
        for i in 0..=count {
            let s = sum * i as f64 / count as f64;
            while k + 2 < dense.len() && dense[k + 1].2 < s {
                k += 1;
            }
            let (a, b) = (dense[k], dense[k + 1]);
            let share = if b.2 > a.2 { ((s - a.2) / (b.2 - a.2)).clamp(0.0, 1.0) } else { 1.0 };
            // From one piece to the next there is no way.
            let (piece, u) = if a.0 == b.0 { (a.0, a.1 + share * (b.1 - a.1)) } else { (b.0, b.1) };
            let (point, slope) = curve.pieces[piece].at(u);
            span.points.push(place(point));
            span.arc.push(unit * s);
            span.radius.push(thick(s / sum));
            let end = usize::from(i == count);
            if i == 0 || i == count {
                span.tangents[end] = turn(slope).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
            }
        }
        for end in 0..2 {
            let n = span.points.len();
            if span.tangents[end] == Vec3::zeros() {
                let chord = if end == 0 {
                    span.points[1] - span.points[0]
                } else {
                    span.points[n - 1] - span.points[n - 2]
                };
                span.tangents[end] = chord.try_normalize(0.0).unwrap_or_else(Vec3::z);
            }
        }
        let mean = span.radius.iter().sum::<f64>() / span.radius.len() as f64;
        let near = (1e-2 * mean).min(1e-3 * span.length);
        Ok(Self { span, near })
    }

    fn reversed(mut self) -> Self {
        let length = self.span.length;
        self.span.points.reverse();
        self.span.radius.reverse();
        self.span.arc = self.span.arc.iter().rev().map(|s| length - s).collect();
        let [a, b] = self.span.tangents;
        self.span.tangents = [-b, -a];
        self
    }

    fn end(&self, side: usize) -> Vec3 {
        self.span.points[if side == 0 { 0 } else { self.span.points.len() - 1 }]
    }

    /// With no more points than may be.
    fn thinned(mut self) -> Span {
        let last = self.span.points.len() - 1;
        let step = last.div_ceil(MOST);
        if step > 1 {
            let kept: Vec<usize> = (0..last).step_by(step).chain([last]).collect();
            self.span.points = kept.iter().map(|i| self.span.points[*i]).collect();
            self.span.arc = kept.iter().map(|i| self.span.arc[*i]).collect();
            self.span.radius = kept.iter().map(|i| self.span.radius[*i]).collect();
        }
        self.span
    }

    /// Goes on with another.
    fn append(&mut self, other: Self) {
        let begun = self.span.length;
        self.span.points.extend(other.span.points.iter().skip(1));
        self.span.radius.extend(other.span.radius.iter().skip(1));
        self.span.arc.extend(other.span.arc.iter().skip(1).map(|s| begun + s));
        self.span.length += other.span.length;
        self.span.tangents[1] = other.span.tangents[1];
        self.span.bore = self.span.bore.zip(other.span.bore).map(|(a, b)| a.min(b));
    }
}

/// Makes one of two curves that meet where no third does.
fn join(rows: &mut Vec<Row>) {
    let mut i = 0;
    while i < rows.len() {
        let meeting = [0, 1].into_iter().find_map(|side| {
            let (x, near) = (rows[i].end(side), rows[i].near);
            let ends = rows.iter().enumerate().flat_map(|(k, row)| [0, 1].map(|side| (k, side, row)));
            // Whoever of two is asked, the answer is the same: what was passed needs no second look.
            let ends = ends.filter(|(_, side, row)| (row.end(*side) - x).norm() <= near.min(row.near));
            let here: Vec<(usize, usize)> = ends.map(|own| (own.0, own.1)).collect();
            match here[..] {
                [(a, x), (b, y)] if a != b => Some((a, x, b, y)),
                _ => None,
            }
        });
        let Some((a, x, b, y)) = meeting else {
            i += 1;
            continue;
        };
        let second = rows.remove(a.max(b));
        let first = rows.remove(a.min(b));
        let (x, y) = if a < b { (x, y) } else { (y, x) };
        let mut whole = if x == 1 { first } else { first.reversed() };
        whole.append(if y == 0 { second } else { second.reversed() });
        rows.insert(a.min(b), whole);
        i = a.min(b);
    }
}

//! Where segments lie in the plane.

use super::Board;
use std::collections::VecDeque;

type Point = [f64; 2];

/// A harness laid flat, mm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Laid {
    /// Both ends of every segment, in its own direction.
    pub ends: Vec<[Point; 2]>,
    /// Where nodes are drawn; a ring that was cut open has its node twice, first in the tree.
    pub nodes: Vec<Option<Point>>,
    /// Segments whose far end was cut off its node, and that node.
    pub cut: Vec<(usize, usize)>,
    /// Whether the angle asked for could not be kept anywhere.
    pub wedges: bool,
}

/// Segments that are not joined are this far apart at least, mm.
const APART: f64 = 6.0;
/// No more tries than this before wedges are taken.
const TRIES: usize = 20_000_000;

/// The harness as a tree: a segment leads from a node to another, or to an end of its own where a ring is cut.
struct Tree {
    /// Children of a place: segment and place it leads to.
    children: Vec<Vec<(usize, usize)>>,
    /// The nodes of places; beyond the nodes themselves, ends that were cut off.
    places: Vec<usize>,
    /// Length of everything beyond a place, mm, along its longest way.
    depth: Vec<f64>,
    roots: Vec<usize>,
    /// The place that each segment leads to, and whether it is drawn against its own direction.
    leads: Vec<(usize, usize, bool)>,
    cut: Vec<(usize, usize)>,
}

/// Lays a harness flat.
pub fn lay(board: &Board) -> Laid {
    let tree = Tree::of(board);
    let mut laid = Laid {
        ends: vec![[[0.0; 2]; 2]; board.segments.len()],
        nodes: vec![None; board.nodes.len()],
        cut: tree.cut.clone(),
        wedges: false,
    };
    let mut below = 0.0;
    for root in &tree.roots {
        let (mut at, wedges) = tree.placed(board, *root);
        laid.wedges |= wedges;
        let own: Vec<usize> = (0..at.len()).filter(|i| at[*i].is_some()).collect();
        let top = own.iter().filter_map(|i| at[*i]).map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
        // Parts of the harness that are not joined lie below each other.
        for i in &own {
            if let Some(p) = &mut at[*i] {
                p[1] += below - top;
            }
        }
        below = own.iter().filter_map(|i| at[*i]).map(|p| p[1]).fold(f64::INFINITY, f64::min) - 60.0;
        for (segment, (from, to, backwards)) in tree.leads.iter().enumerate() {
            if let (Some(a), Some(b)) = (at[*from], at[*to]) {
                laid.ends[segment] = if *backwards { [b, a] } else { [a, b] };
            }
        }
        for i in own {
            if i < board.nodes.len() {
                laid.nodes[i] = at[i];
            }
        }
    }
    laid
}

impl Tree {
    fn of(board: &Board) -> Self {
        let n = board.nodes.len();
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (i, own) in board.segments.iter().enumerate() {
            at[own.nodes[0]].push(i);
            at[own.nodes[1]].push(i);
        }
        let mut tree = Self {
            children: vec![Vec::new(); n],
            places: (0..n).collect(),
            depth: Vec::new(),
            roots: Vec::new(),
            leads: vec![(0, 0, false); board.segments.len()],
            cut: Vec::new(),
        };
        let mut seen = vec![false; n];
        let mut used = vec![false; board.segments.len()];
        for start in 0..n {
            if seen[start] || at[start].is_empty() {
                continue;
            }
            // The farthest node from anywhere is an end of the longest way (exactly so in a tree).
            let root = farthest(board, &at, start);
            tree.roots.push(root);
            seen[root] = true;
            let mut queue = VecDeque::from([root]);
            while let Some(node) = queue.pop_front() {
                for segment in at[node].clone() {
                    if std::mem::replace(&mut used[segment], true) {
                        continue;
                    }
                    let [a, b] = board.segments[segment].nodes;
                    let other = if a == node { b } else { a };
                    let place = if seen[other] {
                        // It closes a ring: its far end gets a place of its own.
                        tree.cut.push((segment, other));
                        tree.children.push(Vec::new());
                        tree.places.push(other);
                        tree.places.len() - 1
                    } else {
                        seen[other] = true;
                        queue.push_back(other);
                        other
                    };
                    tree.children[node].push((segment, place));
                    tree.leads[segment] = (node, place, a != node);
                }
            }
        }
        tree.depth = vec![0.0; tree.places.len()];
        for root in tree.roots.clone() {
            tree.measure(board, root);
        }
        tree
    }

    /// Depths of everything beyond a place, without recursion: harnesses may be chains of any length.
    fn measure(&mut self, board: &Board, root: usize) {
        let order = self.order(root);
        for place in order.iter().rev() {
            let depth = self.children[*place].iter().map(|(s, p)| board.segments[*s].length + self.depth[*p]);
            self.depth[*place] = depth.fold(0.0, f64::max);
        }
        // The longest way first.
        for place in order {
            let depth = &self.depth;
            self.children[place].sort_by(|a, b| {
                let way = |own: &(usize, usize)| board.segments[own.0].length + depth[own.1];
                way(b).total_cmp(&way(a)).then(a.0.cmp(&b.0))
            });
        }
    }

    fn order(&self, root: usize) -> Vec<usize> {
        let mut order = vec![root];
        let mut next = 0;
        while next < order.len() {
            order.extend(self.children[order[next]].iter().map(|own| own.1));
            next += 1;
        }
        order
    }

    /// Places of everything from a root on; whether wedges had to be taken.
    fn placed(&self, board: &Board, root: usize) -> (Vec<Option<Point>>, bool) {
        match self.angled(board, root) {
            Some(at) => (at, false),
            None => (self.wedged(board, root), true),
        }
    }

    /// The longest way straight on, then its branches, each with its own longest way, at the angle asked for or another that has room.
    fn angled(&self, board: &Board, root: usize) -> Option<Vec<Option<Point>>> {
        let mut at: Vec<Option<Point>> = vec![None; self.places.len()];
        let mut drawn: Vec<[Point; 2]> = Vec::new();
        at[root] = Some([0.0, 0.0]);
        // Ways to be laid: from a place, by which of its children, from which heading, to which side.
        let mut ways = VecDeque::from([(root, 0, 0.0_f64, 0.0_f64)]);
        let mut tries = 0;
        while let Some((from, first, heading, side)) = ways.pop_front() {
            let (mut place, mut child, mut heading) = (from, first, heading);
            let mut wanted = side * board.angle.to_radians();
            while let Some((segment, to)) = self.children[place].get(child) {
                let (here, length) = (at[place]?, board.segments[*segment].length);
                let found = turns(wanted).find_map(|turn| {
                    tries += drawn.len() + 1;
                    let angle = heading + turn;
                    let end = [here[0] + length * angle.cos(), here[1] + length * angle.sin()];
                    let own = [here, end];
                    drawn.iter().all(|other| free(&own, other)).then_some((angle, end))
                });
                let (angle, end) = found.filter(|_| tries < TRIES)?;
                drawn.push([here, end]);
                at[*to] = Some(end);
                // Branches leave by turns to the one and to the other side.
                for k in 1..self.children[*to].len() {
                    let side = if (k + to) % 2 == 0 { 1.0 } else { -1.0 };
                    ways.push_back((*to, k, angle, side));
                }
                if place == root && child == 0 {
                    for k in 1..self.children[root].len() {
                        ways.push_back((root, k, heading, if k % 2 == 0 { 1.0 } else { -1.0 }));
                    }
                }
                (place, child, heading, wanted) = (*to, 0, angle, 0.0);
            }
        }
        Some(at)
    }

    /// Every branch in a wedge of its own, as wide as it has ends: directions of a wedge narrower than half a turn lead nowhere else.
    fn wedged(&self, board: &Board, root: usize) -> Vec<Option<Point>> {
        use std::f64::consts::PI;
        let order = self.order(root);
        let mut leaves = vec![0.0_f64; self.places.len()];
        for place in order.iter().rev() {
            let below: f64 = self.children[*place].iter().map(|own| leaves[own.1]).sum();
            leaves[*place] = below.max(1.0);
        }
        let mut at: Vec<Option<Point>> = vec![None; self.places.len()];
        at[root] = Some([0.0, 0.0]);
        let mut range = vec![[0.0, 0.0]; self.places.len()];
        range[root] = [-0.49 * PI, 0.49 * PI];
        for place in order {
            let Some(here) = at[place] else { continue };
            let [mut from, to] = range[place];
            let width = to - from;
            let all: f64 = self.children[place].iter().map(|own| leaves[own.1]).sum();
            for (segment, next) in &self.children[place] {
                let own = width * leaves[*next] / all;
                let (angle, length) = (from + 0.5 * own, board.segments[*segment].length);
                at[*next] = Some([here[0] + length * angle.cos(), here[1] + length * angle.sin()]);
                // A little within, so that neighbours do not touch.
                range[*next] = [from + 0.02 * own, from + 0.98 * own];
                from += own;
            }
        }
        at
    }
}

/// Turns to be tried, the one that is wanted first, then others ever farther from it.
fn turns(wanted: f64) -> impl Iterator<Item = f64> {
    let step = 7.5_f64.to_radians();
    let others = (1..=20).flat_map(move |k| [wanted + k as f64 * step, wanted - k as f64 * step]);
    // Not back along the segment that leads here.
    std::iter::once(wanted).chain(others).filter(|turn| turn.abs() < 2.75)
}

fn farthest(board: &Board, at: &[Vec<usize>], start: usize) -> usize {
    let mut far: Vec<Option<f64>> = vec![None; at.len()];
    far[start] = Some(0.0);
    let mut queue = VecDeque::from([start]);
    let mut best = (0.0, start);
    while let Some(node) = queue.pop_front() {
        let here = far[node].unwrap_or(0.0);
        if here > best.0 {
            best = (here, node);
        }
        for segment in &at[node] {
            let [a, b] = board.segments[*segment].nodes;
            let other = if a == node { b } else { a };
            if far[other].is_none() {
                far[other] = Some(here + board.segments[*segment].length);
                queue.push_back(other);
            }
        }
    }
    best.1
}

/// Whether two segments keep apart: all of them, or all but the node that they share.
fn free(a: &[Point; 2], b: &[Point; 2]) -> bool {
    let near = |p: &Point, q: &Point| (p[0] - q[0]).hypot(p[1] - q[1]) < 1e-6;
    let shared = a.iter().find(|p| b.iter().any(|q| near(p, q)));
    let Some(node) = shared else { return distance(a, b) >= APART };
    let way = |own: &[Point; 2]| {
        let other = if near(&own[0], node) { own[1] } else { own[0] };
        [other[0] - node[0], other[1] - node[1]]
    };
    let (u, v) = (way(a), way(b));
    if a.iter().all(|p| b.iter().any(|q| near(p, q))) {
        return false;
    }
    let cross = u[0] * v[1] - u[1] * v[0];
    let dot = u[0] * v[0] + u[1] * v[1];
    cross.atan2(dot).abs() > 12.0_f64.to_radians()
}

/// The distance of two segments.
pub(super) fn distance(a: &[Point; 2], b: &[Point; 2]) -> f64 {
    let side =
        |p: &Point, q: &Point, r: &Point| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    let [s1, s2] = [side(&a[0], &a[1], &b[0]), side(&a[0], &a[1], &b[1])];
    let [s3, s4] = [side(&b[0], &b[1], &a[0]), side(&b[0], &b[1], &a[1])];
    if s1 * s2 < 0.0 && s3 * s4 < 0.0 {
        return 0.0;
    }
    let to = |p: &Point, of: &[Point; 2]| {
        let d = [of[1][0] - of[0][0], of[1][1] - of[0][1]];
        let long = d[0] * d[0] + d[1] * d[1];
        let t = if long > 0.0 { ((p[0] - of[0][0]) * d[0] + (p[1] - of[0][1]) * d[1]) / long } else { 0.0 };
        let t = t.clamp(0.0, 1.0);
        (p[0] - of[0][0] - t * d[0]).hypot(p[1] - of[0][1] - t * d[1])
    };
    to(&a[0], b).min(to(&a[1], b)).min(to(&b[0], a)).min(to(&b[1], a))
}

//! Topology: rings of equal distance on the surface from one end, and the graph they make (a Reeb graph in steps).
//!
//! A ring is a connected piece of the surface whose distance from the source is within one step. Rings next to each other
//! are joined; where one is next to two on its far side, the cable branches. Nearness in space plays no part, so that
//! turns of a coil stay apart.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

use flexline::Vec3;

use super::soup::{NONE, Soup};

/// A ring counts as closed where no part of it is nearer to its centre than this share of its root mean square distance.
const CLOSED: f64 = 0.55;
/// Rings with less than this share of the surface of a whole one belong to their neighbour.
const SLIVER: f64 = 0.12;
/// A blind end shorter than so many radii is a cap, a cut corner or a bump.
const SPUR: f64 = 2.6;

/// A piece of surface within one step of distance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ring {
    pub triangles: Vec<u32>,
    pub centre: Vec3,
    pub area: f64,
    /// Root mean square distance of its surface from its centre.
    pub size: f64,
    /// Least distance of its surface from its centre.
    pub least: f64,
    level: usize,
    closed: bool,
    next: BTreeSet<usize>,
}

/// Rings in a row, from one end or branch to another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    pub rings: Vec<Ring>,
    /// The branch it begins and ends at; none at a blind end.
    pub branches: [Option<usize>; 2],
    pub closed: bool,
}

/// What a body is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skeleton {
    pub chains: Vec<Chain>,
    /// Rings at which three or more chains meet.
    pub branches: Vec<Ring>,
    /// Closed rings inside others: the surface of a bore.
    pub bores: Vec<Ring>,
}

#[derive(PartialEq)]
struct Visit(f64, u32);
impl Eq for Visit {}
impl Ord for Visit {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}
impl PartialOrd for Visit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Edges of a mesh by vertex, in rows: the graph that distances are measured on.
struct Ways {
    rows: Vec<u32>,
    ends: Vec<(u32, f32)>,
}

impl Ways {
    fn new(soup: &Soup) -> Self {
        let mut rows = vec![0_u32; soup.vertices.len() + 1];
        let edges = || soup.triangles.iter().flat_map(|t| (0..3).map(move |k| (t[k], t[(k + 1) % 3])));
        for (a, b) in edges() {
            rows[a as usize + 1] += 1;
            rows[b as usize + 1] += 1;
        }
        for i in 1..rows.len() {
            rows[i] += rows[i - 1];
        }
        let mut next = rows.clone();
        let mut ends = vec![(0, 0.0); rows[rows.len() - 1] as usize];
        for (a, b) in edges() {
            let length = (soup.vertices[a as usize] - soup.vertices[b as usize]).norm() as f32;
            for (from, to) in [(a, b), (b, a)] {
                ends[next[from as usize] as usize] = (to, length);
                next[from as usize] += 1;
            }
        }
        Self { rows, ends }
    }

    /// Distances along edges from one vertex to all (Dijkstra 1959).
    fn distances(&self, source: usize) -> Vec<f64> {
        let mut distance = vec![f64::INFINITY; self.rows.len() - 1];
        distance[source] = 0.0;
        let mut heap = BinaryHeap::from([Visit(0.0, source as u32)]);
        while let Some(Visit(d, v)) = heap.pop() {
            let v = v as usize;
            if d > distance[v] {
                continue;
            }
            for &(n, length) in &self.ends[self.rows[v] as usize..self.rows[v + 1] as usize] {
                let far = d + f64::from(length);
                if far < distance[n as usize] {
                    distance[n as usize] = far;
                    heap.push(Visit(far, n));
                }
            }
        }
        distance
    }

    /// Distances from the vertex that is farthest from the first: a tip.
    fn tip_distances(&self, first: usize) -> Vec<f64> {
        self.distances(farthest(&self.distances(first)).0)
    }
}

/// The vertex farthest from the source, and how far.
fn farthest(distance: &[f64]) -> (usize, f64) {
    distance
        .iter()
        .enumerate()
        .filter(|d| d.1.is_finite())
        .fold((0, 0.0), |best, (i, d)| if *d > best.1 { (i, *d) } else { best })
}

/// Extent of a body along its surface and its area: together they tell how thick it is where it is long.
pub(crate) fn extent(soup: &Soup) -> (f64, f64) {
    let first = soup.triangles[0][0] as usize;
    let (_, extent) = farthest(&Ways::new(soup).tip_distances(first));
    (extent, (0..soup.triangles.len()).map(|t| soup.area(t)).sum())
}

/// The skeleton of one body, in steps of `step`; `radius` is what its radius is thought to be.
pub(crate) fn skeleton(soup: &Soup, radius: f64, step: f64) -> Skeleton {
    let centroids: Vec<Vec3> = (0..soup.triangles.len()).map(|t| soup.centroid(t)).collect();
    let distance = Ways::new(soup).tip_distances(soup.triangles[0][0] as usize);
    let mean = |t: &[u32; 3]| t.iter().map(|v| distance[*v as usize]).sum::<f64>() / 3.0;
    let level: Vec<usize> = soup
        .triangles
        .iter()
        .map(mean)
        .map(|d| if d.is_finite() { (d / step) as usize } else { 0 })
        .collect();
    let mut graph = Graph::new(soup, &centroids, &level);
    graph.absorb_slivers(SLIVER * std::f64::consts::TAU * radius * step);
    for _ in 0..3 {
        graph.close_torn();
    }
    graph.set_bores_aside(step);
    graph.prune(SPUR * radius);
    graph.chains()
}

struct Graph<'a> {
    soup: &'a Soup,
    centroids: &'a [Vec3],
    rings: Vec<Option<Ring>>,
    bores: Vec<Ring>,
}

impl<'a> Graph<'a> {
    fn new(soup: &'a Soup, centroids: &'a [Vec3], level: &[usize]) -> Self {
        let mut owner = vec![usize::MAX; soup.triangles.len()];
        let mut rings: Vec<Option<Ring>> = Vec::new();
        for first in 0..soup.triangles.len() {
            if owner[first] != usize::MAX {
                continue;
            }
            let mut ring = Ring { triangles: vec![first as u32], level: level[first], ..Ring::default() };
            owner[first] = rings.len();
            let mut next = 0;
            while next < ring.triangles.len() {
                for n in soup.neighbours[ring.triangles[next] as usize] {
                    if n != NONE && owner[n as usize] == usize::MAX && level[n as usize] == ring.level {
                        owner[n as usize] = rings.len();
                        ring.triangles.push(n);
                    }
                }
                next += 1;
            }
            rings.push(Some(ring));
        }
        for t in 0..soup.triangles.len() {
            for n in soup.neighbours[t] {
                if n != NONE
                    && owner[n as usize] != owner[t]
                    && let Some(ring) = &mut rings[owner[t]]
                {
                    ring.next.insert(owner[n as usize]);
                }
            }
        }
        let mut graph = Self { soup, centroids, rings, bores: Vec::new() };
        for i in 0..graph.rings.len() {
            graph.measure(i);
        }
        graph
    }

    fn measure(&mut self, i: usize) {
        let (soup, centroids) = (self.soup, self.centroids);
        let Some(ring) = &mut self.rings[i] else { return };
        let mut sum = Vec3::zeros();
        ring.area = 0.0;
        for &t in &ring.triangles {
            let area = soup.area(t as usize);
            ring.area += area;
            sum += area * centroids[t as usize];
        }
        ring.centre = if ring.area > 0.0 { sum / ring.area } else { centroids[ring.triangles[0] as usize] };
        let (mut square, mut least) = (0.0, f64::INFINITY);
        for &t in &ring.triangles {
            let d = (centroids[t as usize] - ring.centre).norm_squared();
            square += soup.area(t as usize) * d;
            least = d.min(least);
        }
        ring.size = if ring.area > 0.0 { (square / ring.area).sqrt() } else { 0.0 };
        ring.least = least.sqrt();
        ring.closed = ring.least > CLOSED * ring.size;
    }

    /// Makes ring `gone` part of ring `stays`.
    fn merge(&mut self, stays: usize, gone: usize) {
        let Some(ring) = self.rings[gone].take() else { return };
        for &n in &ring.next {
            if let Some(other) = &mut self.rings[n] {
                other.next.remove(&gone);
                if n != stays {
                    other.next.insert(stays);
                }
            }
        }
        if let Some(keeper) = &mut self.rings[stays] {
            keeper.triangles.extend(&ring.triangles);
            keeper.next.extend(ring.next.iter().filter(|n| **n != stays));
            keeper.next.remove(&gone);
        }
        self.measure(stays);
    }

    fn remove(&mut self, i: usize) -> Option<Ring> {
        let ring = self.rings[i].take()?;
        for &n in &ring.next {
            if let Some(other) = &mut self.rings[n] {
                other.next.remove(&i);
            }
        }
        Some(ring)
    }

    fn absorb_slivers(&mut self, least: f64) {
        let mut order: Vec<usize> = (0..self.rings.len()).collect();
        let area = |r: &Option<Ring>| r.as_ref().map_or(0.0, |r| r.area);
        order.sort_by(|a, b| area(&self.rings[*a]).total_cmp(&area(&self.rings[*b])));
        for i in order {
            let Some(ring) = &self.rings[i] else { continue };
            if ring.area >= least {
                continue;
            }
            let largest = |a: &usize, b: &usize| area(&self.rings[*a]).total_cmp(&area(&self.rings[*b]));
            if let Some(n) = ring.next.iter().copied().max_by(largest) {
                self.merge(n, i);
            }
        }
    }

    /// Levels with the rings on them.
    fn by_level(&self) -> BTreeMap<usize, Vec<usize>> {
        let mut levels: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, ring) in self.rings.iter().enumerate() {
            if let Some(ring) = ring {
                levels.entry(ring.level).or_default().push(i);
            }
        }
        levels
    }

    /// A hole in the surface tears a ring: pieces on one level, next to the same ring, whose circles overlap, are one.
    fn close_torn(&mut self) {
        for (_, level) in self.by_level() {
            for (k, &i) in level.iter().enumerate() {
                for &j in &level[..k] {
                    let (Some(a), Some(b)) = (&self.rings[i], &self.rings[j]) else { continue };
                    let shared = a.next.iter().any(|n| b.next.contains(n));
                    let near = (a.centre - b.centre).norm() < 0.8 * (a.size + b.size);
                    if shared && near && !(a.closed && b.closed) {
                        self.merge(j, i);
                        break;
                    }
                }
            }
        }
    }

    /// A closed ring inside another that it is not next to is the surface of a bore.
    fn set_bores_aside(&mut self, step: f64) {
        let mut inner = BTreeSet::new();
        for i in 0..self.rings.len() {
            for j in 0..self.rings.len() {
                let (Some(a), Some(b)) = (&self.rings[i], &self.rings[j]) else { continue };
                let concentric = (a.centre - b.centre).norm() < (0.45 * b.size).max(0.55 * step).min(b.size);
                if i != j
                    && a.closed
                    && b.closed
                    && concentric
                    && a.least < 0.98 * b.least
                    && !a.next.contains(&j)
                {
                    inner.insert(i);
                }
            }
        }
        if inner.is_empty() {
            return;
        }
        for i in inner {
            let ring = self.remove(i);
            self.bores.extend(ring);
        }
        // Rings that hung on the bore alone go with it.
        let mut parts: Vec<(f64, Vec<usize>)> = Vec::new();
        let mut seen = vec![false; self.rings.len()];
        for first in 0..self.rings.len() {
            if seen[first] || self.rings[first].is_none() {
                continue;
            }
            seen[first] = true;
            let (mut part, mut area, mut next) = (vec![first], 0.0, 0);
            while next < part.len() {
                if let Some(ring) = &self.rings[part[next]] {
                    area += ring.area;
                    for &n in &ring.next {
                        if !seen[n] {
                            seen[n] = true;
                            part.push(n);
                        }
                    }
                }
                next += 1;
            }
            parts.push((area, part));
        }
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        for i in parts.into_iter().skip(1).flat_map(|p| p.1) {
            let ring = self.remove(i);
            self.bores.extend(ring);
        }
    }

    fn degree(&self, i: usize) -> usize {
        self.rings[i].as_ref().map_or(0, |r| r.next.len())
    }

    /// Follows rings of degree two from `from` by way of `by`: the rings passed and the one at which they end.
    fn walk(&self, from: usize, by: usize) -> (Vec<usize>, usize) {
        let (mut passed, mut before, mut here) = (Vec::new(), from, by);
        while self.degree(here) == 2 && here != from {
            passed.push(here);
            let Some(ring) = &self.rings[here] else { break };
            let Some(&next) = ring.next.iter().find(|n| **n != before) else { break };
            (before, here) = (here, next);
        }
        (passed, here)
    }

    /// Takes back blind ends that are no longer than `least` and double ways between two rings next to each other.
    fn prune(&mut self, least: f64) {
        loop {
            let mut shortest: Option<(f64, usize, Vec<usize>)> = None;
            for i in 0..self.rings.len() {
                if self.degree(i) != 1 {
                    continue;
                }
                let Some(&by) = self.rings[i].as_ref().and_then(|r| r.next.first()) else { continue };
                let (mut passed, stop) = self.walk(i, by);
                if self.degree(stop) < 3 {
                    continue;
                }
                passed.insert(0, i);
                let centre = |k: usize| self.rings[k].as_ref().map_or(Vec3::zeros(), |r| r.centre);
                let way: f64 = passed.windows(2).map(|w| (centre(w[0]) - centre(w[1])).norm()).sum::<f64>()
                    + (centre(passed[passed.len() - 1]) - centre(stop)).norm();
                if way < least && shortest.as_ref().is_none_or(|s| way < s.0) {
                    shortest = Some((way, stop, passed));
                }
            }
            if let Some((_, stop, passed)) = shortest {
                for i in passed {
                    self.merge(stop, i);
                }
                continue;
            }
            if !self.close_eyelet(least) {
                return;
            }
        }
    }

    /// Whether rings in a row have no more surface than a tear may.
    fn is_short(&self, way: &[usize], least: f64) -> bool {
        let area: f64 = way.iter().filter_map(|r| self.rings[*r].as_ref()).map(|r| r.area).sum();
        area < std::f64::consts::TAU * least * least
    }

    /// Two ways between the same two rings, both short and side by side: a tear that was longer than one ring.
    fn close_eyelet(&mut self, least: f64) -> bool {
        for i in 0..self.rings.len() {
            if self.degree(i) < 3 {
                continue;
            }
            let next: Vec<usize> =
                self.rings[i].as_ref().map(|r| r.next.iter().copied().collect()).unwrap_or_default();
            let ways: Vec<(Vec<usize>, usize)> = next.iter().map(|n| self.walk(i, *n)).collect();
            for (k, (way, stop)) in ways.iter().enumerate() {
                // Out and back to the same ring: a tear that runs into an end.
                if *stop == i && !way.is_empty() && self.is_short(way, least) {
                    let half = way.len() / 2;
                    for (a, b) in way[..half].iter().zip(way.iter().rev()) {
                        self.merge(*a, *b);
                    }
                    if way.len() == 1 {
                        self.merge(i, way[0]);
                    }
                    return true;
                }
                for (other, same) in &ways[..k] {
                    if stop == same && *stop != i && self.is_short(way, least) && self.is_short(other, least)
                    {
                        let gone: Vec<usize> = way.iter().chain(other).copied().collect();
                        // Both sides become one row of rings, as near to the beginning as they were.
                        if way.is_empty() || other.is_empty() {
                            gone.iter().for_each(|g| self.merge(i, *g));
                            if gone.is_empty() {
                                continue;
                            }
                        } else {
                            for (a, b) in other.iter().zip(way) {
                                self.merge(*a, *b);
                            }
                            for extra in way.iter().skip(other.len()) {
                                self.merge(other[other.len() - 1], *extra);
                            }
                        }
                        return true;
                    }
                }
            }
        }
        false
    }

    fn chains(self) -> Skeleton {
        let mut skeleton = Skeleton { bores: self.bores.clone(), ..Skeleton::default() };
        let mut number: BTreeMap<usize, usize> = BTreeMap::new();
        for i in 0..self.rings.len() {
            if self.degree(i) >= 3 {
                number.insert(i, skeleton.branches.len());
                skeleton.branches.extend(self.rings[i].clone());
            }
        }
        let mut seen = BTreeSet::new();
        let ring = |i: &usize| self.rings[*i].clone();
        // From branches and blind ends first, then what has neither: loops.
        let mut starts: VecDeque<usize> = (0..self.rings.len()).filter(|i| self.degree(*i) != 2).collect();
        starts.extend((0..self.rings.len()).filter(|i| self.degree(*i) == 2));
        for i in starts {
            let Some(first) = &self.rings[i] else { continue };
            let lone = self.degree(i) == 2;
            if seen.contains(&i) && !number.contains_key(&i) {
                continue;
            }
            if first.next.is_empty() {
                skeleton.chains.push(Chain { rings: vec![first.clone()], ..Chain::default() });
                continue;
            }
            for &by in &first.next {
                let (passed, stop) = self.walk(i, by);
                let direct = passed.is_empty();
                if passed.iter().any(|p| seen.contains(p))
                    || (direct
                        && !seen.insert(i.max(stop) * self.rings.len() + i.min(stop) + self.rings.len()))
                {
                    continue;
                }
                seen.extend(&passed);
                let mut rings: Vec<Ring> = passed.iter().filter_map(ring).collect();
                if !number.contains_key(&i) {
                    seen.insert(i);
                    rings.insert(0, first.clone());
                }
                if stop != i && !number.contains_key(&stop) {
                    seen.insert(stop);
                    rings.extend(ring(&stop));
                }
                let branches = [number.get(&i).copied(), number.get(&stop).copied()];
                skeleton.chains.push(Chain { rings, branches, closed: lone && stop == i });
                if lone {
                    break;
                }
            }
        }
        skeleton
    }
}

//! The unknowns of the reduced system, grouped so that every pivot block has an inverse.
//!
//! A free anchor has no stiffness of its own against being moved; the force of the span that
//! carries it supplies the pivot. So a spanning tree is grown from what is held, and each anchor is
//! grouped with the force of the span that reaches it first, or with the rows of the constraint
//! where only a constraint does. Forces of the other spans (loops, and spans between fixed poses) and
//! the other constraint rows have only the compliance of what they connect: they are eliminated
//! after it.

use super::model::Network;
use crate::algebra::block_ldl::BlockPattern;
use crate::constraint::{Constraint, Sense};
use crate::joint::{Attachment, Grip};

/// One scalar unknown: its group, its place in the group, its place in the flat vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::solver) struct Slot {
    pub(in crate::solver) group: usize,
    pub(in crate::solver) local: usize,
    pub(in crate::solver) flat: usize,
}

/// Where everything is.
#[derive(Clone, Debug)]
pub(in crate::solver) struct Unknowns {
    pub(in crate::solver) pattern: BlockPattern,
    /// Rotation and translation of every anchor, where free.
    pub(in crate::solver) anchors: Vec<[Option<Slot>; 6]>,
    /// Force at the far end of every span.
    pub(in crate::solver) forces: Vec<Option<[Slot; 3]>>,
    /// Every constraint row.
    pub(in crate::solver) rows: Vec<Slot>,
    /// The flow through every slide.
    pub(in crate::solver) slides: Vec<Slot>,
}

impl Unknowns {
    /// The unknowns of `network`.
    pub(in crate::solver) fn new(network: &Network) -> Self {
        let free = |a: usize| {
            let anchor = &network.anchors[a];
            (0..6).filter(|&i| if i < 3 { !anchor.held_orientation } else { !anchor.held[i - 3] }).count()
        };
        let carrier = carriers(network);
        let mut sizes = Vec::new();
        let mut rank = Vec::new();
        let mut anchor_group = vec![None; network.anchors.len()];
        let mut force_group = vec![None; network.spans.len()];
        let mut row_place = vec![None; network.constraints.len()];
        for a in 0..network.anchors.len() {
            let count = free(a);
            if count == 0 {
                continue;
            }
            let group = sizes.len();
            anchor_group[a] = Some(group);
            sizes.push(count);
            rank.push(0);
            match carrier[a] {
                Some(Carrier::Span(span)) => {
                    force_group[span] = Some((group, count));
                    sizes[group] += 3;
                }
                Some(Carrier::Constraint(constraint)) => {
                    row_place[constraint] = Some((group, count));
                    sizes[group] += network.constraints[constraint].rows();
                }
                None => {}
            }
        }
        for (k, span) in network.spans.iter().enumerate() {
            if span.end.is_some() && force_group[k].is_none() {
                force_group[k] = Some((sizes.len(), 0));
                sizes.push(3);
                rank.push(1);
            }
        }
        // A straight taut span gives its force no pivot; what slides into it does. So the flow goes
        // with the force of the span before the eye.
        let mut slide_place = Vec::with_capacity(network.slides.len());
        for slide in &network.slides {
            let beside = [slide.before, slide.after].into_iter().flatten().find_map(|k| force_group[k]);
            let group = beside.map_or(sizes.len(), |(group, _)| group);
            if group == sizes.len() {
                sizes.push(0);
                rank.push(1);
            }
            slide_place.push((group, sizes[group]));
            sizes[group] += 1;
            rank[group] = rank[group].max(1);
        }
        let row_place: Vec<(usize, usize)> = network
            .constraints
            .iter()
            .zip(row_place)
            .map(|(constraint, place)| {
                place.unwrap_or_else(|| {
                    sizes.push(constraint.rows());
                    rank.push(2);
                    (sizes.len() - 1, 0)
                })
            })
            .collect();
        let flows: Vec<usize> = slide_place.iter().map(|(g, _)| *g).collect();
        let couplings = couplings(network, &anchor_group, &force_group, &row_place, &flows);
        let pattern = BlockPattern::new(&sizes, &couplings, &rank);
        let slot = |group: usize, local: usize| Slot { group, local, flat: pattern.offset(group) + local };
        let anchors = network
            .anchors
            .iter()
            .enumerate()
            .map(|(a, anchor)| {
                let mut local = 0;
                std::array::from_fn(|i| {
                    let is_free = if i < 3 { !anchor.held_orientation } else { !anchor.held[i - 3] };
                    is_free.then(|| {
                        local += 1;
                        slot(anchor_group[a].unwrap_or(0), local - 1)
                    })
                })
            })
            .collect();
        let forces = force_group
            .iter()
            .map(|g| g.map(|(group, at)| std::array::from_fn(|i| slot(group, at + i))))
            .collect();
        let rows = network
            .constraints
            .iter()
            .zip(&row_place)
            .flat_map(|(c, &(g, at)): (&Constraint, _)| (0..c.rows()).map(move |i| (g, at + i)))
            .map(|(g, i)| slot(g, i))
            .collect();
        let slides = slide_place.iter().map(|&(g, i)| slot(g, i)).collect();
        Self { pattern, anchors, forces, rows, slides }
    }
}

/// The spans of a slide; its wheel and the radius of that.
type Rope = ([Option<usize>; 2], Option<(usize, f64)>);

/// What of a network its unknowns, and all that is laid out over them, follow from.
#[derive(Clone, Debug, Default)]
pub(in crate::solver) struct Topology {
    anchors: Vec<([bool; 3], bool)>,
    spans: Vec<[Option<(usize, Grip)>; 2]>,
    constraints: Vec<(usize, Sense, bool, [Option<usize>; 2])>,
    slides: Vec<Rope>,
}

impl Topology {
    pub(in crate::solver) fn new(network: &Network) -> Self {
        Self {
            anchors: Self::anchors(network).collect(),
            spans: Self::spans(network).collect(),
            constraints: Self::constraints(network).collect(),
            slides: Self::slides(network).collect(),
        }
    }

    /// Whether this is that of `network`.
    pub(in crate::solver) fn is_of(&self, network: &Network) -> bool {
        self.anchors.iter().copied().eq(Self::anchors(network))
            && self.spans.iter().copied().eq(Self::spans(network))
            && self.constraints.iter().copied().eq(Self::constraints(network))
            && self.slides.iter().copied().eq(Self::slides(network))
    }

    fn anchors(network: &Network) -> impl Iterator<Item = ([bool; 3], bool)> + '_ {
        network.anchors.iter().map(|a| (a.held, a.held_orientation))
    }

    fn spans(network: &Network) -> impl Iterator<Item = [Option<(usize, Grip)>; 2]> + '_ {
        let end = |a: &Attachment| (a.anchor, a.grip);
        network.spans.iter().map(move |s| [Some(end(&s.start)), s.end.as_ref().map(end)])
    }

    fn constraints(network: &Network) -> impl Iterator<Item = (usize, Sense, bool, [Option<usize>; 2])> + '_ {
        network.constraints.iter().map(|c| (c.rows(), c.sense(), c.is_angular(), c.anchors()))
    }

    fn slides(network: &Network) -> impl Iterator<Item = Rope> + '_ {
        let radius = |w: usize| Some((w, network.wheels.get(w)?.radius));
        network.slides.iter().map(move |s| ([s.before, s.after], s.wheel.and_then(radius)))
    }
}

/// What carries an anchor in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Carrier {
    Span(usize),
    Constraint(usize),
}

/// For every anchor whose position is not held: what carries it in a tree grown from what is held.
fn carriers(network: &Network) -> Vec<Option<Carrier>> {
    let count = network.anchors.len();
    let mut reached: Vec<bool> = network.anchors.iter().map(|a| a.held == [true; 3]).collect();
    let mut carrier = vec![None; count];
    let mut taken = vec![false; network.spans.len()];
    loop {
        let mut grown = false;
        for (k, span) in network.spans.iter().enumerate() {
            let Some(end) = span.end else { continue };
            let (a, b) = (span.start.anchor, end.anchor);
            if taken[k] || reached[a] == reached[b] {
                continue;
            }
            let next = if reached[a] { b } else { a };
            reached[next] = true;
            carrier[next] = Some(Carrier::Span(k));
            taken[k] = true;
            grown = true;
        }
        if grown {
            continue;
        }
        // No span reaches any farther: constraints may, those that hold most first.
        let by_constraint = network
            .constraints
            .iter()
            .enumerate()
            .filter_map(|(k, c)| Some((c.rows(), k, carried(c, &reached)?)))
            .max_by_key(|(rows, k, _)| (*rows, std::cmp::Reverse(*k)));
        if let Some((_, k, next)) = by_constraint {
            reached[next] = true;
            carrier[next] = Some(Carrier::Constraint(k));
            continue;
        }
        // A part of the network that nothing holds: any of its anchors begins.
        match reached.iter().position(|r| !r) {
            Some(a) => reached[a] = true,
            None => return carrier,
        }
    }
}

/// The anchor that a constraint carries from what is reached.
fn carried(constraint: &Constraint, reached: &[bool]) -> Option<usize> {
    if constraint.is_angular() || constraint.sense() != Sense::Equal {
        return None;
    }
    match constraint.anchors() {
        [Some(a), None] | [None, Some(a)] => (!reached[a]).then_some(a),
        [Some(a), Some(b)] if reached[a] != reached[b] => Some(if reached[a] { b } else { a }),
        _ => None,
    }
}

fn couplings(
    network: &Network,
    anchor_group: &[Option<usize>],
    force_group: &[Option<(usize, usize)>],
    row_place: &[(usize, usize)],
    flows: &[usize],
) -> Vec<(usize, usize)> {
    let mut list = Vec::new();
    let mut join = |groups: &[Option<usize>]| {
        for (i, a) in groups.iter().enumerate() {
            for b in &groups[..i] {
                if let (Some(a), Some(b)) = (a, b) {
                    list.push((*a, *b));
                }
            }
        }
    };
    for (k, span) in network.spans.iter().enumerate() {
        let mut groups = vec![
            anchor_group[span.start.anchor],
            span.end.and_then(|e| anchor_group[e.anchor]),
            force_group[k].map(|(g, _)| g),
        ];
        for (slide, flow) in network.slides.iter().zip(flows) {
            if slide.before == Some(k) || slide.after == Some(k) {
                groups.push(Some(*flow));
            }
        }
        join(&groups);
    }
    for (constraint, &(group, _)) in network.constraints.iter().zip(row_place) {
        let [a, b] = constraint.anchors();
        join(&[a.and_then(|a| anchor_group[a]), b.and_then(|b| anchor_group[b]), Some(group)]);
    }
    list
}

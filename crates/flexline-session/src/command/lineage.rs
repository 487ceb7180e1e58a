//! Where the cables of an edited scene come from, so that they can begin in the shape of before.

use std::collections::BTreeMap;

/// A stretch of a new cable that was a stretch of an old one.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// From where to where on the new cable, m.
    pub new: [f64; 2],
    /// Name of the old cable.
    pub cable: String,
    /// From where to where on the old cable, m; falling where the cable was turned round.
    pub old: [f64; 2],
}

/// What became of cables and nodes. What is not mentioned is what it was, by its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lineage {
    /// New cable → what it is made of, in order; what is new has no piece.
    pub cables: BTreeMap<String, Vec<Piece>>,
    /// New name of a port, part, junction, clip or eye → its old name.
    pub nodes: BTreeMap<String, String>,
}

impl Piece {
    /// Where on the old cable the place `s` of the new one was.
    pub fn old_at(&self, s: f64) -> f64 {
        let [a, b] = self.new;
        let t = if b > a { ((s - a) / (b - a)).clamp(0.0, 1.0) } else { 0.0 };
        self.old[0] + t * (self.old[1] - self.old[0])
    }

    /// Whether the cable was turned round.
    pub fn is_reversed(&self) -> bool {
        self.old[1] < self.old[0]
    }

    /// The inverse of [`Piece::old_at`].
    fn new_at(&self, s: f64) -> f64 {
        let [a, b] = self.old;
        let t = if a == b { 0.0 } else { (s - a) / (b - a) };
        self.new[0] + t * (self.new[1] - self.new[0])
    }

    /// This piece of a cable that was itself made of `before`.
    fn through(&self, before: &[Piece]) -> Vec<Piece> {
        let [low, high] = [self.old[0].min(self.old[1]), self.old[0].max(self.old[1])];
        let part = |first: &Piece| {
            let (a, b) = (first.new[0].max(low), first.new[1].min(high));
            if b <= a {
                return None;
            }
            let [a, b] = if self.is_reversed() { [b, a] } else { [a, b] };
            Some(Piece {
                new: [self.new_at(a), self.new_at(b)],
                cable: first.cable.clone(),
                old: [first.old_at(a), first.old_at(b)],
            })
        };
        let mut parts: Vec<Piece> = before.iter().filter_map(part).collect();
        parts.sort_by(|x, y| x.new[0].total_cmp(&y.new[0]));
        parts
    }
}

impl Lineage {
    /// A cable made of these pieces.
    pub(super) fn cable(&mut self, name: &str, pieces: Vec<Piece>) {
        self.cables.insert(name.into(), pieces);
    }

    /// The lineage of this change after an earlier one.
    pub(super) fn after(mut self, before: &Lineage) -> Lineage {
        for pieces in self.cables.values_mut() {
            *pieces = std::mem::take(pieces)
                .iter()
                .flat_map(|piece| match before.cables.get(&piece.cable) {
                    Some(earlier) => piece.through(earlier),
                    None => vec![piece.clone()],
                })
                .collect();
        }
        for (name, pieces) in &before.cables {
            self.cables.entry(name.clone()).or_insert_with(|| pieces.clone());
        }
        for old in self.nodes.values_mut() {
            if let Some(earlier) = before.nodes.get(old) {
                old.clone_from(earlier);
            }
        }
        for (name, old) in &before.nodes {
            self.nodes.entry(name.clone()).or_insert_with(|| old.clone());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(new: [f64; 2], cable: &str, old: [f64; 2]) -> Piece {
        Piece { new, cable: cable.into(), old }
    }

    #[test]
    fn cut_then_joined_is_what_it_was() {
        let mut cut = Lineage::default();
        cut.cable("a", vec![piece([0.0, 1.0], "whole", [0.0, 1.0])]);
        cut.cable("b", vec![piece([0.0, 2.0], "whole", [3.0, 1.0])]);
        let mut join = Lineage::default();
        join.cable("a", vec![piece([0.0, 1.0], "a", [0.0, 1.0]), piece([1.0, 3.0], "b", [2.0, 0.0])]);
        let both = join.after(&cut);
        let expected = vec![piece([0.0, 1.0], "whole", [0.0, 1.0]), piece([1.0, 3.0], "whole", [1.0, 3.0])];
        assert_eq!(both.cables["a"], expected);
    }
}

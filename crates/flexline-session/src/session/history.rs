//! What was done: every step forwards and back, as the least change of the text.

use super::Solved;
use crate::command::Command;
use std::sync::Arc;

/// Shapes are kept for this many steps back; beyond, undoing solves again.
const SHAPES: usize = 100;

/// A change of a text: what stands between what stays.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change {
    start: usize,
    sides: [String; 2],
}

impl Change {
    /// The change from one text to another.
    pub fn between(before: &str, after: &str) -> Self {
        let same = |(a, b): &(u8, u8)| a == b;
        let mut start = before.bytes().zip(after.bytes()).take_while(same).count();
        while !(before.is_char_boundary(start) && after.is_char_boundary(start)) {
            start -= 1;
        }
        let room = before.len().min(after.len()) - start;
        let mut end = before.bytes().rev().zip(after.bytes().rev()).take(room).take_while(same).count();
        while !(before.is_char_boundary(before.len() - end) && after.is_char_boundary(after.len() - end)) {
            end -= 1;
        }
        let middle = |text: &str| text[start..text.len() - end].to_owned();
        Self { start, sides: [middle(before), middle(after)] }
    }

    /// The text before (0) or after (1), from that on the other side.
    pub fn applied(&self, text: &str, side: usize) -> String {
        let other = &self.sides[1 - side];
        let (head, tail) = (text.get(..self.start), text.get(self.start + other.len()..));
        [head.unwrap_or(text), &self.sides[side], tail.unwrap_or_default()].concat()
    }
}

/// One step.
#[derive(Clone)]
pub(super) struct Step {
    pub command: Command,
    pub change: Change,
    /// Shape before and after, where they are kept.
    pub shapes: [Option<Arc<Solved>>; 2],
}

/// The steps done, and those undone.
#[derive(Default)]
pub(super) struct Past {
    steps: Vec<Step>,
    done: usize,
}

impl Past {
    pub fn depth(&self) -> (usize, usize) {
        (self.done, self.steps.len() - self.done)
    }

    pub fn push(&mut self, step: Step) {
        self.steps.truncate(self.done);
        self.steps.push(step);
        self.done += 1;
        if let Some(old) = self.done.checked_sub(SHAPES + 1) {
            self.steps[old].shapes = [None, None];
        }
    }

    /// The steps done, from the first on.
    pub fn done(&self) -> std::slice::Iter<'_, Step> {
        self.steps[..self.done].iter()
    }

    /// The step that would be undone.
    pub fn before(&self) -> Option<&Step> {
        self.done.checked_sub(1).and_then(|i| self.steps.get(i))
    }

    /// The step that would be redone.
    pub fn after(&self) -> Option<&Step> {
        self.steps.get(self.done)
    }

    /// One step back (0) or forwards (1) was made.
    pub fn moved(&mut self, side: usize) {
        self.done = if side == 0 { self.done - 1 } else { self.done + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn changes_go_both_ways(a in "[aµ\u{1F980}\n]{0,12}", b in "[aµ\u{1F980}\n]{0,12}") {
            let change = Change::between(&a, &b);
            prop_assert_eq!(change.applied(&b, 0), a.clone());
            prop_assert_eq!(change.applied(&a, 1), b);
        }
    }
}

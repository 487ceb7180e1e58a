//! A front of alternatives: of two wishes each is the best that the other allows (ε-constraint: Y. Y. Haimes, L. S. Lasdon, D. A. Wismer, IEEE
//! Trans. Syst. Man Cybern. 1 (1971) 296–297).

use super::{Design, Found, Wish};
use crate::base::StudyError;
use serde::Serialize;

/// One alternative: the design, and what both wishes come to, SI.
pub struct Alternative {
    /// The design.
    pub found: Found,
    /// Both wishes.
    pub wishes: [f64; 2],
}

/// Alternatives of which none is better in both wishes than another, by the first.
pub struct Front {
    /// The alternatives.
    pub alternatives: Vec<Alternative>,
    /// Designs that were found and are no better than another, or break a rule.
    pub left_out: usize,
}

/// What is told of an alternative in a table.
#[derive(Serialize)]
pub struct Row {
    /// Values of the parameters.
    pub values: Vec<f64>,
    /// Both wishes, SI.
    pub wishes: [f64; 2],
}

impl Alternative {
    /// For a table.
    pub fn row(&self) -> Row {
        Row { values: self.found.values.clone(), wishes: self.wishes }
    }
}

impl Front {
    /// `count` alternatives between the best of one wish, that of the design, and the best of the other.
    pub fn run(
        design: &Design<'_>,
        other: &Wish,
        count: usize,
        progress: &mut dyn FnMut(),
    ) -> Result<Self, StudyError> {
        let Some(wish) = design.wish.clone() else {
            return Err(StudyError::Input(
                "a front is of two wishes: say --minimise or --maximise as well".into(),
            ));
        };
        let with = |wish: &Wish, more: Option<super::Rule>| Design {
            base: design.base,
            ranges: design.ranges,
            wish: Some(wish.clone()),
            rules: design.rules.iter().cloned().chain(more).collect(),
            starts: design.starts,
            seed: design.seed,
        };
        let ends = [with(&wish, None).run(progress)?, with(other, None).run(progress)?];
        let both = |found: &Found| Some([wish.value(&found.solved)?, other.value(&found.solved)?]);
        let (Some(first), Some(last)) = (both(&ends[0]), both(&ends[1])) else {
            return Err(StudyError::Input("a wish has no value where it is best: no front follows".into()));
        };
        let mut all = Vec::new();
        let mut near = ends[0].place.clone();
        for step in 1..count.max(2) - 1 {
            let share = step as f64 / (count.max(2) - 1) as f64;
            let bound = first[1] + share * (last[1] - first[1]);
            let rule = other.bound(bound, &ends[0].solved);
            let found = with(&wish, Some(rule)).run_from(Some(&near), progress)?;
            near.clone_from(&found.place);
            all.push(found);
        }
        let [first, last] = ends;
        all.insert(0, first);
        all.push(last);
        let looked = all.len();
        let good = all.into_iter().filter(Found::is_good);
        let mut told: Vec<Alternative> =
            good.filter_map(|found| Some(Alternative { wishes: both(&found)?, found })).collect();
        let signs = [wish.sign(), other.sign()];
        let better = |a: &[f64; 2], b: &[f64; 2]| {
            // By more than what a search leaves.
            let less = |k: usize| signs[k] * (b[k] - a[k]) / a[k].abs().max(b[k].abs()).max(1e-12);
            less(0) > -1e-9 && less(1) > -1e-9 && less(0).max(less(1)) > 1e-6
        };
        let wishes: Vec<[f64; 2]> = told.iter().map(|own| own.wishes).collect();
        told.retain(|own| !wishes.iter().any(|known| better(known, &own.wishes)));
        told.sort_by(|a, b| a.wishes[0].total_cmp(&b.wishes[0]));
        let left_out = looked - told.len();
        Ok(Self { alternatives: told, left_out })
    }
}

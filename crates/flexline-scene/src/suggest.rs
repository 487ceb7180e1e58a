//! The nearest valid name to a misspelt one.

/// Names longer than this are not compared: work stays bounded on any input.
const LONGEST: usize = 64;

/// The candidate nearest to `name`, where one is near enough to have been meant.
///
/// Differences in case and between `-`, `_` and space count little; otherwise one slip in three letters is
/// forgiven. A candidate that begins with the name, or the other way round, is near as well ("dia" for "diameter").
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = fold(name);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        .filter(|c| c.len() <= LONGEST)
        .filter_map(|candidate| {
            let other = fold(candidate);
            let part = wanted.len() >= 3 && other.starts_with(&wanted)
                || other.len() >= 3 && wanted.starts_with(&other);
            let slips = if part { 1 } else { distance(&wanted, &other) };
            let forgiven = (wanted.len().max(other.len()) + 1) / 3;
            (slips <= forgiven.max(usize::from(part)) && slips < other.len()).then_some((slips, candidate))
        })
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, candidate)| candidate)
}

fn fold(text: &str) -> Vec<char> {
    text.chars()
        .take(LONGEST + 1)
        .map(|c| if c == '-' || c == ' ' { '_' } else { c.to_ascii_lowercase() })
        .collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other (optimal
/// string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_slips() {
        let d = |a: &str, b: &str| distance(&fold(a), &fold(b));
        assert_eq!(d("length", "length"), 0);
        assert_eq!(d("lenght", "length"), 1);
        assert_eq!(d("kitten", "sitting"), 3);
        assert_eq!(d("", "abc"), 3);
    }

    #[test]
    fn suggests_only_what_may_have_been_meant() {
        let keys = ["length", "segments", "part", "material", "inner_diameter"];
        assert_eq!(nearest("lenght", keys), Some("length"));
        assert_eq!(nearest("Inner-Diameter", keys), Some("inner_diameter"));
        assert_eq!(nearest("mat", keys), Some("material"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("", keys), None);
        assert_eq!(nearest(&"x".repeat(100_000), keys), None);
    }
}

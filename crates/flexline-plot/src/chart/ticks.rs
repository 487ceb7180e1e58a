//! Round numbers for axes: steps of 1, 2 or 5 times a power of ten, and decades for logarithms.

use crate::quantity::fixed;

/// The marks of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Distance between marks (one for decades).
    pub step: f64,
    /// Marked values, rising.
    pub values: Vec<f64>,
    /// Texts of the marks, with markup; empty where a mark has no text.
    pub texts: Vec<String>,
}

/// The smallest step of 1, 2 or 5 times a power of ten that is at least `raw`.
pub fn nice_step(raw: f64) -> f64 {
    if !(raw > 0.0 && raw.is_finite()) {
        return 1.0;
    }
    let power = 10_f64.powf(raw.log10().floor());
    let lead = raw / power;
    // A hair of slack, so that 2.0000000001 is taken as 2.
    let nice = [1.0, 2.0, 5.0, 10.0].into_iter().find(|n| lead <= n * (1.0 + 1e-9)).unwrap_or(10.0);
    nice * power
}

/// Widens a range that is empty or narrower than double precision can divide.
pub(crate) fn usable_range(lo: f64, hi: f64) -> [f64; 2] {
    let size = lo.abs().max(hi.abs());
    if hi - lo > 1e-6 * size {
        return [lo, hi];
    }
    let half = if size > 0.0 { 0.1 * size } else { 1.0 };
    let middle = 0.5 * lo + 0.5 * hi;
    [middle - half, middle + half]
}

/// Marks inside `lo..=hi`, about `count` of them or fewer, but always at least two.
pub fn linear_ticks(lo: f64, hi: f64, count: usize) -> Ticks {
    let [lo, hi] = usable_range(lo, hi);
    let marks = |count: usize| {
        let step = nice_step((hi - lo) / count as f64);
        let (first, last) = ((lo / step - 1e-9).ceil() as i64, (hi / step + 1e-9).floor() as i64);
        (step, (first..=last).map(|k| k as f64 * step).collect::<Vec<f64>>())
    };
    // Steps are rounded up by at most 2.5, so a count of 8 gives two marks at the latest.
    let count = count.max(2);
    let enough = [count, 2 * count, 4 * count].into_iter().find(|c| marks(*c).1.len() >= 2);
    let (step, values) = marks(enough.unwrap_or(4 * count));
    let decimals = (-step.log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize;
    let huge = lo.abs().max(hi.abs()) >= 1e6 || step < 1e-6;
    let texts = values.iter().map(|v| if huge { scientific(*v) } else { fixed(*v, decimals) }).collect();
    Ticks { step, values, texts }
}

/// Marks for a logarithmic axis: decades with text, and the 2…9 between them without when there is room.
pub fn log_ticks(lo: f64, hi: f64, count: usize) -> Ticks {
    let (first, last) = ((lo.log10() - 1e-9).ceil() as i32, (hi.log10() + 1e-9).floor() as i32);
    let decades = (last - first + 1).max(0) as usize;
    let every = decades.div_ceil(count.max(2)).max(1);
    let (mut values, mut texts) = (Vec::new(), Vec::new());
    for decade in first - 1..=last {
        for lead in 1..=9 {
            let value = f64::from(lead) * 10_f64.powi(decade);
            if value < lo * (1.0 - 1e-9) || value > hi * (1.0 + 1e-9) || (lead > 1 && decades > 9) {
                continue;
            }
            let text = match lead {
                1 if (decade - first) % every as i32 == 0 => power_of_ten(decade),
                2 | 5 if decades < 2 => fixed(value, (-decade).clamp(0, 9) as usize),
                _ => String::new(),
            };
            values.push(value);
            texts.push(text);
        }
    }
    Ticks { step: 1.0, values, texts }
}

fn power_of_ten(decade: i32) -> String {
    match decade {
        -1 => "0.1".into(),
        0 => "1".into(),
        1 => "10".into(),
        2 => "100".into(),
        3 => "1000".into(),
        _ => format!("10^{{{decade}}}"),
    }
}

fn scientific(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let text = format!("{value:.6e}");
    let (lead, power) = text.split_once('e').unwrap_or((&text, "0"));
    let lead = lead.trim_end_matches('0').trim_end_matches('.').replace('-', "−");
    if lead == "1" { format!("10^{{{power}}}") } else { format!("{lead}·10^{{{power}}}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_one_two_five() {
        for (raw, step) in [(0.9, 1.0), (1.0, 1.0), (1.1, 2.0), (2.1, 5.0), (7.0, 10.0), (0.03, 0.05)] {
            assert!((nice_step(raw) - step).abs() < 1e-12 * step, "{raw}");
        }
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(nice_step(bad), 1.0);
        }
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let ticks = linear_ticks(-0.37, 1.13, 6);
        assert_eq!(ticks.texts, ["0.0", "0.5", "1.0"]);
        let ticks = linear_ticks(-12.0, 12.0, 5);
        assert_eq!(ticks.texts, ["−10", "−5", "0", "5", "10"]);
        let ticks = linear_ticks(0.0, 1e7, 2);
        assert_eq!(ticks.texts, ["0", "5·10^{6}", "10^{7}"]);
    }

    #[test]
    fn constant_and_nearly_constant_ranges_give_ticks() {
        for (lo, hi) in [(0.0, 0.0), (5.0, 5.0), (-1e-30, -1e-30), (1e9, 1e9 + 1e-7)] {
            let ticks = linear_ticks(lo, hi, 5);
            assert!((2..=12).contains(&ticks.values.len()), "{lo} {hi} {ticks:?}");
        }
    }

    #[test]
    fn decades_are_labelled_and_divided() {
        let ticks = log_ticks(3.0, 2000.0, 6);
        let labelled: Vec<_> = ticks.texts.iter().filter(|t| !t.is_empty()).cloned().collect();
        assert_eq!(labelled, ["10", "100", "1000"]);
        assert_eq!(ticks.values.first(), Some(&3.0));
        assert!(ticks.values.windows(2).all(|w| w[0] < w[1]));
        let many = log_ticks(1e-12, 1e12, 6);
        assert!(many.texts.iter().filter(|t| !t.is_empty()).count() <= 7);
    }

    #[test]
    fn a_range_inside_one_decade_still_has_texts() {
        let ticks = log_ticks(20.0, 80.0, 6);
        assert_eq!(ticks.texts.iter().filter(|t| !t.is_empty()).count(), 2);
    }
}

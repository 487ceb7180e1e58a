//! From a number to a colour, with the legend's wording. The maps are those of the studio's page for a light theme: even
//! steps to the eye, ever darker, so that more looks like more in grey and without telling red from green.

use crate::drawing::Colour;
use crate::quantity::Quantity;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// How numbers become colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// Share of a limit: blue to purple below it, from red to dark red beyond.
    Utilisation,
    /// Green through blue to dark violet: for magnitudes.
    Sequential,
    /// Dark blue through grey to brown, grey at zero: for signed values.
    Diverging,
}

/// A share from which on a limit is near.
pub(crate) const CAUTION: f64 = 0.8;
/// Where the scale of shares ends: what is farther beyond looks the same.
pub(crate) const BEYOND: f64 = 4.0 / 3.0;

/// Stops of the maps in equal steps; the studio's page reads the same table.
static STOPS: LazyLock<BTreeMap<&'static str, Vec<Colour>>> = LazyLock::new(|| {
    let rows = include_str!("colour_maps.csv").lines().filter_map(|line| {
        let (name, stops) = line.split_once(",light,")?;
        let stops = stops.split(',').filter_map(|hex| u32::from_str_radix(hex, 16).ok()).map(Colour::hex);
        Some((name, stops.collect()))
    });
    rows.collect()
});

fn sample(name: &str, t: f64) -> Colour {
    let stops = &STOPS[name];
    let x = t.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let i = (x as usize).min(stops.len() - 2);
    let between =
        |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * (x - i as f64)).round() as u8;
    let (p, q) = (stops[i], stops[i + 1]);
    Colour { r: between(p.r, q.r), g: between(p.g, q.g), b: between(p.b, q.b), a: 255 }
}

impl ColourMap {
    /// Colour at the fraction `t` of the range, 0 to 1.
    pub fn colour(self, t: f64) -> Colour {
        match self {
            // Whoever is over the limit has jumped there: it must not look like a little more of the same.
            Self::Utilisation if t * BEYOND < 1.0 => sample("under", t * BEYOND),
            Self::Utilisation => sample("over", (t * BEYOND - 1.0) / (BEYOND - 1.0)),
            Self::Sequential => sample("sequential", t),
            Self::Diverging if t < 0.5 => sample("below", 1.0 - 2.0 * t),
            Self::Diverging => sample("above", 2.0 * t - 1.0),
        }
    }
}

/// A colour map with its range and the words of its legend.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourScale {
    /// The map.
    pub map: ColourMap,
    /// Values at the two ends, SI.
    pub range: [f64; 2],
    /// What is shown, for the legend.
    pub title: String,
    /// Kind of quantity, for the unit of the legend.
    pub quantity: Quantity,
}

impl ColourScale {
    /// The share of a limit.
    pub fn utilisation(title: impl Into<String>) -> Self {
        let (map, range) = (ColourMap::Utilisation, [0.0, BEYOND]);
        Self { map, range, title: title.into(), quantity: Quantity::Ratio }
    }

    /// A sequential scale from zero (or the smallest value, when negative) to the largest.
    pub fn magnitude(title: impl Into<String>, quantity: Quantity, values: &[f64]) -> Self {
        let [lo, hi] = extent(values);
        Self { map: ColourMap::Sequential, range: [lo.min(0.0), hi], title: title.into(), quantity }
    }

    /// A diverging scale, symmetric about zero.
    pub fn signed(title: impl Into<String>, quantity: Quantity, values: &[f64]) -> Self {
        let [lo, hi] = extent(values);
        let most = hi.max(-lo);
        Self { map: ColourMap::Diverging, range: [-most, most], title: title.into(), quantity }
    }

    /// Place of a value in the range; the middle when the range is empty.
    pub(crate) fn fraction(&self, value: f64) -> f64 {
        let [lo, hi] = self.range;
        if hi > lo { ((value - lo) / (hi - lo)).clamp(0.0, 1.0) } else { 0.5 }
    }

    /// Colour of a value.
    pub fn colour(&self, value: f64) -> Colour {
        self.map.colour(self.fraction(value))
    }
}

/// Smallest and largest of the values; zeros for none.
pub(crate) fn extent(values: &[f64]) -> [f64; 2] {
    let lo = values.iter().copied().fold(f64::INFINITY, f64::min);
    let hi = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if lo <= hi { [lo, hi] } else { [0.0, 0.0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIE Y of what is seen without one kind of cone (Machado, Oliveira and Fernandes, 2009, severity 1).
    fn seen(colour: Colour, eyes: &[[f64; 3]; 3]) -> f64 {
        let linear = [colour.r, colour.g, colour.b].map(|c| Colour { r: c, g: c, b: c, a: 255 }.luminance());
        let rgb = eyes.map(|row| (0..3).map(|k| row[k] * linear[k]).sum::<f64>().clamp(0.0, 1.0));
        0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
    }

    const EYES: [[[f64; 3]; 3]; 3] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ];

    #[test]
    fn more_is_darker_for_all_eyes_and_zero_is_seen_on_paper() {
        for eyes in &EYES {
            for (map, from, to) in [
                (ColourMap::Sequential, 0.0, 1.0),
                (ColourMap::Utilisation, 0.0, 1.0),
                (ColourMap::Diverging, 0.499_999, 0.0),
                (ColourMap::Diverging, 0.5, 1.0),
            ] {
                let light = |i: u32| seen(map.colour(from + (to - from) * f64::from(i) / 12.0), eyes);
                for i in 0..12 {
                    assert!(light(i + 1) < light(i), "{map:?} {i}: {} {}", light(i), light(i + 1));
                }
                // WCAG 2.1 asks for a contrast of 3 of what is no text.
                assert!(1.05 / (light(0) + 0.05) > 3.0, "{map:?}: {}", light(0));
            }
        }
    }

    #[test]
    fn over_the_limit_looks_worse_than_just_below() {
        let scale = ColourScale::utilisation("Utilisation");
        for eyes in &EYES {
            // CIE L*: five of a hundred are seen at once.
            let light = |share: f64| 116.0 * seen(scale.colour(share), eyes).cbrt() - 16.0;
            for (under, over) in [(0.8, 1.0), (0.999_999, 1.0), (0.8, 7.0)] {
                assert!(light(under) > light(over) + 5.0, "{under} {over}");
            }
        }
        assert_eq!(scale.colour(7.0), scale.colour(BEYOND));
    }

    #[test]
    fn the_diverging_map_is_grey_at_zero() {
        let scale = ColourScale::signed("Twist", Quantity::Twist, &[-1.0, 3.0]);
        assert_eq!(scale.range, [-3.0, 3.0]);
        let zero = scale.colour(0.0);
        assert!(zero.r.abs_diff(zero.b) < 8 && zero.r.abs_diff(zero.g) < 8);
        assert!(scale.colour(-3.0).b > scale.colour(-3.0).r && scale.colour(3.0).r > scale.colour(3.0).b);
    }

    #[test]
    fn a_constant_field_has_one_colour() {
        let scale = ColourScale::magnitude("Curvature", Quantity::Curvature, &[0.0, 0.0]);
        assert_eq!(scale.colour(0.0), ColourMap::Sequential.colour(0.5));
    }
}

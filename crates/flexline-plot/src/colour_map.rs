//! From a number to a colour, with the legend's wording.

use crate::drawing::{Colour, theme};
use crate::quantity::Quantity;

/// How numbers become colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// Share of a limit as a traffic light: green below 0.8, amber below 1, red from 1 on.
    Utilisation,
    /// Dark blue to yellow, brightness rising evenly: for magnitudes.
    Sequential,
    /// Blue through grey to orange, grey at zero: for signed values.
    Diverging,
}

/// Amber starts here.
pub(crate) const CAUTION: f64 = 0.8;

impl ColourMap {
    /// Colour at the fraction `t` of the range, 0 to 1; a [`ColourMap::Utilisation`] takes `t` as it is.
    pub fn colour(self, t: f64) -> Colour {
        match self {
            Self::Utilisation if t < CAUTION => theme::GOOD,
            Self::Utilisation if t < 1.0 => theme::WARN,
            Self::Utilisation => theme::BAD,
            Self::Sequential => {
                let t = t.clamp(0.0, 1.0);
                let (hue, chroma) = (285.0 - 185.0 * t, 0.115 + 0.10 * t * t - 0.06 * t);
                Colour::oklch(0.36 + 0.52 * t, chroma, hue)
            }
            Self::Diverging => {
                let middle = Colour::hex(0xdcdfe2);
                let t = 2.0 * t.clamp(0.0, 1.0) - 1.0;
                let end = if t < 0.0 { Colour::hex(0x1f5fa8) } else { Colour::hex(0xc4571a) };
                middle.mix(end, t.abs())
            }
        }
    }
}

/// A colour map with its range and the words of its legend.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourScale {
    /// The map.
    pub map: ColourMap,
    /// Values at the two ends, SI; ignored by [`ColourMap::Utilisation`].
    pub range: [f64; 2],
    /// What is shown, for the legend.
    pub title: String,
    /// Kind of quantity, for the unit of the legend.
    pub quantity: Quantity,
}

impl ColourScale {
    /// The traffic light on the share of a limit.
    pub fn utilisation(title: impl Into<String>) -> Self {
        let (map, range) = (ColourMap::Utilisation, [0.0, 1.0]);
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
        match self.map {
            ColourMap::Utilisation => value,
            _ if hi > lo => ((value - lo) / (hi - lo)).clamp(0.0, 1.0),
            _ => 0.5,
        }
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

    #[test]
    fn the_traffic_light_changes_at_its_thresholds() {
        let scale = ColourScale::utilisation("Utilisation");
        for (value, colour) in [
            (0.0, theme::GOOD),
            (0.799_999, theme::GOOD),
            (0.8, theme::WARN),
            (0.999_999, theme::WARN),
            (1.0, theme::BAD),
            (7.0, theme::BAD),
        ] {
            assert_eq!(scale.colour(value), colour, "{value}");
        }
    }

    #[test]
    fn the_sequential_map_brightens_evenly() {
        let light = |i: u32| ColourMap::Sequential.colour(f64::from(i) / 50.0).luminance();
        for i in 0..50 {
            assert!(light(i + 1) > light(i), "{i}");
        }
        assert!(light(0) < 0.1 && light(50) > 0.6, "{} {}", light(0), light(50));
    }

    #[test]
    fn the_diverging_map_is_palest_at_zero() {
        let scale = ColourScale::signed("Twist", Quantity::Twist, &[-1.0, 3.0]);
        assert_eq!(scale.range, [-3.0, 3.0]);
        let zero = scale.colour(0.0);
        assert!([-3.0, -1.0, 1.0, 3.0].iter().all(|v| scale.colour(*v).luminance() < zero.luminance()));
        assert!(scale.colour(-3.0).b > scale.colour(-3.0).r && scale.colour(3.0).r > scale.colour(3.0).b);
    }

    #[test]
    fn a_constant_field_has_one_colour() {
        let scale = ColourScale::magnitude("Curvature", Quantity::Curvature, &[0.0, 0.0]);
        assert_eq!(scale.colour(0.0), ColourMap::Sequential.colour(0.5));
    }
}

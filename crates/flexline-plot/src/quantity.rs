//! Units a reader expects, and numbers as short as they can be.

/// Degrees in a radian.
const DEGREES: f64 = 180.0 / std::f64::consts::PI;

/// What a number measures; SI inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// m.
    Length,
    /// 1/m.
    Curvature,
    /// rad/m; shown in degrees per length, as checks and the library show it.
    Twist,
    /// N.
    Force,
    /// N m.
    Moment,
    /// A share, shown in percent.
    Ratio,
}

/// A unit for display.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Symbol.
    pub name: &'static str,
    /// Displayed number = SI number × factor.
    pub factor: f64,
}

impl Quantity {
    /// The unit in which a largest magnitude of `magnitude` reads best; the usual one for zero.
    pub fn unit(self, magnitude: f64) -> Unit {
        // Each entry serves magnitudes below its first number.
        let table: &[(f64, &'static str, f64)] = match self {
            Self::Length => &[
                (1e-6, "nm", 1e9),
                (1e-3, "µm", 1e6),
                (10.0, "mm", 1e3),
                (1e4, "m", 1.0),
                (f64::INFINITY, "km", 1e-3),
            ],
            Self::Curvature => &[(1e-2, "1/km", 1e3), (1e3, "1/m", 1.0), (f64::INFINITY, "1/mm", 1e-3)],
            Self::Twist => &[
                (1e-3, "°/km", 1e3 * DEGREES),
                (1e3, "°/m", DEGREES),
                (f64::INFINITY, "°/mm", 1e-3 * DEGREES),
            ],
            Self::Force => &[
                (1e-6, "nN", 1e9),
                (1e-3, "µN", 1e6),
                (0.1, "mN", 1e3),
                (1e4, "N", 1.0),
                (1e7, "kN", 1e-3),
                (f64::INFINITY, "MN", 1e-6),
            ],
            Self::Moment => &[
                (1e-6, "nN·m", 1e9),
                (1e-3, "µN·m", 1e6),
                (0.1, "mN·m", 1e3),
                (1e4, "N·m", 1.0),
                (1e7, "kN·m", 1e-3),
                (f64::INFINITY, "MN·m", 1e-6),
            ],
            Self::Ratio => &[(f64::INFINITY, "%", 100.0)],
        };
        // Half of the base unit falls on the usual row of every table.
        let magnitude = if magnitude > 0.0 { magnitude } else { 0.5 };
        let (_, name, factor) = table.iter().find(|row| magnitude < row.0).unwrap_or(&table[table.len() - 1]);
        Unit { name, factor: *factor }
    }

    /// A single value with its unit, three digits.
    pub fn show(self, value: f64) -> String {
        let unit = self.unit(value.abs());
        format!("{} {}", short(value * unit.factor), unit.name)
    }
}

/// A number in at most three significant digits, with a true minus sign.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || !value.is_finite() {
        return if value.is_finite() { "0".into() } else { "–".into() };
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{value:.1e}").replace('-', "−");
    }
    let decimals = (2 - size.log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.replace('-', "−")
}

/// A number to a fixed count of decimals, with a true minus sign and no negative zero.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let zero = text.chars().all(|c| matches!(c, '0' | '-' | '.'));
    if zero { text.replace('-', "") } else { text.replace('-', "−") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_from_hairs_to_sea_cables() {
        let name = |m| Quantity::Length.unit(m).name;
        assert_eq!([50e-6, 0.3, 3.0, 60.0, 12_000.0].map(name), ["µm", "mm", "mm", "m", "km"]);
        assert_eq!(name(0.0), "mm");
    }

    #[test]
    fn zero_is_shown_in_the_usual_unit() {
        assert_eq!(Quantity::Force.unit(0.0).name, "N");
        assert_eq!(Quantity::Moment.unit(0.0).name, "N·m");
        assert_eq!(Quantity::Curvature.unit(0.0).name, "1/m");
        assert_eq!(Quantity::Twist.unit(0.0).name, "°/m");
        assert_eq!(Quantity::Ratio.unit(0.0).name, "%");
    }

    #[test]
    fn values_read_well() {
        assert_eq!(Quantity::Force.show(-0.01234), "−12.3 mN");
        assert_eq!(Quantity::Length.show(0.0432), "43.2 mm");
        assert_eq!(Quantity::Ratio.show(0.87), "87 %");
    }

    #[test]
    fn short_keeps_three_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-1.5, "−1.5"),
            (0.012345, "0.0123"),
            (999.6, "1000"),
            (12345.0, "12345"),
            (1e-9, "1.0e−9"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn fixed_has_no_negative_zero() {
        assert_eq!(fixed(-0.001, 1), "0.0");
        assert_eq!(fixed(-0.26, 1), "−0.3");
    }
}

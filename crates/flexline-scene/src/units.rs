//! Quantities written as text: a number and a unit, checked against what the field measures.
//!
//! `"12 mm"`, `"5 MPa"`, `"0.02 N m^2"`, `"3 turns"`, `"9 g/m"`. Units are case-sensitive. Products are
//! written with a space, `*` or `·`, powers as `^2`, `²` or a digit behind the unit (`mm2`), and a slash
//! divides by the one unit behind it.

use crate::suggest;

/// What a field measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Length, m.
    Length,
    /// Angle, rad.
    Angle,
    /// Area, m².
    Area,
    /// Curvature, 1/m.
    Curvature,
    /// Twist per length, rad/m.
    TwistRate,
    /// Force, N.
    Force,
    /// Moment, N m.
    Moment,
    /// Work, J.
    Work,
    /// Force per length, N/m.
    ForcePerLength,
    /// Moment per length, N m/m.
    MomentPerLength,
    /// Stress or elastic modulus, Pa.
    Stress,
    /// Bending or twisting stiffness, N m².
    Stiffness,
    /// Mass, kg.
    Mass,
    /// Moment of inertia, kg m².
    Inertia,
    /// Time, s.
    Time,
    /// Mass per volume, kg/m³.
    Density,
    /// Mass per length, kg/m.
    MassPerLength,
    /// Acceleration, m/s².
    Acceleration,
    /// A plain number; `%` is accepted.
    Ratio,
}

impl Dimension {
    /// "a length", "a force", …
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// A sample value with its unit.
    pub fn example(self) -> &'static str {
        self.facts().1
    }

    /// The SI unit in words, in the plural.
    pub fn si(self) -> &'static str {
        self.facts().2
    }

    /// "a length such as "12 mm" or a number in metres".
    pub fn expectation(self) -> String {
        match self {
            Self::Ratio => "a plain number such as 0.3 or \"30 %\"".into(),
            _ => format!("{} such as \"{}\" or a number in {}", self.name(), self.example(), self.si()),
        }
    }

    fn facts(self) -> (&'static str, &'static str, &'static str, Powers) {
        match self {
            Self::Length => ("a length", "12 mm", "metres", Powers(1, 0, 0, 0)),
            Self::Angle => ("an angle", "90 deg", "radians", Powers(0, 0, 0, 1)),
            Self::Area => ("an area", "0.5 mm^2", "m^2", Powers(2, 0, 0, 0)),
            Self::Curvature => ("a curvature", "2 1/m", "1/m", Powers(-1, 0, 0, 0)),
            Self::TwistRate => ("a twist per length", "1 turn/m", "rad/m", Powers(-1, 0, 0, 1)),
            Self::Force => ("a force", "5 N", "newtons", Powers(1, 1, -2, 0)),
            Self::Moment => ("a moment", "0.2 N m", "newton metres", Powers(2, 1, -2, 0)),
            Self::Work => ("a work", "0.2 J", "joules", Powers(2, 1, -2, 0)),
            Self::ForcePerLength => ("a force per length", "2 N/m", "N/m", Powers(0, 1, -2, 0)),
            Self::MomentPerLength => ("a moment per length", "0.1 N m/m", "N m/m", Powers(1, 1, -2, 0)),
            Self::Stress => ("a stress", "5 MPa", "pascals", Powers(-1, 1, -2, 0)),
            Self::Stiffness => ("a stiffness", "0.02 N m^2", "N m^2", Powers(3, 1, -2, 0)),
            Self::Mass => ("a mass", "0.4 kg", "kilograms", Powers(0, 1, 0, 0)),
            Self::Inertia => ("a moment of inertia", "2 kg cm^2", "kg m^2", Powers(2, 1, 0, 0)),
            Self::Time => ("a time", "0.5 s", "seconds", Powers(0, 0, 1, 0)),
            Self::Density => ("a density", "1200 kg/m^3", "kg/m^3", Powers(-3, 1, 0, 0)),
            Self::MassPerLength => ("a mass per length", "9 g/m", "kg/m", Powers(-1, 1, 0, 0)),
            Self::Acceleration => ("an acceleration", "9.81 m/s^2", "m/s^2", Powers(1, 0, -2, 0)),
            Self::Ratio => ("a plain number", "0.3", "plain numbers", Powers(0, 0, 0, 0)),
        }
    }

    /// Radians are a number: a curvature may be given in rad/m and a twist in 1/m.
    fn accepts(self, powers: Powers) -> bool {
        let own = self.facts().3;
        match self {
            Self::Curvature | Self::TwistRate => {
                powers == Powers(-1, 0, 0, 0) || powers == Powers(-1, 0, 0, 1)
            }
            _ => powers == own,
        }
    }

    const ALL: [Self; 19] = [
        Self::Length,
        Self::Angle,
        Self::Area,
        Self::Curvature,
        Self::TwistRate,
        Self::Force,
        Self::Moment,
        Self::Work,
        Self::ForcePerLength,
        Self::MomentPerLength,
        Self::Stress,
        Self::Stiffness,
        Self::Mass,
        Self::Inertia,
        Self::Time,
        Self::Density,
        Self::MassPerLength,
        Self::Acceleration,
        Self::Ratio,
    ];
}

/// Exponents of metre, kilogram, second and radian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Powers(i32, i32, i32, i32);

impl Powers {
    const NONE: Self = Self(0, 0, 0, 0);

    fn times(self, other: Self, exponent: i32) -> Self {
        Self(
            self.0 + exponent * other.0,
            self.1 + exponent * other.1,
            self.2 + exponent * other.2,
            self.3 + exponent * other.3,
        )
    }

    /// What these exponents measure, in words.
    fn describe(self) -> String {
        const OTHERS: [(Powers, &str); 3] = [
            (Powers(3, 0, 0, 0), "a volume"),
            (Powers(1, 0, -1, 0), "a speed"),
            (Powers(0, 0, -1, 0), "a frequency"),
        ];
        if let Some(d) = Dimension::ALL.iter().find(|d| d.facts().3 == self) {
            return d.name().into();
        }
        if let Some((_, name)) = OTHERS.iter().find(|(p, _)| *p == self) {
            return (*name).into();
        }
        let mut text = String::from("a quantity in");
        for (exponent, symbol) in [(self.1, "kg"), (self.0, "m"), (self.2, "s"), (self.3, "rad")] {
            match exponent {
                0 => {}
                1 => text.push_str(&format!(" {symbol}")),
                e => text.push_str(&format!(" {symbol}^{e}")),
            }
        }
        text
    }
}

/// Which prefixes a unit takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefixes {
    None,
    /// n, µ, m, k, M, G.
    Thousands,
    /// Those of [`Prefixes::Thousands`], and c and d.
    All,
}

struct Unit {
    symbol: &'static str,
    factor: f64,
    powers: Powers,
    prefixes: Prefixes,
}

const fn unit(symbol: &'static str, factor: f64, powers: Powers, prefixes: Prefixes) -> Unit {
    Unit { symbol, factor, powers, prefixes }
}

const LENGTH: Powers = Powers(1, 0, 0, 0);
const MASS: Powers = Powers(0, 1, 0, 0);
const TIME: Powers = Powers(0, 0, 1, 0);
const ANGLE: Powers = Powers(0, 0, 0, 1);
const FORCE: Powers = Powers(1, 1, -2, 0);
const STRESS: Powers = Powers(-1, 1, -2, 0);
const TURN: f64 = std::f64::consts::TAU;
const DEGREE: f64 = std::f64::consts::PI / 180.0;
const POUND: f64 = 0.453_592_37;
const POUND_FORCE: f64 = POUND * 9.806_65;

const UNITS: [Unit; 24] = [
    unit("m", 1.0, LENGTH, Prefixes::All),
    unit("in", 0.0254, LENGTH, Prefixes::None),
    unit("ft", 0.3048, LENGTH, Prefixes::None),
    unit("g", 1e-3, MASS, Prefixes::Thousands),
    unit("t", 1e3, MASS, Prefixes::None),
    unit("lb", POUND, MASS, Prefixes::None),
    unit("s", 1.0, TIME, Prefixes::Thousands),
    unit("min", 60.0, TIME, Prefixes::None),
    unit("N", 1.0, FORCE, Prefixes::All),
    unit("lbf", POUND_FORCE, FORCE, Prefixes::None),
    unit("Pa", 1.0, STRESS, Prefixes::Thousands),
    unit("bar", 1e5, STRESS, Prefixes::None),
    unit("psi", POUND_FORCE / (0.0254 * 0.0254), STRESS, Prefixes::None),
    unit("J", 1.0, Powers(2, 1, -2, 0), Prefixes::Thousands),
    unit("rad", 1.0, ANGLE, Prefixes::Thousands),
    unit("deg", DEGREE, ANGLE, Prefixes::None),
    unit("degree", DEGREE, ANGLE, Prefixes::None),
    unit("degrees", DEGREE, ANGLE, Prefixes::None),
    unit("°", DEGREE, ANGLE, Prefixes::None),
    unit("turn", TURN, ANGLE, Prefixes::None),
    unit("turns", TURN, ANGLE, Prefixes::None),
    unit("rev", TURN, ANGLE, Prefixes::None),
    unit("%", 0.01, Powers::NONE, Prefixes::None),
    unit("Hz", 1.0, Powers(0, 0, -1, 0), Prefixes::Thousands),
];

const PREFIXES: [(char, f64, Prefixes); 10] = [
    ('n', 1e-9, Prefixes::Thousands),
    ('u', 1e-6, Prefixes::Thousands),
    ('µ', 1e-6, Prefixes::Thousands),
    ('μ', 1e-6, Prefixes::Thousands),
    ('m', 1e-3, Prefixes::Thousands),
    ('c', 1e-2, Prefixes::All),
    ('d', 1e-1, Prefixes::All),
    ('k', 1e3, Prefixes::Thousands),
    ('M', 1e6, Prefixes::Thousands),
    ('G', 1e9, Prefixes::Thousands),
];

/// The units offered when a name is not known.
const COMMON: [&str; 22] = [
    "m", "mm", "cm", "km", "in", "ft", "g", "kg", "N", "mN", "kN", "lbf", "Pa", "kPa", "MPa", "GPa", "bar",
    "psi", "rad", "deg", "turns", "%",
];

/// A quantity's text can be no longer than this, in bytes.
const LONGEST: usize = 120;
/// Largest exponent of a unit.
const STEEPEST: i32 = 9;

/// Why a text is not a quantity: what is wrong, and the remedy where it is not simply the expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitError {
    /// Which kind of mistake.
    pub kind: UnitErrorKind,
    /// What is wrong; reads after the quoted value ("is a mass, not a length").
    pub problem: String,
    /// Remedy, beside what the dimension expects.
    pub hint: Option<String>,
}

/// Kinds of [`UnitError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitErrorKind {
    /// It does not read as number and unit.
    Syntax,
    /// The unit is unknown, missing, or measures something else.
    Unit,
    /// The number is not finite.
    NotFinite,
}

impl UnitError {
    fn new(kind: UnitErrorKind, problem: impl Into<String>) -> Self {
        Self { kind, problem: problem.into(), hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Reads a quantity of the given dimension, in SI.
pub fn parse(text: &str, dimension: Dimension) -> Result<f64, UnitError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(UnitError::new(UnitErrorKind::Syntax, "is empty"));
    }
    if text.len() > LONGEST {
        return Err(UnitError::new(UnitErrorKind::Syntax, "is far too long for a quantity"));
    }
    let (number, rest) = split_number(text)?;
    let rest = rest.trim_start();
    if rest.starts_with(',') {
        return Err(
            UnitError::new(UnitErrorKind::Syntax, "has a decimal comma").hint("write a decimal point")
        );
    }
    if rest.is_empty() && dimension != Dimension::Ratio {
        return Err(UnitError::new(UnitErrorKind::Unit, "has no unit")
            .hint(format!("without the quotes it is a number in {}", dimension.si())));
    }
    let (factor, powers) = parse_unit(rest)?;
    if !dimension.accepts(powers) {
        let problem = format!("is {}, not {}", powers.describe(), dimension.name());
        return Err(UnitError::new(UnitErrorKind::Unit, problem));
    }
    finite(number * factor)
}

/// Reads a quantity of any dimension, in SI.
pub fn parse_any(text: &str) -> Result<f64, UnitError> {
    let (number, rest) = split_number(text.trim())?;
    let (factor, _) = parse_unit(rest.trim_start())?;
    finite(number * factor)
}

/// Whether the text reads as a share of something ("50 %").
pub fn is_percentage(text: &str) -> bool {
    text.trim_end().ends_with('%')
}

fn finite(value: f64) -> Result<f64, UnitError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(UnitError::new(UnitErrorKind::NotFinite, "is too large for a number"))
    }
}

/// Splits the leading number off.
fn split_number(text: &str) -> Result<(f64, &str), UnitError> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes[0], b'+' | b'-'));
    let mut end = sign + digits(sign);
    let mut any = end > sign;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        any |= fraction > 0;
        end += 1 + fraction;
    }
    if !any {
        let word = text[sign..].to_ascii_lowercase();
        if word.starts_with("nan") || word.starts_with("inf") {
            return Err(UnitError::new(UnitErrorKind::NotFinite, "is not a finite number"));
        }
        return Err(UnitError::new(UnitErrorKind::Syntax, "does not begin with a number"));
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let exponent_sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent =
            if end + 1 + exponent_sign <= bytes.len() { digits(end + 1 + exponent_sign) } else { 0 };
        if exponent > 0 {
            end += 1 + exponent_sign + exponent;
        }
    }
    let number = text[..end]
        .parse::<f64>()
        .map_err(|_| UnitError::new(UnitErrorKind::Syntax, "does not begin with a number"))?;
    Ok((finite(number)?, &text[end..]))
}

/// Reads a product of powers of units: its factor to SI and its exponents.
fn parse_unit(text: &str) -> Result<(f64, Powers), UnitError> {
    let mut factor = 1.0;
    let mut powers = Powers::NONE;
    let mut rest = text;
    // A product may open with "1/".
    if let Some(after) = rest.strip_prefix('1').map(str::trim_start)
        && after.starts_with('/')
    {
        rest = after;
    }
    let mut first = true;
    let mut divided = false;
    while !rest.is_empty() {
        let slash = rest.strip_prefix('/');
        let product = rest.strip_prefix(['*', '·', '⋅', '×']);
        if product.is_some() && first {
            return Err(syntax(text));
        }
        rest = slash.or(product).unwrap_or(rest).trim_start();
        if divided && slash.is_none() {
            let problem = format!("has the ambiguous unit \"{text}\"");
            return Err(UnitError::new(UnitErrorKind::Syntax, problem)
                .hint("write all products first, then a slash before each divisor: \"N m/kg/s\""));
        }
        divided |= slash.is_some();
        let name_end =
            rest.find(|c: char| !(c.is_alphabetic() || c == '°' || c == '%')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(name_end);
        if name.is_empty() {
            return Err(syntax(text));
        }
        let (exponent, after) = split_exponent(after).ok_or_else(|| syntax(text))?;
        let sign = if slash.is_some() { -1 } else { 1 };
        for (value, own, power) in resolve(name, exponent)? {
            factor *= f64::powi(value, sign * power);
            powers = powers.times(own, sign * power);
        }
        rest = after.trim_start();
        first = false;
    }
    Ok((factor, powers))
}

fn syntax(text: &str) -> UnitError {
    UnitError::new(UnitErrorKind::Syntax, format!("has the unreadable unit \"{text}\""))
}

/// Splits `^2`, `^-1`, `²`, `⁻¹` or `2` off; 1 where there is none.
fn split_exponent(text: &str) -> Option<(i32, &str)> {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let caret = text.strip_prefix('^');
    let body = caret.unwrap_or(text);
    let (negative, digits) = match body.strip_prefix(['-', '⁻']) {
        Some(after) => (true, after),
        None => (false, body),
    };
    let mut value = 0_i32;
    let mut end = 0;
    for c in digits.chars() {
        let raised = RAISED.iter().position(|r| *r == c);
        let Some(digit) = c.to_digit(10).or(raised.map(|p| p as u32)) else { break };
        value = value.saturating_mul(10).saturating_add(digit as i32);
        end += c.len_utf8();
    }
    if end == 0 {
        return (caret.is_none() && !negative).then_some((1, text));
    }
    (value <= STEEPEST).then_some((if negative { -value } else { value }, &digits[end..]))
}

/// The factors a name stands for: one unit, or a force and a length run together as in "Nm", where the
/// exponent belongs to the length.
fn resolve(name: &str, exponent: i32) -> Result<Vec<(f64, Powers, i32)>, UnitError> {
    if let Some((factor, powers)) = find(name) {
        return Ok(vec![(factor, powers, exponent)]);
    }
    for (split, _) in name.char_indices().skip(1) {
        if let (Some(a), Some(b)) = (find(&name[..split]), find(&name[split..]))
            && a.1 == FORCE
            && b.1 == LENGTH
        {
            return Ok(vec![(a.0, a.1, 1), (b.0, b.1, exponent)]);
        }
    }
    let error = UnitError::new(UnitErrorKind::Unit, format!("has the unknown unit \"{name}\""));
    Err(match suggest::nearest(name, COMMON) {
        Some(near) => error.hint(format!("did you mean \"{near}\"? Units are case-sensitive")),
        None => error,
    })
}

/// Factor to SI and exponents of one unit with or without a prefix.
fn find(name: &str) -> Option<(f64, Powers)> {
    if let Some(u) = UNITS.iter().find(|u| u.symbol == name) {
        return Some((u.factor, u.powers));
    }
    let mut letters = name.chars();
    let first = letters.next()?;
    let (_, scale, level) = PREFIXES.iter().find(|(p, _, _)| *p == first)?;
    let base = UNITS.iter().find(|u| u.symbol == letters.as_str())?;
    let allowed =
        base.prefixes == Prefixes::All || (base.prefixes == *level && *level == Prefixes::Thousands);
    allowed.then_some((scale * base.factor, base.powers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, dimension: Dimension, si: f64) {
        let value = parse(text, dimension).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert!((value - si).abs() <= 1e-14 * si.abs(), "{text}: {value} instead of {si}");
    }

    #[test]
    fn units_prefixes_products_and_powers() {
        reads("12 mm", Dimension::Length, 0.012);
        reads("-12mm", Dimension::Length, -0.012);
        reads("+1.5e1 cm", Dimension::Length, 0.15);
        reads("5 µm", Dimension::Length, 5e-6);
        reads("1 in", Dimension::Length, 0.0254);
        reads(".5 m", Dimension::Length, 0.5);
        reads("5 MPa", Dimension::Stress, 5e6);
        reads("5 N/mm^2", Dimension::Stress, 5e6);
        reads("5 N / mm²", Dimension::Stress, 5e6);
        reads("3 bar", Dimension::Stress, 3e5);
        reads("0.02 N m^2", Dimension::Stiffness, 0.02);
        reads("0.02 N·m²", Dimension::Stiffness, 0.02);
        reads("0.02 N*m2", Dimension::Stiffness, 0.02);
        reads("20 Nmm²", Dimension::Stiffness, 20e-6);
        reads("20 kN cm^2", Dimension::Stiffness, 2.0);
        reads("2 Nm", Dimension::Moment, 2.0);
        reads("2 mNm", Dimension::Moment, 2e-3);
        reads("2 J", Dimension::Moment, 2.0);
        reads("2 mJ", Dimension::Work, 2e-3);
        reads("3 turns", Dimension::Angle, 3.0 * std::f64::consts::TAU);
        reads("90 deg", Dimension::Angle, std::f64::consts::FRAC_PI_2);
        reads("90°", Dimension::Angle, std::f64::consts::FRAC_PI_2);
        reads("9 g/m", Dimension::MassPerLength, 9e-3);
        reads("1.5 kg/m^3", Dimension::Density, 1.5);
        reads("1.2 g/cm3", Dimension::Density, 1200.0);
        reads("2 N/m", Dimension::ForcePerLength, 2.0);
        reads("9.81 m/s^2", Dimension::Acceleration, 9.81);
        reads("9.81 m s^-2", Dimension::Acceleration, 9.81);
        reads("9.81 m s⁻²", Dimension::Acceleration, 9.81);
        reads("4 1/m", Dimension::Curvature, 4.0);
        reads("4 /m", Dimension::Curvature, 4.0);
        reads("4 m^-1", Dimension::Curvature, 4.0);
        reads("180 deg/m", Dimension::Curvature, std::f64::consts::PI);
        reads("1 turn/m", Dimension::TwistRate, std::f64::consts::TAU);
        reads("50 %", Dimension::Ratio, 0.5);
        reads("0.5", Dimension::Ratio, 0.5);
        reads("1 lbf", Dimension::Force, 4.4482216152605);
        reads("1 psi", Dimension::Stress, 6894.757293168361);
    }

    #[track_caller]
    fn fails(text: &str, dimension: Dimension, kind: UnitErrorKind, problem: &str) {
        let error = parse(text, dimension).expect_err(text);
        assert_eq!((error.kind, error.problem.as_str()), (kind, problem), "{text}");
    }

    #[test]
    fn wrong_dimensions_are_named() {
        use UnitErrorKind::Unit;
        fails("5 kg", Dimension::Length, Unit, "is a mass, not a length");
        fails("5 mm^2", Dimension::Length, Unit, "is an area, not a length");
        fails("5 mm", Dimension::Stress, Unit, "is a length, not a stress");
        fails("5 N", Dimension::Moment, Unit, "is a force, not a moment");
        fails("2 rad/m", Dimension::Length, Unit, "is a twist per length, not a length");
        fails("5 kg m s", Dimension::Length, Unit, "is a quantity in kg m s, not a length");
        fails("12", Dimension::Length, Unit, "has no unit");
        fails("12 MM", Dimension::Length, Unit, "has the unknown unit \"MM\"");
        fails("12 cPa", Dimension::Stress, Unit, "has the unknown unit \"cPa\"");
    }

    #[test]
    fn nonsense_is_refused() {
        use UnitErrorKind::{NotFinite, Syntax};
        fails("", Dimension::Length, Syntax, "is empty");
        fails("  ", Dimension::Length, Syntax, "is empty");
        fails("mm", Dimension::Length, Syntax, "does not begin with a number");
        fails("-", Dimension::Length, Syntax, "does not begin with a number");
        fails(".", Dimension::Length, Syntax, "does not begin with a number");
        fails("1,5 mm", Dimension::Length, Syntax, "has a decimal comma");
        fails("1 mm^", Dimension::Length, Syntax, "has the unreadable unit \"mm^\"");
        fails("1 m^99", Dimension::Length, Syntax, "has the unreadable unit \"m^99\"");
        fails("1 * m", Dimension::Length, Syntax, "has the unreadable unit \"* m\"");
        fails("1 m//s", Dimension::Length, Syntax, "has the unreadable unit \"m//s\"");
        fails("1 J/kg m", Dimension::Length, Syntax, "has the ambiguous unit \"J/kg m\"");
        fails("nan mm", Dimension::Length, NotFinite, "is not a finite number");
        fails("-Infinity", Dimension::Length, NotFinite, "is not a finite number");
        fails("1e400 mm", Dimension::Length, NotFinite, "is too large for a number");
        fails("1e308 km", Dimension::Length, NotFinite, "is too large for a number");
        fails(&"9".repeat(200), Dimension::Length, Syntax, "is far too long for a quantity");
    }

    #[test]
    fn a_misspelt_unit_gets_a_suggestion() {
        let error = parse("12 MM", Dimension::Length).unwrap_err();
        assert_eq!(error.hint.as_deref(), Some("did you mean \"mm\"? Units are case-sensitive"));
    }
}

//! Tolerances of tests: each says why a number may differ, and one dial turns all of them.
//!
//! A test that passes says little about how nearly it did. `FLEXLINE_TOLERANCE=0.1` makes every tolerance ten times as
//! strict: what fails then had less than a digit to spare. `FLEXLINE_TOLERANCE=show` prints what each used of what it was
//! allowed (`cargo test … -- --nocapture`).

#![allow(dead_code, reason = "tests beside the code and tests from outside need some of it each")]

use std::sync::OnceLock;

/// The variable of the environment that scales every tolerance.
const VARIABLE: &str = "FLEXLINE_TOLERANCE";

/// How far a number may be off, and why.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Tolerance {
    allowed: f64,
    why: &'static str,
}

/// Round-off: a share, some 1e-16 for every operation that loses digits, of the numbers that cancel.
pub fn round_off(share: f64, scale: f64) -> Tolerance {
    Tolerance { allowed: share * scale, why: "round-off" }
}

/// What a finite difference leaves out, and the digits that it loses: a share of the size of the derivative.
pub fn truncation(share: f64, scale: f64) -> Tolerance {
    Tolerance { allowed: share * scale, why: "truncation of a difference" }
}

/// What a scheme of some order leaves out at its resolution: a share of the size of the answer.
pub fn order(share: f64, scale: f64) -> Tolerance {
    Tolerance { allowed: share * scale, why: "order of the scheme" }
}

/// What a solve to its tolerance leaves: a share of the size of the answer.
pub fn convergence(share: f64, scale: f64) -> Tolerance {
    Tolerance { allowed: share * scale, why: "convergence of the solver" }
}

impl Tolerance {
    /// This and another one together, by the reason of the first.
    pub fn plus(self, other: Self) -> Self {
        Self { allowed: self.allowed + other.allowed, why: self.why }
    }

    /// Fails where `off` is more than is allowed, or no number; `what` says of what.
    #[track_caller]
    pub fn allows(self, off: f64, what: impl Fn() -> String) {
        let Dial { factor, shows } = Dial::get();
        if shows {
            let share = off.abs() / self.allowed;
            eprintln!("{share:9.2e} of {}: {}", self.why, what());
        }
        assert!(
            off.abs() <= factor * self.allowed,
            "{}: off by {:e}, allowed by {} {:e}{}",
            what(),
            off.abs(),
            self.why,
            factor * self.allowed,
            if factor == 1.0 { String::new() } else { format!(" ({VARIABLE}={factor})") }
        );
    }
}

/// Two numbers that may differ by a tolerance.
#[track_caller]
pub fn assert_near(found: f64, expected: f64, tolerance: Tolerance, what: impl Fn() -> String) {
    tolerance.allows(found - expected, || format!("{}: found {found:e}, expected {expected:e}", what()));
}

/// What the environment asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Dial {
    factor: f64,
    shows: bool,
}

impl Dial {
    fn get() -> Self {
        static DIAL: OnceLock<Dial> = OnceLock::new();
        *DIAL.get_or_init(|| Self::read(std::env::var(VARIABLE).ok().as_deref()))
    }

    /// A factor, or the wish to see; what is neither is a mistake of whoever runs the tests.
    fn read(text: Option<&str>) -> Self {
        match text {
            None | Some("") => Self { factor: 1.0, shows: false },
            Some("show") => Self { factor: 1.0, shows: true },
            Some(text) => match text.parse() {
                Ok(factor) if factor >= 0.0 => Self { factor, shows: false },
                _ => panic!("{VARIABLE}={text}: expected a factor such as 0.1, or `show`"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(tolerance: Tolerance, off: f64) -> bool {
        std::panic::catch_unwind(|| tolerance.allows(off, || "test".into())).is_err()
    }

    #[test]
    fn more_than_allowed_fails() {
        let factor = Dial::get().factor;
        let tolerance = truncation(1e-3, 2.0);
        assert!(!fails(tolerance, 1.9e-3 * factor) && !fails(tolerance, -1.9e-3 * factor));
        assert!(fails(tolerance, 2.1e-3 * factor) && fails(tolerance, -2.1e-3 * factor));
        // What is no number is never near.
        assert!(fails(tolerance, f64::NAN) && fails(round_off(1.0, f64::NAN), 0.0));
        let both = tolerance.plus(order(1e-3, 1.0));
        assert!(!fails(both, 2.9e-3 * factor) && fails(both, 3.1e-3 * factor));
    }

    #[test]
    fn the_dial_is_a_factor_or_a_wish_to_see() {
        assert_eq!(Dial::read(None), Dial { factor: 1.0, shows: false });
        assert_eq!(Dial::read(Some("0.1")), Dial { factor: 0.1, shows: false });
        assert_eq!(Dial::read(Some("show")), Dial { factor: 1.0, shows: true });
        for wrong in ["-1", "nan", "little"] {
            assert!(std::panic::catch_unwind(|| Dial::read(Some(wrong))).is_err(), "{wrong}");
        }
    }
}

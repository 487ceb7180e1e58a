//! What the proof of a state is made of: how its solve ended, its stability, its energies. The proof itself is
//! [`NetworkReport`](super::network::NetworkReport), of one rod as of many.

use serde::{Deserialize, Serialize};

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[non_exhaustive]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Status {
    /// Residual and constraint violation are inside the tolerances.
    Converged,
    /// The ends cannot be reached with this length; the state is the last good one.
    TooShort,
    /// Constraints contradict each other; the state is the nearest one, and they are named.
    Conflict,
    /// The iteration limit was reached; the state is the last good one.
    IterationLimit,
    /// No step improved the state any more; the state is the last good one.
    NoProgress,
    /// Forces balance only because two neighbouring segments are folded onto each other: no equilibrium of a cable; the
    /// state is the last good one.
    Folded,
    /// A number overflowed or a pivot vanished; the state is the last good one.
    NumericalFailure,
    /// The time of the [`Budget`](super::Budget) was up; the state is the last good one.
    OutOfTime,
    /// Nobody wants the answer any more; the state is the last good one.
    Cancelled,
    /// A step in time created energy however it was damped; the state is the last good one.
    EnergyGained,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::TooShort => "too short",
            Self::Conflict => "constraints contradict each other",
            Self::IterationLimit => "not converged: iteration limit reached",
            Self::NoProgress => "not converged: no step improved the state",
            Self::Folded => {
                "not converged: folded double between two segments; it needs more segments, or more length to bend"
            }
            Self::NumericalFailure => "not converged: a number overflowed or a pivot vanished",
            Self::OutOfTime => "not converged: the time was up",
            Self::Cancelled => "not converged: cancelled",
            Self::EnergyGained => "a step in time created energy",
        })
    }
}

/// Whether an equilibrium is a strict minimum of the energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Verdict {
    /// Every admissible change costs energy.
    Stable,
    /// Stable but for changes that cost nothing (a ball joint leaves the spin free).
    Neutral,
    /// Some admissible change releases energy: the rod would snap.
    Unstable,
}

/// Second variation of the energy on the tangent of all constraints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stability {
    /// Verdict.
    pub verdict: Verdict,
    /// Smallest eigenvalue of the second variation divided by ∫ Θ′·KΘ′, dimensionless; 1 for an
    /// unloaded rod, 0 at buckling, negative past it. Neutral modes are left out.
    pub lambda_min: f64,
    /// Number of directions that release energy.
    pub negative: usize,
    /// Number of directions that cost nothing.
    pub neutral: usize,
    /// Whether every load has a potential. Where not (moments, follower loads), what is judged is
    /// the energy with those loads as mere prestress: a necessary look, not a verdict on flutter.
    pub complete: bool,
}

/// Energies, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Energies {
    /// Bending part of the elastic energy.
    pub bending: f64,
    /// Twisting part of the elastic energy.
    pub torsion: f64,
    /// Gravity, zero at the world origin.
    pub gravity: f64,
    /// Potential of the other dead forces, zero at the world origin; follower loads have none.
    pub loads: f64,
}

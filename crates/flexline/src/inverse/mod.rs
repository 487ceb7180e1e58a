//! Inverse problems: from shapes to the parts that have them.
//!
//! From points a [`Centreline`], smooth and by arc length; along it a rod of any model ([`fit()`], [`fit_within`]), by helices with floating
//! tangents, by space clothoids, splines or chains; to a shape the natural strain with which it is an equilibrium ([`natural_rod`]), and
//! how soft the rod may be there ([`stability_margin`]). `docs/theory/inverse.md` has the mathematics.

mod centreline;
mod fit;
mod flaws;
mod framing;
mod margin;
mod pieces;
mod rest;
mod tangents;

pub use centreline::{Centreline, CentrelineError, FEWEST_NOISY, Noise, Place};
pub use fit::{
    Deviation, Fit, FitError, FitModel, FramedCurve, deviation, fit, fit_within, floating_tangents, joints,
    least_squares,
};
pub use flaws::{Flaw, inspect};
pub use framing::{Framing, Frenet, material_frame, natural_centreline, natural_strain, turned_strain};
pub use margin::{Limit, Margin, stability_margin};
pub use pieces::{LeastSquares, Pieces};
pub use rest::{InverseError, NaturalRod, distance, natural_rod, strains, with_natural};
pub use tangents::{Helices, Joint, ShortHelix, TangentError, float_joints, helices, short_helix};

//! A rod along a curve: of any model, with as many pieces as an error asks for, the error measured on the curve.

use super::centreline::Centreline;
use super::pieces::Pieces;
use super::tangents::{Joint, TangentError, helices};
use crate::algebra::{Vec3, rotation};
use crate::geometry::darboux::{CurvePoint, ElementError};
use crate::rod::curvature::{Basis, CurvatureError};
use crate::rod::mixed::{Mesh, MeshError, MixedRod, Strain};
use crate::rod::spline::SplineRod;
use crate::rod::{AnyRod, Rod, RodState, Station};
use crate::section::SectionProfile;

/// Places at which an error is measured, at least, and per piece.
const PLACES: usize = 400;
const PER_PIECE: usize = 8;
/// Points per element that clothoids are fitted to.
const POINTS: usize = 10;
/// Steps of the search for the nearest place, and how far from the same share of the length it may be, as a share of it: a fit that runs on where
/// its curve turns back is not near it.
const FEET: usize = 8;
const ROOM: f64 = 0.05;

/// What a curve is made into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FitModel {
    /// Helices by floating tangents.
    Helix,
    /// Helices by least squares: what floating tangents are compared with.
    HelixLeastSquares,
    /// Space clothoids by least squares.
    Clothoid,
    /// A cubic B-spline with twist.
    Spline,
    /// A chain of nodes and frames.
    Chain(Strain),
}

impl FitModel {
    /// Pieces at most.
    pub fn most(self) -> usize {
        match self {
            Self::Helix => 400,
            Self::HelixLeastSquares | Self::Clothoid => 120,
            Self::Spline => 400,
            Self::Chain(_) => 3200,
        }
    }

    /// Pieces at least.
    pub fn least(self) -> usize {
        if matches!(self, Self::Chain(_)) { crate::rod::mixed::MIN_SEGMENTS } else { 2 }
    }
}

/// Distance of a fit from its curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// The largest, m.
    pub largest: f64,
    /// Where along the curve, m.
    pub at: f64,
    /// Root mean square, m.
    pub rms: f64,
}

/// A rod along a curve.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The rod; without loads it has the shape.
    pub rod: AnyRod,
    /// The shape.
    pub state: RodState,
    /// Number of elements or segments.
    pub pieces: usize,
    /// How far the shape is from the curve, measured on the curve.
    pub deviation: Deviation,
    /// Of helices, the most that one of them turns about its axis, rad; beyond π it winds where the curve does not.
    pub most_turning: Option<f64>,
}

/// Why there is no fit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// A number of pieces that the model does not have.
    #[error("{0} pieces: expected {1} to {2} of this model")]
    Pieces(usize, usize, usize),
    /// A tolerance that is none.
    #[error("a tolerance of {0} m: expected a positive length")]
    Tolerance(f64),
    /// No helix somewhere.
    #[error(transparent)]
    Tangents(#[from] TangentError),
    /// An element that is none.
    #[error(transparent)]
    Element(#[from] ElementError),
    /// A rod that is none.
    #[error(transparent)]
    Rod(#[from] CurvatureError),
    /// A chain that is none.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The shape could not be taken.
    #[error("the curve bends too sharply for {0} pieces of this model")]
    Sharp(usize),
}

/// A curve with frames carried along it without twist.
#[derive(Clone, Debug)]
pub struct FramedCurve<'a> {
    curve: &'a Centreline,
    frames: Vec<Station>,
}

impl<'a> FramedCurve<'a> {
    /// Frames along a curve; `up` is where d1 leans at the beginning.
    pub fn new(curve: &'a Centreline, up: &Vec3) -> Self {
        let count = (4 * curve.arcs().len()).clamp(400, 8000);
        Self { curve, frames: curve.frames(count, up) }
    }

    /// Length, m.
    pub fn length(&self) -> f64 {
        self.curve.length()
    }

    /// The station at arc length `s`.
    pub fn at(&self, s: f64) -> Station {
        let count = (self.frames.len() - 1) as f64;
        let k = (s / self.curve.length() * count).clamp(0.0, count) as usize;
        let (own, here) = (&self.frames[k], self.curve.at(s));
        let turn = rotation::between(&rotation::tangent(&own.frame), &here.tangent);
        let frame = turn * own.frame;
        Station { position: here.position, frame: frame * (1.0 / frame.norm()) }
    }

    /// The Darboux vector there: κ1 = −t′·d2, κ2 = t′·d1, no twist.
    pub fn strain(&self, s: f64) -> Vec3 {
        let r = rotation::matrix(&self.at(s).frame);
        let bend = self.curve.at(s).bend;
        Vec3::new(-bend.dot(&r.column(1)), bend.dot(&r.column(0)), 0.0)
    }
}

/// A rod of `pieces` elements or segments along `curve`, with d1 leaning to `up` at its beginning.
pub fn fit(
    curve: &Centreline,
    section: &SectionProfile,
    model: FitModel,
    pieces: usize,
    up: &Vec3,
) -> Result<Fit, FitError> {
    fit_framed(&FramedCurve::new(curve, up), section, model, pieces, up)
}

fn fit_framed(
    framed: &FramedCurve<'_>,
    section: &SectionProfile,
    model: FitModel,
    pieces: usize,
    up: &Vec3,
) -> Result<Fit, FitError> {
    let curve = framed.curve;
    let length = curve.length();
    if !(model.least()..=model.most()).contains(&pieces) {
        return Err(FitError::Pieces(pieces, model.least(), model.most()));
    }
    let places = PLACES.max(PER_PIECE * pieces);
    let mut most_turning = None;
    let (rod, state): (AnyRod, RodState) = match model {
        FitModel::Helix | FitModel::HelixLeastSquares | FitModel::Clothoid => {
            let own = match model {
                FitModel::Helix => {
                    let (own, turning) = floating_tangents(curve, pieces, up)?;
                    most_turning = Some(turning);
                    own
                }
                FitModel::HelixLeastSquares => least_squares(framed, Basis::Helix, pieces)?.0,
                _ => least_squares(framed, Basis::Clothoid, pieces)?.0,
            };
            let rod: AnyRod = own.rod(section)?.into();
            let state = rod.rest_state(&own.start());
            (rod, state)
        }
        FitModel::Spline => {
            let rod: AnyRod = SplineRod::new(length, pieces, section, &|s| framed.strain(s))?.into();
            let state = rod.state_from(&|s| framed.at(s));
            (rod, state)
        }
        FitModel::Chain(strain) => {
            let rest = |s: f64| framed.strain(s);
            let rod: AnyRod =
                MixedRod::new(&Mesh::uniform(length, pieces)?, section, &rest).with_strain(strain).into();
            let mut state = rod.state_from(&|s| framed.at(s));
            rod.project(&mut state);
            (rod, state)
        }
    };
    if !state.coordinates.iter().all(|c| c.is_finite()) {
        return Err(FitError::Sharp(pieces));
    }
    let deviation = deviation(curve, rod.length(), places, &|s| {
        let own = rod.station(&state, s);
        (own.position, rotation::tangent(&own.frame))
    });
    Ok(Fit { rod, state, pieces, deviation, most_turning })
}

/// The fewest pieces found with which the largest deviation keeps within `tolerance`; where none does, the best, which then says so by its
/// deviation. Numbers grow by a half until one does, and are halved in between: whether fewer would do elsewhere is not looked for.
pub fn fit_within(
    curve: &Centreline,
    section: &SectionProfile,
    model: FitModel,
    tolerance: f64,
    up: &Vec3,
) -> Result<Fit, FitError> {
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(FitError::Tolerance(tolerance));
    }
    let framed = FramedCurve::new(curve, up);
    let make = |pieces: usize| fit_framed(&framed, section, model, pieces, up);
    let mut pieces = model.least();
    let mut failed = pieces - 1;
    let (mut best, mut trouble): (Option<Fit>, Option<FitError>) = (None, None);
    let mut found = loop {
        match make(pieces) {
            Ok(own) if own.deviation.largest <= tolerance => break own,
            Ok(own) => {
                if best.as_ref().is_none_or(|b| own.deviation.largest < b.deviation.largest) {
                    best = Some(own);
                }
            }
            Err(error) => trouble = Some(error),
        }
        failed = pieces;
        if pieces == model.most() {
            return best.ok_or(trouble.unwrap_or(FitError::Sharp(pieces)));
        }
        pieces = (pieces + pieces.div_ceil(2)).min(model.most());
    };
    while found.pieces > failed + 1 {
        let middle = usize::midpoint(found.pieces, failed);
        match make(middle) {
            Ok(own) if own.deviation.largest <= tolerance => found = own,
            _ => failed = middle,
        }
    }
    Ok(found)
}

/// The joints at the ends of `pieces` even stretches of a curve.
pub fn joints(curve: &Centreline, pieces: usize) -> Vec<Joint> {
    let at = |k: usize| curve.at(curve.length() * k as f64 / pieces as f64);
    let joint = |k: usize| {
        let own = at(k);
        Joint { position: own.position, tangent: own.tangent }
    };
    (0..=pieces).map(joint).collect()
}

/// Helices by floating tangents, and the most that one of them turns, rad.
pub fn floating_tangents(curve: &Centreline, pieces: usize, up: &Vec3) -> Result<(Pieces, f64), FitError> {
    let found = helices(&joints(curve, pieces), up)?;
    let mut ends = vec![0.0];
    for own in &found.elements {
        ends.push(ends[ends.len() - 1] + own.length());
    }
    let strains = found.elements.iter().map(|own| own.curvature()).collect();
    Ok((Pieces::new(Basis::Helix, found.start, ends, strains)?, found.most_turning))
}

/// Elements by least squares from the curvature of the curve, and how that went.
pub fn least_squares(
    framed: &FramedCurve<'_>,
    basis: Basis,
    pieces: usize,
) -> Result<(Pieces, super::pieces::LeastSquares), FitError> {
    let length = framed.curve.length();
    let end = |k: usize| length * k as f64 / pieces as f64;
    let strains = match basis {
        Basis::Helix => (0..pieces).map(|k| framed.strain(0.5 * (end(k) + end(k + 1)))).collect(),
        Basis::Clothoid => (0..=pieces).map(|k| framed.strain(end(k))).collect(),
    };
    let first = framed.at(0.0);
    let start = CurvePoint { position: first.position, frame: first.frame };
    let mut own = Pieces::new(basis, start, (0..=pieces).map(end).collect(), strains)?;
    let count = (POINTS * pieces).max(100);
    let points: Vec<Vec3> =
        (0..=count).map(|i| framed.curve.at(length * i as f64 / count as f64).position).collect();
    let report = own.fit(&points);
    Ok((own, report))
}

/// The distance of `fit`, position and tangent by arc length, from even places of the curve: to the nearest place near the same share of its
/// length.
pub fn deviation(
    curve: &Centreline,
    length: f64,
    places: usize,
    fit: &dyn Fn(f64) -> (Vec3, Vec3),
) -> Deviation {
    let mut worst = Deviation { largest: 0.0, at: 0.0, rms: 0.0 };
    for i in 0..=places {
        let share = i as f64 / places as f64;
        let at = share * curve.length();
        let wanted = curve.at(at).position;
        let same = share * length;
        let mut s = same;
        let mut distance = f64::INFINITY;
        for _ in 0..FEET {
            let (position, tangent) = fit(s);
            let off = wanted - position;
            distance = distance.min(off.norm());
            let step = off.dot(&tangent);
            let room = ROOM * length;
            let next = (s + step).clamp((same - room).max(0.0), (same + room).min(length));
            if (next - s).abs() <= 1e-9 * length {
                break;
            }
            s = next;
        }
        worst.rms += distance * distance / (places + 1) as f64;
        // What is no number is the worst.
        if distance > worst.largest || distance.is_nan() {
            (worst.largest, worst.at) = (distance, at);
        }
    }
    worst.rms = worst.rms.sqrt();
    worst
}

//! The rod models by their names in a file, and the rods of cables.

use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Cable, LoadOn};
use crate::source::Source;
use flexline::Vec3;
use flexline::rod::curvature::{self, Basis, CurvatureError, CurvatureRod};
use flexline::rod::mixed::{self, Mesh, MeshError, MixedRod, Strain};
use flexline::rod::spline::{self, SplineRod};
use flexline::rod::{AnyRod, Breaks};
use flexline::section::SectionProfile;
use std::ops::RangeInclusive;

/// A rod model of the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum RodModel {
    /// Nodes and a frame per segment; any twist per segment.
    #[default]
    Mixed,
    /// Discrete elastic rods.
    Nodal,
    /// Elements of constant curvature and twist.
    Helix,
    /// Elements of linear curvature and twist, continuous from one to the next.
    Clothoid,
    /// A cubic B-spline with twist.
    Spline,
}

/// The models by the names they have in a file.
pub(crate) const ROD_MODELS: &[(&str, RodModel)] = &[
    ("mixed", RodModel::Mixed),
    ("nodal", RodModel::Nodal),
    ("helix", RodModel::Helix),
    ("clothoid", RodModel::Clothoid),
    ("spline", RodModel::Spline),
];

/// What a rod is divided into.
enum Pieces {
    /// Segments between nodes.
    Segments(Strain),
    /// Elements of a curve by its curvature.
    Elements(Basis),
    /// Elements of a spline.
    Spline,
}

impl RodModel {
    fn pieces(self) -> Pieces {
        match self {
            Self::Mixed => Pieces::Segments(Strain::Mixed),
            Self::Nodal => Pieces::Segments(Strain::Nodal),
            Self::Helix => Pieces::Elements(Basis::Helix),
            Self::Clothoid => Pieces::Elements(Basis::Clothoid),
            Self::Spline => Pieces::Spline,
        }
    }

    /// The model of a name in a file.
    pub fn named(word: &str) -> Option<Self> {
        ROD_MODELS.iter().find(|(name, _)| *name == word).map(|(_, model)| *model)
    }

    /// Its name in a file.
    pub fn word(self) -> &'static str {
        ROD_MODELS.iter().find(|(_, model)| *model == self).map_or("", |(word, _)| word)
    }

    /// Whether a rod is a chain of segments, rather than of elements.
    pub fn is_chain(self) -> bool {
        matches!(self.pieces(), Pieces::Segments(_))
    }

    /// The key that gives the number of pieces, and that of the other models.
    pub fn keys(self) -> [&'static str; 2] {
        if self.is_chain() { ["segments", "elements"] } else { ["elements", "segments"] }
    }

    /// How many pieces a rod can have.
    pub fn range(self) -> RangeInclusive<usize> {
        match self.pieces() {
            Pieces::Segments(_) => mixed::MIN_SEGMENTS..=mixed::MAX_SEGMENTS,
            Pieces::Elements(_) => curvature::MIN_ELEMENTS..=curvature::MAX_ELEMENTS,
            Pieces::Spline => curvature::MIN_ELEMENTS..=spline::MAX_ELEMENTS,
        }
    }

    /// The number of pieces that a choice for an accuracy begins with.
    pub(crate) fn first(self) -> usize {
        if self.is_chain() { 12 } else { 4 }
    }

    /// The number of pieces where a scene does not say, which for chains depends on what the scene is.
    pub fn standard(self, segments: usize) -> usize {
        match self.pieces() {
            Pieces::Segments(_) => segments,
            Pieces::Elements(Basis::Helix) => 30,
            Pieces::Elements(Basis::Clothoid) => 10,
            Pieces::Spline => 16,
        }
    }
}

/// Why a cable has no rod: the key of the cable that is to blame, what is wrong and what helps.
pub(crate) struct NoRod {
    pub key: &'static str,
    pub message: String,
    pub help: Option<String>,
}

impl NoRod {
    /// The same, at the place of the key in a file; `cable` is the path of the cable.
    pub fn at(self, source: &Source, cable: &str) -> Diagnostic {
        source.diagnostic(Code::OutOfRange, &format!("{cable}.{}", self.key), self.message, self.help)
    }
}

impl From<MeshError> for NoRod {
    fn from(error: MeshError) -> Self {
        let key = if matches!(error, MeshError::Length(_)) { "length" } else { "segments" };
        Self { key, message: error.to_string(), help: None }
    }
}

impl From<CurvatureError> for NoRod {
    fn from(error: CurvatureError) -> Self {
        let (key, help) = match error {
            CurvatureError::Length(_) => ("length", None),
            CurvatureError::Elements(_) | CurvatureError::SplineElements(_) => {
                ("elements", Some("give another number of elements; zones have one each at least"))
            }
            CurvatureError::Section(_) | CurvatureError::Start(_) => ("zone", None),
            CurvatureError::Order(_) => {
                ("zone", Some("make zones longer than a billionth of the cable, or leave them out"))
            }
            CurvatureError::Rest { .. } => {
                let help = "give a rest shape that curls less, or model = \"mixed\"";
                ("rest", Some(help))
            }
            _ => ("elements", None),
        };
        Self { key, message: error.to_string(), help: help.map(Into::into) }
    }
}

/// Where the stretch [from, to] of a cable is not smooth, counted from `from`: its section there, its rest shape, and the
/// loads on it.
pub(crate) fn breaks<'a>(
    cable: &Cable,
    section: &SectionProfile,
    [from, to]: [f64; 2],
    loads: impl Iterator<Item = &'a LoadOn>,
) -> Breaks {
    let mut all = Breaks::of(section);
    let inside = |s: &f64| *s > from && *s < to;
    cable.rest.jumps().into_iter().filter(inside).for_each(|s| all.jump(s - from));
    for load in loads {
        match load {
            LoadOn::Point { at, moment, .. } if inside(at) && *moment != Vec3::zeros() => all.jump(at - from),
            LoadOn::Point { at, .. } if inside(at) => all.kink(at - from),
            LoadOn::Point { .. } => {}
            LoadOn::Stretch { from: a, to: b, .. } => {
                [*a, *b].into_iter().filter(inside).for_each(|s| all.kink(s - from));
            }
        }
    }
    all
}

/// Ends of so many segments or elements of a stretch of a cable; `mesh` makes those of a chain.
pub(crate) fn ends(
    model: RodModel,
    length: f64,
    pieces: usize,
    breaks: &Breaks,
    mesh: impl FnOnce(usize) -> Result<Mesh, MeshError>,
) -> Result<Vec<f64>, NoRod> {
    Ok(match model.pieces() {
        Pieces::Segments(_) => mesh(pieces)?.nodes().to_vec(),
        Pieces::Elements(_) | Pieces::Spline => breaks.divide(length, pieces)?,
    })
}

/// The rod whose segments or elements end there.
pub(crate) fn rod(
    model: RodModel,
    ends: &[f64],
    breaks: &Breaks,
    section: &SectionProfile,
    rest: &dyn Fn(f64) -> Vec3,
) -> Result<AnyRod, NoRod> {
    Ok(match model.pieces() {
        Pieces::Segments(strain) => {
            let mesh = Mesh::from_nodes(ends.to_vec())?;
            MixedRod::with_breaks(&mesh, breaks, section, rest).with_strain(strain).into()
        }
        Pieces::Elements(basis) => CurvatureRod::with_breaks(basis, ends, breaks, section, rest)?.into(),
        Pieces::Spline => SplineRod::with_breaks(ends, breaks, section, rest)?.into(),
    })
}

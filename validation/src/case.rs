//! A case: what it is called, and how to measure a model against it.

use crate::field::FieldError;
use crate::judge::Quantity;
use crate::rods::{Grid, Model};

/// Measures a model at a resolution: the compared numbers, or why there are none.
pub(crate) type Measure = Box<dyn Fn(Grid) -> Result<Vec<Quantity>, String> + Send + Sync>;

/// Measures a model that has no resolution: exact up to round-off.
pub(crate) type ExactMeasure = Box<dyn Fn(&str) -> Result<Vec<Quantity>, String> + Send + Sync>;

/// Measures rigid bodies in so many steps in time.
pub(crate) type StepsMeasure = Box<dyn Fn(usize) -> Result<Vec<Quantity>, String> + Send + Sync>;

/// The model of cases without a rod.
pub(crate) const RIGID: &str = "rigid";

/// One case of a reference set.
pub struct Case {
    /// Its name, unique within its group.
    pub id: String,
    /// The test it belongs to.
    pub group: String,
    /// Its place in its list; thins the list out for quick runs.
    pub(crate) place: usize,
    pub(crate) kind: Kind,
}

/// What can be done with a case.
pub(crate) enum Kind {
    /// It can be run with every rod model.
    Run {
        measure: Measure,
        /// Bounds that hold at one resolution besides the tolerances.
        bounds: &'static [Bound],
        /// The models that claim it, where obstacles press on the rod: then less of an order is asked for.
        contact: Option<&'static [&'static str]>,
        /// Resolutions to try where those of the model do not suit.
        resolutions: Option<&'static [usize]>,
    },
    /// It can be run once with each of these models, which are exact on it.
    Exact { models: Vec<&'static str>, measure: ExactMeasure },
    /// Rigid bodies in time: it is run once, with more and more steps.
    Steps(StepsMeasure),
    /// It cannot, and why.
    Unsupported(String),
}

/// With `n` segments or elements of one model the named quantity may not exceed `limit`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub(crate) model: &'static str,
    pub(crate) n: usize,
    pub(crate) quantity: &'static str,
    pub(crate) limit: f64,
}

impl Case {
    /// Whether the case can be run with this model.
    pub(crate) fn takes(&self, model: &str) -> bool {
        match &self.kind {
            Kind::Run { contact, .. } => {
                Model::find(model).is_some() && contact.is_none_or(|models| models.contains(&model))
            }
            Kind::Exact { models, .. } => models.contains(&model),
            Kind::Steps(_) => model == RIGID,
            Kind::Unsupported(_) => false,
        }
    }
}

/// The cases of one file while it is read.
pub(crate) struct Cases {
    group: String,
    pub(crate) list: Vec<Case>,
}

impl Cases {
    pub(crate) fn new(group: &str) -> Self {
        Self { group: group.to_owned(), list: Vec::new() }
    }

    fn push(&mut self, id: String, place: usize, kind: Kind) {
        self.list.push(Case { id, group: self.group.clone(), place, kind });
    }

    /// A case that can be run, if all it needs is there; a field of the wrong kind is an error.
    pub(crate) fn add(
        &mut self,
        id: String,
        place: usize,
        measure: Result<Measure, FieldError>,
    ) -> Result<(), FieldError> {
        self.add_bounded(id, place, &[], measure)
    }

    /// The same with a bound at one resolution.
    pub(crate) fn add_bounded(
        &mut self,
        id: String,
        place: usize,
        bounds: &'static [Bound],
        measure: Result<Measure, FieldError>,
    ) -> Result<(), FieldError> {
        self.add_kind(
            id,
            place,
            measure.map(|measure| Kind::Run { measure, bounds, contact: None, resolutions: None }),
        )
    }

    /// A case of a rod in contact, which these models claim.
    pub(crate) fn add_contact(
        &mut self,
        id: String,
        place: usize,
        claimed: &'static [&'static str],
        measure: Result<Measure, FieldError>,
    ) -> Result<(), FieldError> {
        self.add_contact_at(id, place, claimed, None, measure)
    }

    /// The same at resolutions of its own.
    pub(crate) fn add_contact_at(
        &mut self,
        id: String,
        place: usize,
        claimed: &'static [&'static str],
        resolutions: Option<&'static [usize]>,
        measure: Result<Measure, FieldError>,
    ) -> Result<(), FieldError> {
        let run = |measure| Kind::Run { measure, bounds: &[], contact: Some(claimed), resolutions };
        self.add_kind(id, place, measure.map(run))
    }

    /// A case that models without a resolution can run, if all it needs is there.
    pub(crate) fn add_exact(
        &mut self,
        id: String,
        place: usize,
        posed: Result<(Vec<&'static str>, ExactMeasure), FieldError>,
    ) -> Result<(), FieldError> {
        self.add_kind(id, place, posed.map(|(models, measure)| Kind::Exact { models, measure }))
    }

    /// A case of rigid bodies in time.
    pub(crate) fn add_steps(
        &mut self,
        id: String,
        place: usize,
        measure: Result<StepsMeasure, FieldError>,
    ) -> Result<(), FieldError> {
        self.add_kind(id, place, measure.map(Kind::Steps))
    }

    /// A case of rigid bodies that is exact.
    pub(crate) fn add_rigid(
        &mut self,
        id: String,
        place: usize,
        measure: Result<ExactMeasure, FieldError>,
    ) -> Result<(), FieldError> {
        self.add_exact(id, place, measure.map(|measure| (vec![RIGID], measure)))
    }

    fn add_kind(
        &mut self,
        id: String,
        place: usize,
        kind: Result<Kind, FieldError>,
    ) -> Result<(), FieldError> {
        let kind = match kind {
            Err(error @ FieldError::Missing { .. }) => {
                Kind::Unsupported(format!("{error}: the case cannot be posed"))
            }
            kind => kind?,
        };
        self.push(id, place, kind);
        Ok(())
    }

    /// A case that cannot be run.
    pub(crate) fn unsupported(&mut self, id: String, place: usize, why: impl Into<String>) {
        self.push(id, place, Kind::Unsupported(why.into()));
    }
}

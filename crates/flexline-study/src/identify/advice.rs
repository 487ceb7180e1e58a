//! Which other pose would tell what these do not.

use super::fit::{Decomposed, Fit, Model, System};
use super::inference::Inference;
use super::points::{Measured, Point};
use super::pose::{Change, Pose};
use crate::base::StudyError;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::{Axes, PointLoad};
use flexline_scene::Compiled;
use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// Points that would be measured there.
const POINTS: usize = 30;

/// What another pose would tell.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// The pose in words.
    pub pose: String,
    /// What would be known then of what is unknown now: name, and its standard error (a share of what is positive, else in its unit).
    pub known: Vec<(String, f64)>,
    /// What would still be unknown.
    pub unknown: Vec<String>,
}

/// The pose among some that would tell most of what is unknown; none where all of it is known, or none tells more.
pub(super) fn advice(model: &Model, fit: &Fit, now: &Inference) -> Result<Option<Advice>, StudyError> {
    let blind = |own: &Inference, k: usize| own.errors[k] > super::inference::UNKNOWN;
    // An error of a pose is that of another in another pose: only what all share is looked after.
    let wanted: Vec<usize> =
        (0..model.unknowns.len()).filter(|k| model.unknowns[*k].pose.is_none() && blind(now, *k)).collect();
    let Some(first) = fit.looked.solved.iter().position(Option::is_some).filter(|_| !wanted.is_empty())
    else {
        return Ok(None);
    };
    let Some(solved) = &fit.looked.solved[first] else { return Ok(None) };
    let tried = |(words, change): (String, Change)| -> Option<(usize, f64, Advice)> {
        let information = with_another(model, fit, first, change)?;
        let then = Inference::of(&information, now.dof, model.noise.is_none());
        let known: Vec<usize> = wanted.iter().copied().filter(|k| !blind(&then, *k)).collect();
        let share = |k: &usize| {
            let own = &model.unknowns[*k];
            (own.name.clone(), then.errors[*k] * if own.positive { 1.0 } else { own.scale })
        };
        let unknown = wanted.iter().filter(|k| !known.contains(k)).map(|k| model.unknowns[*k].name.clone());
        let worst = known.iter().map(|k| then.errors[*k]).fold(0.0, f64::max);
        let advice =
            Advice { pose: words, known: known.iter().map(share).collect(), unknown: unknown.collect() };
        (!known.is_empty()).then_some((known.len(), worst, advice))
    };
    let all: Vec<_> = candidates(&solved.compiled).into_par_iter().filter_map(tried).collect();
    let best = all.into_iter().max_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    Ok(best.map(|own| own.2))
}

/// What all measurements would tell with those of one pose more.
fn with_another(model: &Model, fit: &Fit, first: usize, change: Change) -> Option<Decomposed> {
    let own = &model.poses[first];
    let cable = *own.cables.first()?;
    let length = fit.looked.solved[first].as_ref()?.compiled.cables[cable].length;
    let point = |k: usize| Point {
        at: Measured::Space(Vec3::zeros()),
        arc: Some(length * (k as f64 + 0.5) / POINTS as f64),
        sigma: None,
        cable: None,
        file: "".into(),
        line: 0,
    };
    let pose = Pose {
        name: own.name.clone(),
        base: own.base.clone(),
        scene: own.scene.clone(),
        points: (0..POINTS).map(point).collect(),
        cables: vec![cable; POINTS],
        index: own.index,
        change: Some(change),
    };
    let coordinates = &fit.looked.coordinates;
    let values: Vec<f64> = model.unknowns.iter().zip(coordinates).map(|(own, x)| own.value(*x)).collect();
    let solved = pose.reach(&model.unknowns, &values, None).ok()?.ok()?;
    let feet = pose.feet(&solved);
    let (columns, _) = pose.slopes(&model.unknowns, coordinates, &solved, &feet).ok()?;
    // Points in space without arc length: what they are moved along the cable is not seen.
    let sigma = model.noise.unwrap_or(super::fit::REFERENCE)[0];
    let before = &fit.system;
    let mut rows: Vec<f64> = Vec::new();
    for (k, foot) in feet.iter().enumerate() {
        let across = rotation::across(&foot.tangent);
        for along in [across, foot.tangent.cross(&across)] {
            rows.extend(columns.iter().zip(&model.unknowns).map(|(column, unknown)| match column {
                Some(column) if unknown.pose.is_none() => -along.dot(&column[k]) / sigma,
                _ => 0.0,
            }));
        }
    }
    let added = DMatrix::from_row_slice(2 * POINTS, model.unknowns.len(), &rows);
    let old = before.jacobian.nrows();
    let mut jacobian = before.jacobian.clone().resize_vertically(old + 2 * POINTS, 0.0);
    jacobian.rows_mut(old, 2 * POINTS).copy_from(&added);
    let residuals = before.residuals.clone().resize_vertically(old + 2 * POINTS, 0.0);
    let sizes = before.sizes.iter().copied().chain([2; POINTS]).collect();
    let both = System { residuals, jacobian, sizes, priors: before.priors.clone() };
    Some(both.information(fit.factor, model.robust))
}

/// Poses that are easily made: turned, led elsewhere, twisted, with a known weight.
fn candidates(compiled: &Compiled) -> Vec<(String, Change)> {
    let mut found: Vec<(String, Change)> = Vec::new();
    let gravity = compiled.network.gravity;
    if gravity.norm() > 0.0 {
        found.push((
            "everything turned upside down".into(),
            Arc::new(|own| own.network.gravity = -own.network.gravity),
        ));
        let across = rotation::across(&gravity.normalize());
        found.push((
            "everything turned on its side".into(),
            Arc::new(move |own| own.network.gravity = across * own.network.gravity.norm()),
        ));
    }
    let length = compiled.cables[0].length;
    let anchor = |name: &str| compiled.anchors.iter().position(|own| own.name == name);
    if let (Some(start), Some(end)) = (anchor("start"), anchor("end")) {
        let anchors = &compiled.network.anchors;
        let chord = anchors[end].pose.position - anchors[start].pose.position;
        let held = anchors[end].held == [true; 3];
        let tangent = rotation::tangent(&anchors[end].pose.orientation);
        let way = if chord.norm() > 0.05 * length { chord.normalize() } else { tangent };
        let up = if gravity.norm() > 0.0 { -gravity.normalize() } else { Vec3::z() };
        let side = rotation::across(&way);
        let moves = [
            ("towards the start", -way),
            ("away from the start", way),
            ("upwards", up),
            ("downwards", -up),
            ("to the side", side),
        ];
        for (words, direction) in moves.into_iter().filter(|_| held) {
            for share in [0.15, 0.3] {
                let by = direction * (share * length);
                // What would be too short or taut is no pose to measure.
                if (chord + by).norm() > 0.97 * length {
                    continue;
                }
                let words = format!("the end {:.0} mm {words}", 1e3 * share * length);
                found.push((words, Arc::new(move |own| own.network.anchors[end].pose.position += by)));
            }
        }
        if anchors[end].held_orientation {
            for degrees in [90.0f64, 180.0] {
                let words = format!("the end twisted by {degrees:.0}°");
                let turn = rotation::exp(&(Vec3::z() * degrees.to_radians()));
                found.push((
                    words,
                    Arc::new(move |own| {
                        let pose = &mut own.network.anchors[end].pose;
                        pose.orientation *= turn;
                    }),
                ));
            }
        }
    }
    // Without a force that is known all forces may be larger together, and no shape tells.
    let weight = compiled.cables[0].section.at(0.0).mass_per_length * length * gravity.norm();
    let spans = compiled.cables[0].spans.clone();
    if let Some((span, from)) = spans.iter().rev().find(|own| own.1 <= 0.5 * length).copied()
        && weight > 0.0
    {
        let (force, s) = (gravity.normalize() * weight, 0.5 * length - from);
        let words = format!("a known weight of {:.0} g hung on its middle", 1e3 * weight / gravity.norm());
        let load = PointLoad { s, force, moment: Vec3::zeros(), axes: Axes::World };
        found.push((words, Arc::new(move |own| own.network.spans[span].point_loads.push(load))));
    }
    found
}

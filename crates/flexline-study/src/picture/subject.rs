//! Pictures of a scene: every cable a tube, every rigid part a stub.

use super::{
    Look, PictureError, Shown, View, arrows, draw_cable, fittings, limits, obstacles, stations, view_options,
};
use flexline::algebra::rotation;
use flexline::rod::Rod;
use flexline::solver::network::{Attachment, Grip};
use flexline::solver::{Axes, PointLoad, Sample, Status};
use flexline::{Quat, Vec3};
use flexline_plot::{
    Cable, Colour, ColourBy, ColourMap, ColourScale, Drawing, End, Load, Paint, PlotError, Subject, Tube,
    perspective, three_views,
};

pub(super) const STEEL: Colour = Colour::hex(0xaa_b4bf);

/// Draws the scene, or one cable of it.
pub fn draw<'a>(solved: impl Into<Shown<'a>>, look: &Look) -> Result<Drawing, PictureError> {
    let solved = &solved.into();
    let at_rest = solved.status() == Status::Converged;
    let cables = &solved.compiled.cables;
    let chosen = match &look.cable {
        Some(name) => Some(cables.iter().position(|c| c.name == *name).ok_or_else(|| {
            let known = cables.iter().map(|c| c.name.clone()).collect();
            PictureError::Cable { name: name.clone(), known }
        })?),
        None => solved.scene.is_single().then_some(0),
    };
    if let Some(index) = chosen {
        if !at_rest {
            // The shape alone: what would be drawn along it is not known.
            let shape = one_cable(solved, index).subject(ColourBy::Nothing)?;
            return Ok(three_views(&shape, &view_options(look))?);
        }
        return Ok(draw_cable(&one_cable(solved, index), subtitle(solved, index), look)?);
    }
    let subject = subject(solved, if at_rest { look.colour } else { ColourBy::Nothing })?;
    match look.view {
        View::Report | View::Perspective => Ok(perspective(&subject, &view_options(look))?),
        View::Three => Ok(three_views(&subject, &view_options(look))?),
        View::Along => Err(PictureError::Which { first: cables[0].name.clone() }),
    }
}

/// What a cable is drawn under: the scene where it has but one.
fn heading<'a>(solved: &Shown<'a>, cable: usize) -> [&'a str; 2] {
    let name = &*solved.compiled.cables[cable].name;
    match solved.scene.is_single() {
        true => [solved.title(), name],
        false => [name, solved.scene.title.as_deref().unwrap_or("harness")],
    }
}

fn subtitle(solved: &Shown<'_>, cable: usize) -> String {
    let (compiled, report) = (&solved.compiled.cables[cable], &solved.solution.report);
    let estimate = if compiled.section.is_estimate() { "stiffness estimated" } else { "stiffness measured" };
    let stability = report.rest.stability.as_ref().map_or(String::new(), |s| {
        let verdict = format!("{:?}", s.verdict).to_lowercase();
        format!(" · {verdict} (smallest eigenvalue {:.3})", s.lambda_min)
    });
    let [_, below] = heading(solved, cable);
    let pieces = solved.compiled.resolution(&compiled.span_indices());
    format!("{below} · {pieces} · {estimate} · {}{stability}", solved.compiled.ending(report))
}

/// The mark where a span is joined to an anchor.
fn mark(solved: &Shown<'_>, at: Option<&Attachment>) -> End {
    let Some(at) = at else { return End::Free };
    let anchor = &solved.compiled.network.anchors[at.anchor];
    let on_wheel = solved.compiled.network.wheels.iter().any(|w| w.on == at.anchor);
    let (kind, held) = (solved.compiled.anchors[at.anchor].kind, anchor.held.contains(&true));
    let clamped = anchor.held_orientation && at.grip == Grip::Clamped;
    match kind {
        "start" | "end" if clamped => End::Clamped,
        "start" | "end" if !held => End::Free,
        "start" | "end" => End::Pinned,
        _ if on_wheel || kind == "part" || !held => End::Joined,
        _ if clamped => End::Clamped,
        _ => End::Pinned,
    }
}

/// The arrows of the loads on a span.
fn loads(solved: &Shown<'_>, span: usize) -> Vec<Load> {
    let own = &solved.compiled.network.spans[span];
    let arrow = |load: &PointLoad| {
        let station = own.rod.station(&solved.solution.state.spans[span].rod, load.s);
        arrows(load, station.position.into(), &station.frame)
    };
    own.point_loads.iter().flat_map(arrow).collect()
}

fn one_cable(solved: &Shown<'_>, cable: usize) -> Cable {
    let compiled = &solved.compiled.cables[cable];
    let network = &solved.compiled.network;
    let pieces = solved.compiled.pieces(solved.solution, cable);
    let samples: Vec<Sample> = pieces.iter().flat_map(|(_, own)| own.iter().copied()).collect();
    let first = pieces.first().map(|(span, _)| &network.spans[*span].start);
    let last = pieces.last().and_then(|(span, _)| network.spans[*span].end.as_ref());
    let end = if first.is_some() && first == last { End::Joined } else { mark(solved, last) };
    Cable {
        name: heading(solved, cable)[0].to_owned(),
        utilisation: shares(solved, cable, &samples),
        stations: stations(&samples),
        ends: [mark(solved, first), end],
        loads: pieces
            .iter()
            .flat_map(|(span, _)| loads(solved, *span))
            .chain(obstacles::presses(solved, Some(cable)))
            .collect(),
        limits: limits(&compiled.section, compiled.dynamic_use),
        solids: obstacles::solids(solved),
    }
}

fn shares(solved: &Shown<'_>, cable: usize, samples: &[Sample]) -> Option<Vec<f64>> {
    samples.iter().map(|s| solved.compiled.utilisation(cable, s).map(|u| u.min(100.0))).collect()
}

/// All cables in one picture, coloured on one scale.
pub fn subject(solved: &Shown<'_>, by: ColourBy) -> Result<Subject, PlotError> {
    let network = &solved.compiled.network;
    let mut parts: Vec<Cable> = Vec::new();
    for cable in 0..solved.compiled.cables.len() {
        for (k, (span, samples)) in solved.compiled.pieces(solved.solution, cable).into_iter().enumerate() {
            // A clip is drawn once: by the span that ends there.
            let start = if k == 0 { mark(solved, Some(&network.spans[span].start)) } else { End::Joined };
            parts.push(Cable {
                name: solved.compiled.cables[cable].name.clone(),
                utilisation: shares(solved, cable, samples),
                stations: stations(samples),
                ends: [start, mark(solved, network.spans[span].end.as_ref())],
                loads: loads(solved, span),
                limits: Default::default(),
                solids: Vec::new(),
            });
        }
    }
    let limited = parts.iter().any(|c| c.utilisation.is_some());
    let by = match by {
        ColourBy::Auto if limited => ColourBy::Utilisation,
        ColourBy::Auto => ColourBy::Curvature,
        other => other,
    };
    let mut subject = Subject {
        title: solved.scene.title.clone().unwrap_or_else(|| "Harness".into()),
        ..Subject::default()
    };
    for part in parts {
        // A cable without limits stays plain beside others that have them.
        let own = if by == ColourBy::Utilisation && part.utilisation.is_none() && limited {
            ColourBy::Nothing
        } else {
            by
        };
        let drawn = part.subject(own)?;
        subject.tubes.extend(drawn.tubes);
        subject.loads.extend(drawn.loads);
        subject.scale = subject.scale.or(drawn.scale);
    }
    subject.scale = subject.scale.map(|scale| common_scale(scale, &subject.tubes));
    subject.solids = obstacles::solids(solved);
    subject.loads.extend(obstacles::presses(solved, None));
    fittings::add(solved, &mut subject);
    add_parts(solved, &mut subject);
    Ok(subject)
}

/// The scale of the first tube, wide enough for all.
fn common_scale(scale: ColourScale, tubes: &[Tube]) -> ColourScale {
    let values: Vec<f64> = tubes
        .iter()
        .flat_map(|t| match &t.paint {
            Paint::Values(values) => &values[..],
            Paint::Plain(_) => &[],
        })
        .copied()
        .collect();
    match scale.map {
        ColourMap::Utilisation => scale,
        ColourMap::Diverging => ColourScale::signed(scale.title, scale.quantity, &values),
        ColourMap::Sequential => ColourScale::magnitude(scale.title, scale.quantity, &values),
    }
}

/// A straight tube of steel.
pub(super) fn stub(ends: [Vec3; 2], frame: Quat, radius: f64) -> Tube {
    Tube {
        centre: ends.map(Into::into).to_vec(),
        frames: vec![[frame.w, frame.i, frame.j, frame.k]; 2],
        radius: vec![radius; 2],
        paint: Paint::Plain(STEEL),
        stripe: false,
        ends: [End::Free; 2],
    }
}

/// Rigid parts as stubs between the places where cables plug in, and the forces on them.
fn add_parts(solved: &Shown<'_>, subject: &mut Subject) {
    let network = &solved.compiled.network;
    let thickest = subject.tubes.iter().flat_map(|t| &t.radius).fold(0.0f64, |m, r| m.max(*r));
    for (i, (anchor, pose)) in network.anchors.iter().zip(&solved.solution.state.anchors).enumerate() {
        let load = PointLoad { s: 0.0, force: anchor.force, moment: anchor.moment, axes: Axes::World };
        subject.loads.extend(arrows(&load, pose.position.into(), &pose.orientation));
        if solved.compiled.anchors[i].kind != "part" {
            continue;
        }
        let ends = network.spans.iter().flat_map(|s| std::iter::once(&s.start).chain(&s.end));
        let mut plugs: Vec<Vec3> =
            ends.filter(|a| a.anchor == i).map(|a| a.anchor_from_end.position).collect();
        plugs.push(Vec3::zeros());
        let pairs = plugs.iter().flat_map(|a| plugs.iter().map(move |b| (*a, *b)));
        let (mut a, mut b) =
            pairs.max_by(|x, y| (x.0 - x.1).norm().total_cmp(&(y.0 - y.1).norm())).unwrap_or_default();
        if (b - a).norm() < 2.0 * thickest {
            (a, b) = (Vec3::new(0.0, 0.0, -thickest), Vec3::new(0.0, 0.0, thickest));
        }
        let frame: Quat = pose.orientation * rotation::between(&Vec3::z(), &(b - a).normalize());
        let radius = (0.25 * (b - a).norm()).max(1.5 * thickest);
        let at = |local: Vec3| pose.position + rotation::rotate(&pose.orientation, &local);
        subject.tubes.push(stub([at(a), at(b)], frame, radius));
    }
}

//! Whether a solution keeps the limits of its section.

use crate::model::Rest;
use crate::resolve::shape_at;
use crate::words::{digits, millimetres};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::section::{BendLimit, BendUse, RadiusReference, Section, SectionProfile, Shape};
use flexline::solver::network::NetworkReport;
use flexline::solver::{self, Profile, Sample, Status};

/// Utilisation from which a rule warns.
pub const AMBER: f64 = 0.8;

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Rule {
    /// The solve converged: without it no other verdict counts.
    Equilibrium,
    /// The equilibrium is stable.
    Stability,
    /// Minimum bend radius.
    BendRadius,
    /// Largest tension.
    Tension,
    /// Largest twist away from the rest shape.
    Twist,
    /// Largest strain of the outermost fibre away from the rest shape.
    Strain,
    /// Least distance from obstacles, other cables and itself.
    Clearance,
    /// Largest force of obstacles on a stretch of one diameter.
    ContactForce,
    /// Largest line pressure of a neighbour, over a stretch of one diameter.
    ContactPressure,
    /// Most work of friction on a stretch of one diameter.
    ChafingWork,
    /// Bends are not sharper than the pieces of the cable can show.
    Resolution,
    /// The turns that were wound up are still there.
    Turns,
    /// Segments and elements are short enough for the forces shown; only told where they are not.
    PieceLength,
}

impl Rule {
    /// The rule in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equilibrium => "equilibrium",
            Self::Stability => "stability",
            Self::BendRadius => "bend radius",
            Self::Tension => "tension",
            Self::Twist => "twist",
            Self::Strain => "outer fibre strain",
            Self::Clearance => "clearance",
            Self::ContactForce => "contact force",
            Self::ContactPressure => "contact pressure",
            Self::ChafingWork => "chafing work",
            Self::Resolution => "resolution",
            Self::Turns => "turns",
            Self::PieceLength => "length of pieces",
        }
    }

    /// Unit of value and limit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::BendRadius | Self::Clearance | Self::PieceLength => "m",
            Self::Tension | Self::ContactForce => "N",
            Self::ContactPressure => "N/m",
            Self::ChafingWork => "J",
            Self::Twist => "rad/m",
            Self::Resolution => "rad",
            Self::Turns => "turns",
            Self::Equilibrium | Self::Stability | Self::Strain => "",
        }
    }
}

/// The outcome of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Verdict {
    /// Not judged: no limit is known.
    NoLimit,
    /// Kept, with room.
    Pass,
    /// Kept, with less than a fifth to spare.
    Warn,
    /// Broken.
    Fail,
}

/// One rule, judged at the place where it is nearest to being broken.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The outcome.
    pub verdict: Verdict,
    /// The value there, in the rule's unit; infinite for the radius of a straight cable, not a number where there is
    /// none: without equilibrium.
    #[cfg_attr(feature = "typescript", ts(as = "Option<f64>"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub value: f64,
    /// What is allowed there, where that is known.
    pub limit: Option<f64>,
    /// How much of the limit is used: 1 is exactly at it. Infinite for a bend with no inner side left.
    pub utilisation: Option<f64>,
    /// Arc length of the place, m.
    pub s: f64,
    /// Its position, m, world.
    #[cfg_attr(feature = "typescript", ts(as = "crate::typescript::Vector"))]
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub position: Vec3,
    /// Of a bend radius: the use that the limit is for and where both are measured; empty for other rules.
    pub detail: String,
    /// The finding as a sentence.
    pub message: String,
}

/// One limit at one sample.
struct Reading {
    rule: Rule,
    value: f64,
    limit: Option<f64>,
    utilisation: Option<f64>,
    /// Of a bend radius: where it is measured, and for which use the limit is.
    bend: Option<(RadiusReference, Option<BendUse>)>,
}

impl Reading {
    /// Whether this one is nearer to breaking the rule, by more than round-off: where a value is the same all
    /// along, its first place is named. A cable under pressure uses nothing of its tension limit anywhere; then
    /// the place of the least pressure counts. What has a limit goes before what has none.
    fn is_nearer_than(&self, other: &Self) -> bool {
        let beyond = |a: f64, b: f64| a > b + 1e-9 * b.abs();
        match (self.utilisation, other.utilisation) {
            (Some(own), Some(known)) => {
                beyond(own, known) || self.rule == Rule::Tension && own == known && self.value > other.value
            }
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) if self.rule == Rule::BendRadius => beyond(1.0 / self.value, 1.0 / other.value),
            (None, None) => beyond(self.value, other.value),
        }
    }
}

/// What the rules know of a cable.
pub(crate) struct Judged<'a> {
    pub section: &'a SectionProfile,
    pub shapes: &'a [(f64, Shape)],
    pub rest: &'a Rest,
    pub length: f64,
    pub dynamic_use: bool,
}

/// Judges the rules about the cable itself, each where it is nearest to being broken.
pub(crate) fn judge(cable: &Judged, profile: &Profile) -> Vec<Finding> {
    let mut worst: Vec<(Reading, &Sample)> = Vec::new();
    for sample in &profile.samples {
        // Where section or rest shape jump, both sides count.
        for s in [sample.s.next_down().max(0.0), sample.s] {
            for reading in readings(sample, s, cable) {
                match worst.iter_mut().find(|(r, _)| r.rule == reading.rule) {
                    Some(known) if reading.is_nearer_than(&known.0) => *known = (reading, sample),
                    Some(_) => {}
                    None => worst.push((reading, sample)),
                }
            }
        }
    }
    worst.into_iter().map(|(reading, sample)| finding(reading, sample)).collect()
}

/// A bend from one sample to the next, rad, that is too sharp for what lies between.
const SHARP: f64 = std::f64::consts::FRAC_PI_4;

/// Where a cable bends more sharply than its segments or elements can show, and by how much, rad.
pub fn too_sharp(profile: &Profile) -> Option<(&Sample, f64)> {
    let bend = |w: &[Sample]| rotation::tangent(&w[0].frame).angle(&rotation::tangent(&w[1].frame));
    let all = profile.samples.windows(2).map(|w| (&w[0], bend(w)));
    all.filter(|(_, bend)| *bend > SHARP).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// What is told of it.
pub fn too_sharp_message(sample: &Sample, bend: f64) -> String {
    format!(
        "the cable bends by {:.0} degrees within one piece at s = {}: sharper than it can show, so that forces and \
         radius there are rough; use more segments or elements, or give it more length",
        bend.to_degrees(),
        millimetres(sample.s)
    )
}

/// The same as a finding.
pub(crate) fn resolution(profile: &Profile) -> Option<Finding> {
    let (sample, bend) = too_sharp(profile)?;
    Some(Finding {
        rule: Rule::Resolution,
        verdict: Verdict::Warn,
        value: bend,
        limit: Some(SHARP),
        utilisation: Some(bend / SHARP),
        s: sample.s,
        position: sample.position,
        detail: String::new(),
        message: too_sharp_message(sample, bend),
    })
}

/// The largest share of any limit that a sample of a cable uses.
pub(crate) fn share_used(cable: &Judged, sample: &Sample) -> Option<f64> {
    [sample.s.next_down().max(0.0), sample.s]
        .into_iter()
        .flat_map(|s| readings(sample, s, cable))
        .filter_map(|reading| reading.utilisation)
        .reduce(f64::max)
}

/// The worst verdict of all; what has no limit breaks none.
pub fn overall(findings: &[Finding]) -> Verdict {
    findings.iter().map(|f| f.verdict).max().unwrap_or(Verdict::Pass).max(Verdict::Pass)
}

fn readings(sample: &Sample, s: f64, cable: &Judged) -> [Reading; 4] {
    let section = &cable.section.at(s);
    let limits = &section.limits;
    // The moment passes a jump unchanged, curvature and twist do not: they follow from it on either side.
    let strain = sample.moment_material.component_div(&section.stiffness);
    let curvature = (strain + cable.rest.at(s, cable.length)).xy().norm();
    let share = |rule, value: f64, limit: Option<f64>| Reading {
        rule,
        value,
        limit,
        utilisation: limit.map(|limit| value.max(0.0) / limit),
        bend: None,
    };
    let outermost = fibre_strain(&shape_at(cable.shapes, s, section.contact_radius), &strain);
    [
        bend_radius(curvature, section, limits.bend(cable.dynamic_use)),
        share(Rule::Tension, sample.tension(), limits.tension),
        share(Rule::Twist, strain.z.abs(), limits.twist),
        share(Rule::Strain, outermost, limits.strain),
    ]
}

/// Strain of the outermost fibre by bending: the largest |κ1 y − κ2 x| over the outline, x along d1, y along d2.
fn fibre_strain(shape: &Shape, strain: &Vec3) -> f64 {
    match *shape {
        Shape::Disc { radius: outer } | Shape::Tube { outer, .. } => outer * strain.xy().norm(),
        Shape::Ellipse { a, b } => (strain.x * b).hypot(strain.y * a),
        Shape::Rectangle { width, height } => 0.5 * (strain.x.abs() * height + strain.y.abs() * width),
    }
}

/// The radius where the maker measures it, at the centre where no limit is known.
fn bend_radius(curvature: f64, section: &Section, limit: Option<(BendLimit, BendUse)>) -> Reading {
    let reference = limit.map_or(RadiusReference::Centre, |(limit, _)| limit.reference);
    let value = reference.of_centre(1.0 / curvature, section.contact_radius);
    Reading {
        rule: Rule::BendRadius,
        value,
        limit: limit.map(|(limit, _)| limit.radius),
        utilisation: limit.map(|(limit, _)| limit.radius / value),
        bend: Some((reference, limit.map(|(_, used)| used))),
    }
}

/// How near a cable comes to obstacles, and how hard they press, by the limits that are known.
pub(crate) fn contact_finding(
    rule: Rule,
    value: f64,
    limit: Option<f64>,
    with: &str,
    sample: &Sample,
) -> Finding {
    let utilisation = limit.map(|limit| match rule {
        Rule::Clearance if value > 0.0 => limit / value,
        Rule::Clearance if limit > 0.0 => f64::INFINITY,
        Rule::Clearance => 0.0,
        _ => value / limit,
    });
    let found = finding(Reading { rule, value, limit, utilisation, bend: None }, sample);
    let detail = format!("'{with}'");
    Finding { message: format!("{} ({detail})", found.message), detail, ..found }
}

fn finding(reading: Reading, sample: &Sample) -> Finding {
    let verdict = match reading.utilisation {
        None => Verdict::NoLimit,
        Some(u) if u <= AMBER => Verdict::Pass,
        Some(u) if u <= 1.0 => Verdict::Warn,
        Some(_) => Verdict::Fail,
    };
    let show = |value: f64| match reading.rule {
        Rule::BendRadius if value.is_infinite() => "unlimited".into(),
        Rule::BendRadius | Rule::Clearance => millimetres(value),
        Rule::Strain => format!("{} %", digits(100.0 * value)),
        Rule::Twist => format!("{} °/m", digits(value.to_degrees())),
        rule => format!("{} {}", digits(value), rule.unit()).trim_end().to_owned(),
    };
    let bound =
        if matches!(reading.rule, Rule::BendRadius | Rule::Clearance) { "at least" } else { "at most" };
    let allowed = match reading.limit {
        Some(limit) => format!("expected {bound} {}", show(limit)),
        None => "no limit known".to_owned(),
    };
    let detail = match reading.bend {
        Some((place, Some(used))) => format!("{}, {}", used.word(), place.words()),
        Some((place, None)) => place.words().to_owned(),
        None => String::new(),
    };
    let message = format!(
        "{} {} at s = {}: {allowed}{}",
        reading.rule.name(),
        show(reading.value),
        millimetres(sample.s),
        if detail.is_empty() { String::new() } else { format!(" ({detail})") },
    );
    Finding {
        rule: reading.rule,
        verdict,
        value: reading.value,
        limit: reading.limit,
        utilisation: reading.utilisation,
        s: sample.s,
        position: sample.position,
        detail,
        message,
    }
}

/// A finding about a solution as a whole, placed where its first cable begins.
fn whole(
    rule: Rule,
    verdict: Verdict,
    [value, limit]: [f64; 2],
    message: String,
    first: Option<&Sample>,
) -> Finding {
    Finding {
        rule,
        verdict,
        value,
        limit: Some(limit).filter(|limit| limit.is_finite()),
        utilisation: None,
        s: first.map_or(0.0, |p| p.s),
        position: first.map_or(Vec3::zeros(), |p| p.position),
        detail: String::new(),
        message,
    }
}

/// Whether there is an equilibrium; `ending` says how the solve ended.
pub(crate) fn equilibrium(report: &NetworkReport, ending: &str, first: Option<&Sample>) -> Finding {
    if report.status == Status::Converged {
        let forces = [report.residual_force, report.largest_force];
        return whole(Rule::Equilibrium, Verdict::Pass, forces, "equilibrium found".to_owned(), first);
    }
    // There are no forces that could be compared.
    let message = format!("no equilibrium found ({ending}): nothing else can be judged");
    whole(Rule::Equilibrium, Verdict::Fail, [f64::NAN; 2], message, first)
}

/// Whether the equilibrium is stable: by its smallest eigenvalue where that was asked for, else by the count of directions
/// that release energy.
pub(crate) fn stability(report: &NetworkReport, first: Option<&Sample>) -> Finding {
    let unstable = |count: usize| {
        (Verdict::Fail, format!("the equilibrium is unstable in {count} directions: it would snap"))
    };
    let stable = || (Verdict::Pass, "the equilibrium is stable".to_owned());
    let value = report.rest.stability.map_or(-(report.negative as f64), |own| own.lambda_min);
    let (verdict, message) = match (report.rest.stability.map(|own| (own.verdict, own)), report.negative) {
        (Some((solver::Verdict::Unstable, own)), _) => unstable(own.negative),
        (Some((_, own)), _) if !own.complete => (
            Verdict::Warn,
            "stable as far as the energy tells; moments and follower loads have none, and flutter is not examined"
                .to_owned(),
        ),
        (Some((solver::Verdict::Neutral, _)), _) => {
            (Verdict::Pass, "the equilibrium is stable, some motions cost nothing".to_owned())
        }
        (Some((solver::Verdict::Stable, _)), _) | (None, 0) => stable(),
        (None, count) => unstable(count),
    };
    whole(Rule::Stability, verdict, [value, 0.0], message, first)
}

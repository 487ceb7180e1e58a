//! A rod that lies straight on a rough plane: its end is moved sideways at once; a stiff one is pulled beside its middle; one
//! lies on an incline.

use super::super::{list, name};
use super::rest::{Hold, Rest, Results, plane, pressing};
use super::{CHAINS, NOT_QUICK};
use crate::case::{Cases, Measure};
use crate::compare::worse;
use crate::field::{Field, FieldError};
use crate::judge::{Quantity, tolerance};
use crate::rods::{Grid, Uniform};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::Obstacle;
use flexline::rod::Station;
use flexline::solver::Pose;

const GRAVITY: f64 = 9.81;
const LATERAL: f64 = tolerance::contact::LATERAL;
/// Radius of a rod beside its length, where the case has none.
const RADIUS: f64 = 5e-3;
/// What lies flat lies on the middles of its pieces, higher than at their ends by this share of a piece.
const FLAT: f64 = 0.125e-4;
/// Stiffness of what counts as rigid, beside its weight times the square of its length.
const RIGID: f64 = 1e4;
/// How far it goes, beside its length, where it stays.
const STAYS: f64 = 1e-3;
/// Most segments of a rod that stays straight, which is the same with any of them: to see that nothing holds it takes long.
const STRAIGHT: usize = 50;

/// Steps of an end that is moved slowly, and segments then: the last has 80 nodes over the slip front, of 60 that are asked for.
const SLOWLY: u32 = 100;
const COARSE: [usize; 4] = [12, 25, 50, 100];

/// Reads `lateral`, `rigid` and `incline_rod`.
pub(in super::super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "lateral")? {
        let params = case.find("params");
        let resolutions =
            if params.is_some_and(|params| is_slow(&params)) { Some(&COARSE[..]) } else { None };
        let (id, measure) = (name(&case, "lateral", place)?, lateral(&case));
        cases.add_contact_at(id, place + NOT_QUICK, &CHAINS, resolutions, measure)?;
    }
    for (place, case) in list(root, "rigid")? {
        cases.add_contact(name(&case, "rigid", place)?, place + NOT_QUICK, &CHAINS, rigid(&case))?;
    }
    for (place, case) in list(root, "incline_rod")? {
        cases.add_contact(name(&case, "incline_rod", place)?, place + NOT_QUICK, &CHAINS, incline(&case))?;
    }
    Ok(())
}

/// A rod that lies straight along `along` on a rough plane through the origin; nothing holds it yet.
fn lying(uniform: &Uniform, grid: Grid, along: Vec3, normal: Vec3, friction: f64) -> Result<Rest, String> {
    let (length, radius) = (uniform.length, RADIUS * uniform.length);
    let height = radius + FLAT * length / grid.n as f64;
    let pose = Pose { position: normal * height, orientation: rotation::frame(&along, &normal) };
    let mut rest = Rest::new(uniform, radius, grid, (Hold::Free, pose), (Hold::Free, pose))?;
    rest.network.obstacles.push(Obstacle { friction, ..plane(Vec3::zeros(), normal) });
    rest.network.gravity = -Vec3::z() * GRAVITY;
    rest.shape_as(&|s| Station { position: pose.position + along * s, frame: pose.orientation });
    rest.renew();
    Ok(rest)
}

/// Whether the end is moved slowly.
fn is_slow(params: &Field) -> bool {
    params.find("history").and_then(|f| f.as_text().ok()).is_some_and(|text| text.contains("slowly"))
}

fn lateral(case: &Field) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let ei = params.positive("EI")?;
    let uniform = Uniform {
        length: params.positive("L_at_least")?,
        stiffness: Vec3::new(ei, ei, params.maybe_number("K0")?.unwrap_or(ei)),
        density: params.positive("weight_per_length")? / GRAVITY,
    };
    let (friction, way) = (params.positive("friction")?, params.positive("end_displacement")?);
    let steps = if is_slow(&params) { SLOWLY } else { 1 };
    let results = Results::read(case, &["pull", "end_slope"], &["switch_points"])?;
    let samples = case.find("samples");
    let read = |key: &str| samples.as_ref().map_or(Ok(None), |list| list.maybe_numbers(key));
    let (s, y, slope) = (read("s")?, read("y")?, read("slope")?);
    Ok(Box::new(move |grid| {
        let mut rest = lying(&uniform, grid, Vec3::x(), Vec3::z(), friction)?;
        // Sideways alone: the end may draw in, and the plane carries it.
        rest.network.anchors[0].held = [false, true, false];
        rest.renew();
        rest.solve()?;
        for step in 1..=steps {
            rest.network.anchors[0].pose.position.y = way * f64::from(step) / f64::from(steps);
            rest.solve()?;
        }
        let mut out = Vec::new();
        rest.compare(None, &|x| x.z - RADIUS * uniform.length, &mut out);
        let pull = rest.report.as_ref().map_or(f64::NAN, |report| report.reactions[0].force.y);
        out.extend(results.relative("pull", "pull", pull, LATERAL));
        let lean = |s: f64| {
            let t = rest.tangent(s);
            t.y / t.x
        };
        out.extend(results.relative("end slope", "end_slope", lean(0.0), LATERAL));
        let largest = |list: &[f64]| list.iter().fold(0.0f64, |most, y| most.max(y.abs()));
        let mut along = |name, found: &dyn Fn(f64) -> f64, list: &Option<Vec<f64>>| {
            if let (Some(s), Some(list)) = (&s, list) {
                let within = s.iter().zip(list).filter(|(s, _)| **s <= uniform.length);
                let error = within.map(|(s, y)| (found(*s) - y).abs()).fold(0.0, worse);
                out.push(Quantity::new(name, error / largest(list), LATERAL));
            }
        };
        along("displacement", &|s| rest.at(s).y, &y);
        along("slope", &lean, &slope);
        if let Some([first, ..]) = results.list("switch_points") {
            // Friction is against the way: it changes its side where the way does, between two contacts.
            let list = rest.contacts();
            let switch = list.windows(2).find(|pair| pair[0].force.y < 0.0 && pair[1].force.y > 0.0);
            let found = switch.map_or(f64::NAN, |pair| 0.5 * (pair[0].s + pair[1].s));
            out.push(rest.place("first switch", found, *first));
        }
        Ok(out)
    }))
}

/// No finer than a rod that stays straight needs.
fn straight(grid: Grid) -> Grid {
    Grid { n: grid.n.min(STRAIGHT), ..grid }
}

/// A stiff rod that is pulled across at a place beside its middle: it stays below the pull of the case, and does not above.
fn rigid(case: &Field) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let (length, weight) = (params.positive("L")?, params.positive("weight")?);
    let (friction, beside) = (params.positive("friction")?, params.number("pull_distance_from_middle")?);
    let stiffness = Vec3::repeat(RIGID * weight * length * length);
    let uniform = Uniform { length, stiffness, density: weight / (length * GRAVITY) };
    let results = Results::read(case, &["pull_at_onset"], &[])?;
    Ok(Box::new(move |grid| {
        let grid = straight(grid);
        let pulled = |force: f64| -> Result<Rest, String> {
            let mut rest = lying(&uniform, grid, Vec3::x(), Vec3::z(), friction)?;
            rest.solve()?;
            rest.pull_at(0.5 * length + beside, Vec3::y() * force);
            rest.solve()?;
            Ok(rest)
        };
        let Some(onset) = results.number("pull_at_onset") else { return Ok(Vec::new()) };
        let [below, above] = [-1.0, 1.0].map(|side| pulled((1.0 + side * tolerance::THRESHOLD) * onset));
        // Beyond it the rod may turn until the pull is along it.
        let stays = |rest: &Rest| rest.at(0.5 * length + beside).y < STAYS * length;
        let mut out = Vec::new();
        let is_onset = below.as_ref().is_ok_and(stays) && !above.as_ref().is_ok_and(stays);
        let error = if is_onset { 0.0 } else { 1.0 };
        out.push(Quantity::new("onset of sliding", error, 0.5).unordered());
        if let Ok(rest) = &below {
            rest.compare(None, &|x| x.z - RADIUS * length, &mut out);
        }
        Ok(out)
    }))
}

fn incline(case: &Field) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let uniform = Uniform::read(&params)?;
    let uniform = Uniform { density: params.positive("weight_per_length")? / GRAVITY, ..uniform };
    let friction = params.positive("friction")?;
    let (slope, turned) = (params.positive("incline_deg")?, params.number("rod_to_slope_deg")?.to_radians());
    let results = Results::read(case, &["critical_incline_deg", "friction_used"], &[])?;
    let slides = case.get("results")?.find("slides").map(|f| f.as_bool()).transpose()?;
    Ok(Box::new(move |grid| {
        let grid = straight(grid);
        let laid = |degrees: f64| -> Result<Rest, String> {
            let angle = degrees.to_radians();
            let normal = Vec3::new(-angle.sin(), 0.0, angle.cos());
            let along = Vec3::new(angle.cos(), 0.0, angle.sin()) * turned.cos() + Vec3::y() * turned.sin();
            let mut rest = lying(&uniform, grid, along, normal, friction)?;
            rest.solve()?;
            Ok(rest)
        };
        let mut out = Vec::new();
        let own = laid(slope);
        if let Some(slides) = slides {
            let error = if own.is_err() == slides { 0.0 } else { 1.0 };
            out.push(Quantity::new("slides", error, 0.5).unordered());
        }
        if let Ok(rest) = &own {
            let angle = slope.to_radians();
            let normal = Vec3::new(-angle.sin(), 0.0, angle.cos());
            rest.compare(None, &|x| normal.dot(x) - RADIUS * uniform.length, &mut out);
            let pressed: f64 = rest.contacts().iter().map(|c| pressing(c)).sum();
            let total = rest.total();
            let used = (total - normal * normal.dot(&total)).norm() / (friction * pressed);
            out.extend(results.relative("friction used", "friction_used", used, tolerance::contact::FORCE));
        }
        if let Some(critical) = results.number("critical_incline_deg") {
            let within = [1.0 - tolerance::THRESHOLD, 1.0 + tolerance::THRESHOLD];
            let [below, above] = within.map(|share| laid(share * critical).is_ok());
            let error = if below && !above { 0.0 } else { 1.0 };
            out.push(Quantity::new("critical incline", error, 0.5).unordered());
        }
        Ok(out)
    }))
}

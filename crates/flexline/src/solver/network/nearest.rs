//! As near as it gets: what is led to a place that it cannot reach.
//!
//! Everything that is led is let go and drawn to its place by a spring, ever stiffer ([`stiffen`]). Every span keeps
//! its length and its joints; in the limit the distance that is left is the least there is.

use super::component::Component;
use super::model::{Network, NetworkError};
use super::short::Short;
use super::state::NetworkState;
use super::yielding::{NOTICEABLE, Stiffened, Yielding, stiffen, stiffen_longer};
use super::{NetworkReport, NetworkWorkspace, Settings, attempt};
use crate::algebra::Vec3;
use crate::constraint::{Constraint, Point, Sense};
use crate::solver::report::Status;

/// A span that pulls at least this share of the hardest is taut with it.
const TAUT: f64 = 0.9;
/// How much longer than they must be spans are made to see whether that helps, and what may then be left of what was
/// missing.
const MORE: f64 = 1.05;
const CURED: f64 = 0.05;
/// Rounds in which taut spans are sought.
const ROUNDS: usize = 6;

/// Where things stay that are led beyond their reach.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// The state: every span is as long as it is, and joined to its anchors.
    pub state: NetworkState,
    /// Its proof. [`Status::Converged`] where everything was reached after all. Else it is the equilibrium with the
    /// springs, [`Status::TooShort`], and those spans are named that would reach if they were as much longer.
    pub report: NetworkReport,
    /// How far everything that is led stays away from its place, m.
    pub away: Vec<f64>,
}

/// Leads anchors from `start`, an equilibrium, as near to where `network` holds them as the spans allow; `None` where
/// no way was found, or none in time.
pub fn nearest_led(
    network: &Network,
    start: &NetworkState,
    led: &[usize],
    settings: &Settings,
) -> Result<Option<Nearest>, NetworkError> {
    let component = Component::of(network, led);
    let mut from = component.state(start);
    let first = from.multipliers.len();
    let (drawn, rows) = draw(&component.network(&network.on_rims(start), start), led, first);
    let mut ws = NetworkWorkspace::new(&drawn);
    from.multipliers.resize(rows.last().map_or(first, |r| r.end), 0.0);
    let yielding = Yielding::new(&drawn, false, first);
    let Some(found) = stiffen(&drawn, &from, &mut ws, settings, &yielding)? else { return Ok(None) };
    let spans = drawn.spans.len();
    let stays = |least: f64| rows.iter().cloned().flatten().any(|k| found.gaps.stays(spans + k, least));
    let mut state = start.clone();
    component.put(&found.state, &mut state);
    if !stays(NOTICEABLE[0]) {
        // Nothing is missing: the way there was hard, and this is most of it.
        let mut there = state.clone();
        let mut own = NetworkWorkspace::new(network);
        let report = attempt(network, &mut there, &mut own, settings)?;
        if report.status == Status::Converged {
            return Ok(Some(Nearest { state: there, report, away: vec![0.0; led.len()] }));
        }
        if !stays(NOTICEABLE[1]) {
            return Ok(None);
        }
    }
    let gap = |rows: &std::ops::Range<usize>| {
        rows.clone().map(|k| found.gaps.now[spans + k].powi(2)).sum::<f64>().sqrt()
    };
    let away: Vec<f64> = rows.iter().map(gap).collect();
    let mut report = found.report.clone();
    report.short = taut(&drawn, led, (&from, found), &mut ws, settings, (&yielding, first))?;
    report.status = Status::TooShort;
    Ok(Some(Nearest { report: component.report(report, network, &state), state, away }))
}

/// The network with anchors let go and drawn to their places, by rows from the `first` on: those of each.
fn draw(network: &Network, led: &[usize], first: usize) -> (Network, Vec<std::ops::Range<usize>>) {
    let mut drawn = network.clone();
    let mut end = first;
    let mut each = |a: usize| {
        let begin = end;
        let anchor = &mut drawn.anchors[a];
        for axis in (0..3).filter(|axis| std::mem::take(&mut anchor.held[*axis])) {
            drawn.constraints.push(Constraint::Plane {
                point: Point::On(a, Vec3::zeros()),
                on: None,
                through: anchor.pose.position,
                normal: Vec3::ith(axis, 1.0),
                sense: Sense::Equal,
            });
            end += 1;
        }
        begin..end
    };
    let rows = led.iter().map(|a| each(*a)).collect();
    (drawn, rows)
}

/// The spans in hand that keep what is led from its place, and by how much longer they would have to be: all that draws
/// passes through them, so that it helps to lengthen these, whatever else is taut. Those that pull hardest come first,
/// all alike: lengthening a span by δ brings what is drawn with force F nearer by δ T/F, T being its tension (envelope
/// theorem). Then others in hand may be taut. That everything can be kept in the end is tried; where it cannot, nobody
/// is named.
fn taut(
    drawn: &Network,
    led: &[usize],
    (from, found): (&NetworkState, Stiffened),
    ws: &mut NetworkWorkspace,
    settings: &Settings,
    (yielding, first): (&Yielding, usize),
) -> Result<Vec<Short>, NetworkError> {
    let missing = found.missing();
    let is_led = |anchor: usize| led.contains(&anchor);
    let in_hand: Vec<usize> = (0..drawn.spans.len())
        .filter(|k| {
            is_led(drawn.spans[*k].start.anchor) || drawn.spans[*k].end.is_some_and(|e| is_led(e.anchor))
        })
        .collect();
    let mut short: Vec<Short> = Vec::new();
    let mut here = found;
    for _ in 0..ROUNDS {
        let tension = |k: usize| here.state.spans[k].end_force.norm();
        let hardest = in_hand.iter().map(|k| tension(*k)).fold(0.0, f64::max);
        let taut = in_hand.iter().copied().filter(|k| tension(*k) > TAUT * hardest).collect::<Vec<usize>>();
        let forces = here.state.multipliers.iter().zip(&here.gaps.now[drawn.spans.len()..]).skip(first);
        let work: f64 = forces.map(|(force, gap)| gap * force.abs()).sum();
        let by = work / taut.iter().map(|k| tension(*k)).sum::<f64>().max(f64::MIN_POSITIVE);
        for span in taut {
            match short.iter_mut().find(|s| s.span == span) {
                Some(own) => own.missing += by,
                None => short.push(Short { span, missing: by }),
            }
        }
        let by = short.iter().map(|s| (s.span, MORE * s.missing));
        let Some(longer) = stiffen_longer(drawn, from, ws, settings, yielding, by)? else { break };
        if longer.missing() < CURED * missing {
            short.sort_by_key(|s| s.span);
            return Ok(short);
        }
        here = longer;
    }
    Ok(Vec::new())
}

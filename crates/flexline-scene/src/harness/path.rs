//! Cables that are laid along a path before they are solved: on which side of things they are, how they are wound and
//! knotted, is then what the path says.

use super::{Compiled, Scene};
use crate::diagnostic::{Code, Diagnostic};
use crate::words::millimetres;
use flexline::algebra::rotation;
use flexline::geometry::path::Path;
use flexline::rod::{Rod, Station};
use flexline::solver::Pose;
use flexline::solver::network::{Attachment, Grip, NetworkState};
use flexline::{Quat, Vec3};
use std::f64::consts::TAU;

/// Places of a path for every point of it, at which it is measured.
const FINE: usize = 16;
/// How much longer or shorter than its cable a path may be: half of that stretch is made good by a solve.
const OFF: [f64; 2] = [0.5, 1.25];

/// A path by its arc length, with frames that do not turn about it.
struct Way {
    stations: Vec<(f64, Station)>,
}

impl Way {
    fn new(path: &Path, points: usize, first: Option<Quat>) -> Self {
        let count = FINE * points;
        let mut stations: Vec<(f64, Station)> = Vec::with_capacity(count + 1);
        for k in 0..=count {
            let at = path.at(path.extent() * k as f64 / count as f64);
            let tangent = at.first.try_normalize(1e-12).unwrap_or_else(Vec3::z);
            let (s, frame) = match stations.last() {
                Some((s, last)) => {
                    let turn = rotation::between(&rotation::tangent(&last.frame), &tangent);
                    (s + (at.position - last.position).norm(), turn * last.frame)
                }
                None => {
                    let own = first.unwrap_or_else(|| rotation::frame(&tangent, &rotation::across(&tangent)));
                    (0.0, rotation::between(&rotation::tangent(&own), &tangent) * own)
                }
            };
            stations.push((s, Station { position: at.position, frame: frame * (1.0 / frame.norm()) }));
        }
        Self { stations }
    }

    fn length(&self) -> f64 {
        self.stations.last().map_or(0.0, |(s, _)| *s)
    }

    fn at(&self, s: f64) -> Station {
        let next = self.stations.partition_point(|(own, _)| *own <= s).clamp(1, self.stations.len() - 1);
        let ((from, a), (to, b)) = (self.stations[next - 1], self.stations[next]);
        let share = if to > from { ((s - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
        let turn = rotation::log(&(a.frame.conjugate() * b.frame)) * share;
        Station { position: a.position.lerp(&b.position, share), frame: a.frame * rotation::exp(&turn) }
    }
}

/// Where an end of a span is, and its frame there.
fn end_pose(anchors: &[Pose], on: &Attachment) -> Pose {
    let (anchor, local) = (&anchors[on.anchor], &on.anchor_from_end);
    Pose {
        position: anchor.position + rotation::rotate(&anchor.orientation, &local.position),
        orientation: anchor.orientation * local.orientation,
    }
}

impl Scene {
    /// Lays the cables that have a path along it: there a solve begins that has no shape before.
    pub(super) fn lay_along_paths(&self, compiled: &mut Compiled) -> Result<(), Vec<Diagnostic>> {
        if self.cables.iter().all(|own| own.cable.path.is_empty()) {
            return Ok(());
        }
        let mut mistakes = Vec::new();
        let mut state = NetworkState::initial(&compiled.network);
        for cable in 0..self.cables.len() {
            if let Err((message, help)) = self.lay_along_path(cable, compiled, &mut state) {
                let path = format!("{}.path", self.cable_path(cable));
                mistakes.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help)));
            }
        }
        compiled.laid = Some(state);
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
    }

    fn lay_along_path(
        &self,
        cable: usize,
        compiled: &Compiled,
        state: &mut NetworkState,
    ) -> Result<(), (String, String)> {
        let (own, network) = (&self.cables[cable].cable, &compiled.network);
        let spans = &compiled.cables[cable].spans;
        let (Some((first, _)), Some((last, _))) = (spans.first(), spans.last()) else { return Ok(()) };
        if own.path.is_empty() || state.spans.len() != network.spans.len() {
            return Ok(());
        }
        // It begins and ends where the cable is held, whether or not it says so.
        let is_held = |on: &&Attachment| network.anchors[on.anchor].held == [true; 3];
        let [start, end] = [Some(&network.spans[*first].start), network.spans[*last].end.as_ref()]
            .map(|on| on.filter(is_held).map(|on| end_pose(&state.anchors, on)));
        let mut points = own.path.clone();
        let near = 0.02 * own.length;
        if let Some(start) = &start {
            points.retain({
                let mut begun = false;
                move |p| {
                    begun |= (p - start.position).norm() > near;
                    begun
                }
            });
            points.insert(0, start.position);
        }
        if let Some(end) = &end {
            while points.len() > 1 && points.last().is_some_and(|p| (p - end.position).norm() <= near) {
                points.pop();
            }
            points.push(end.position);
        }
        let path = Path::new(&points, false).map_err(|error| {
            let message = format!("the path of cable '{}' is none: {error}", own.name);
            (message, "expected points that are apart from each other".to_owned())
        })?;
        let held = |on: &Attachment| on.grip == Grip::Clamped && network.anchors[on.anchor].held_orientation;
        let turned = start.filter(|_| held(&network.spans[*first].start)).map(|pose| pose.orientation);
        let way = Way::new(&path, points.len(), turned);
        let scale = way.length() / own.length;
        if !(OFF[0]..=OFF[1]).contains(&scale) {
            let message = format!(
                "the path of cable '{}' is {} long, the cable {}",
                own.name,
                millimetres(way.length()),
                millimetres(own.length)
            );
            return Err((message, "expected a path about as long as the cable".into()));
        }
        let wish = own.path_twist.unwrap_or(self.cables[cable].twist);
        for (k, (span, from)) in spans.iter().enumerate() {
            let to = spans.get(k + 1).map_or(own.length, |(_, next)| *next);
            let ends = [(Some(network.spans[*span].start), *from), (network.spans[*span].end, to)];
            for (on, s) in ends.into_iter().filter_map(|(on, s)| Some((on?, s))) {
                let anchor = &network.anchors[on.anchor];
                // What nothing holds goes where the path is.
                if anchor.held == [false; 3] && !anchor.held_orientation {
                    let (at, local) = (way.at(s * scale), &on.anchor_from_end);
                    let orientation = at.frame * local.orientation.conjugate();
                    let position = at.position - rotation::rotate(&orientation, &local.position);
                    state.anchors[on.anchor] = Pose { position, orientation };
                }
            }
            let rod = &network.spans[*span].rod;
            let begin = way.at(from * scale).frame;
            let at = |s: f64| way.at((from + s) * scale);
            // Frames begin as the span is held, and end so after as many turns as were asked for.
            let roll = |frame: &Quat, on: &Attachment| {
                let held = end_pose(&state.anchors, on).orientation;
                rotation::log(&(frame.conjugate() * held)).z
            };
            let first =
                Some(&network.spans[*span].start).filter(|on| held(on)).map_or(0.0, |on| roll(&begin, on));
            let mut twist = wish * (to - from) / own.length;
            if let Some(on) = network.spans[*span].end.as_ref().filter(|on| held(on)) {
                let last = roll(&at(to - from).frame, on) + network.spans[*span].twist - first;
                twist = last + TAU * ((twist - last) / TAU).round();
            }
            let about = rotation::exp(&Vec3::new(0.0, 0.0, first));
            let shape = |s: f64| {
                let Station { position, frame } = at(s * (to - from) / rod.length());
                Station { position, frame: frame * about }
            };
            state.spans[*span].rod = rod.state_wound(&shape, twist);
        }
        Ok(())
    }
}

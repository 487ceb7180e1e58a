//! How hard cables are pressed along their length: a line pressure, in newtons per metre.
//!
//! A rod has a radius and no wall that gives way, so that there is no area that it is pressed on and no stress in it. What is
//! told is the normal force of one neighbour on a stretch as long as the cable is thick, divided by that length. Rows of
//! contacts stand for a load spread between them; one alone is a force at a point, and told as spread over that stretch.

use crate::contact::{Press, Presser};
use crate::harness::{Compiled, Solution};
use flexline::solver::Sample;

/// Contacts of one neighbour that are at most so many samples apart are one load.
const TOGETHER: f64 = 2.5;

/// A load of one neighbour on a stretch of a cable.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Load {
    by: usize,
    s: f64,
    /// Length that it is spread over, m; none of a force at a point.
    width: f64,
    force: f64,
}

/// How hard a cable is pressed at any place.
#[derive(Clone, Debug)]
pub struct Pressure {
    loads: Vec<Load>,
    /// Neighbours that press; of other cables the place there does not matter.
    by: Vec<Presser>,
}

impl Pressure {
    /// Of what presses on a cable, with the samples of its profile; a cable that touches itself is pressed at both places.
    pub fn new(presses: &[Press], cable: usize, samples: &[Sample]) -> Self {
        let mut found = Self { loads: Vec::new(), by: Vec::new() };
        for press in presses {
            let force = press.force.dot(&press.normal);
            if press.cable == cable {
                found.add(press.by, press.s, force);
            }
            if let Presser::Cable(other, s) = press.by
                && other == cable
            {
                found.add(Presser::Cable(press.cable, press.s), s, force);
            }
        }
        found
            .loads
            .sort_by(|a, b| (a.by, a.s).partial_cmp(&(b.by, b.s)).unwrap_or(std::cmp::Ordering::Equal));
        let spacing = |s: f64| {
            let next = samples.partition_point(|sample| sample.s <= s).clamp(1, samples.len().max(2) - 1);
            samples.get(next).map_or(0.0, |sample| sample.s - samples[next - 1].s)
        };
        let gap = |a: Option<&Load>, b: Option<&Load>| {
            let (a, b) = (a?, b?);
            let gap = b.s - a.s;
            (a.by == b.by && gap <= TOGETHER * spacing(0.5 * (a.s + b.s))).then_some(gap)
        };
        let widths: Vec<f64> = (0..found.loads.len())
            .map(|i| {
                let own = found.loads.get(i);
                let before = i.checked_sub(1).and_then(|k| gap(found.loads.get(k), own));
                match (before, gap(own, found.loads.get(i + 1))) {
                    (Some(a), Some(b)) => 0.5 * (a + b),
                    (Some(one), None) | (None, Some(one)) => one,
                    (None, None) => 0.0,
                }
            })
            .collect();
        found.loads.iter_mut().zip(widths).for_each(|(load, width)| load.width = width);
        found
    }

    fn add(&mut self, by: Presser, s: f64, force: f64) {
        let known = self.by.iter().position(|other| other.is_same(by));
        let index = known.unwrap_or(self.by.len());
        if known.is_none() {
            self.by.push(by);
        }
        self.loads.push(Load { by: index, s, width: 0.0, force: force.max(0.0) });
    }

    /// The line pressure of the neighbour of an index at `s`, N/m, on a stretch of length `width` around it.
    fn by(&self, by: usize, s: f64, width: f64) -> f64 {
        let share = |load: &Load| {
            let (low, high) = (load.s - 0.5 * load.width, load.s + 0.5 * load.width);
            let (from, to) = (s - 0.5 * width, s + 0.5 * width);
            match load.width > 0.0 {
                true => ((high.min(to) - low.max(from)) / load.width).max(0.0),
                false => f64::from(u8::from((from..=to).contains(&load.s))),
            }
        };
        let all = self.loads.iter().filter(|load| load.by == by);
        all.map(|load| load.force * share(load)).sum::<f64>() / width
    }

    /// The same of a neighbour; `None` where it does not press anywhere.
    pub fn of(&self, neighbour: Presser, s: f64, width: f64) -> Option<f64> {
        let by = self.by.iter().position(|other| other.is_same(neighbour))?;
        Some(self.by(by, s, width))
    }

    /// The largest line pressure of a neighbour at `s`, N/m, on a stretch of length `width` around it, and whose it is.
    pub fn at(&self, s: f64, width: f64) -> Option<(f64, Presser)> {
        let each = self.by.iter().enumerate().map(|(by, own)| (self.by(by, s, width), *own));
        each.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(pressure, _)| *pressure > 0.0)
    }

    /// Where it is largest: value, N/m, place, m, and neighbour.
    pub fn largest(&self, width: impl Fn(f64) -> f64) -> Option<(f64, f64, Presser)> {
        let at = |load: &Load| {
            let (pressure, by) = self.at(load.s, width(load.s))?;
            Some((pressure, load.s, by))
        };
        self.loads.iter().filter_map(at).max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

impl Compiled {
    /// How hard a cable is pressed along its length.
    pub fn pressure(&self, solution: &Solution, cable: usize) -> Pressure {
        Pressure::new(&self.presses(solution), cable, &solution.profiles[cable].samples)
    }

    /// The stretch of a cable that a force at a point is told as spread over, m: as long as it is thick there.
    pub fn pressed_length(&self, cable: usize, s: f64) -> f64 {
        2.0 * self.cables[cable].section.at(s).contact_radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flexline::Vec3;
    use flexline::algebra::rotation;
    use flexline::solver::network::ContactState;

    fn press(s: f64, force: f64, by: Presser) -> Press {
        Press {
            cable: 0,
            by,
            s,
            position: Vec3::zeros(),
            normal: Vec3::z(),
            gap: 0.0,
            force: Vec3::new(0.1 * force, 0.0, force),
            state: ContactState::Slip,
            slip: 0.0,
        }
    }

    fn samples(step: f64) -> Vec<Sample> {
        let at = |k: usize| Sample {
            s: k as f64 * step,
            position: Vec3::zeros(),
            frame: rotation::identity(),
            strain: Vec3::zeros(),
            moment_material: Vec3::zeros(),
            force_world: Vec3::zeros(),
            radius: 0.005,
        };
        (0..=200).map(at).collect()
    }

    /// A cable that lies on something is pressed by its weight per length, in however many segments.
    #[test]
    fn a_load_that_is_spread_does_not_depend_on_the_segments() {
        for step in [0.001, 0.004, 0.03] {
            let all: Vec<Press> =
                (20..120).map(|k| press(k as f64 * step, 3.0 * step, Presser::Obstacle(2))).collect();
            let found = Pressure::new(&all, 0, &samples(step));
            let (value, by) = found.at(60.3 * step, 0.01).expect("it is pressed");
            assert!((value - 3.0).abs() < 1e-9, "{step}: {value}");
            assert_eq!(by, Presser::Obstacle(2));
            assert_eq!(found.at(5.0 * step, 0.01), None);
        }
    }

    /// Two plates that squeeze a hose do not cancel; what a neighbour presses with at one place is spread over a diameter.
    #[test]
    fn neighbours_are_kept_apart() {
        let all = [press(0.05, 2.0, Presser::Obstacle(0)), press(0.05, 1.5, Presser::Obstacle(1))];
        let found = Pressure::new(&all, 0, &samples(0.002));
        let (value, s, by) = found.largest(|_| 0.01).expect("it is pressed");
        assert!((value - 200.0).abs() < 1e-9 && s == 0.05 && by == Presser::Obstacle(0), "{value} {s}");
        let own = [press(0.05, 2.0, Presser::Cable(0, 0.15))];
        let found = Pressure::new(&own, 0, &samples(0.002));
        for s in [0.05, 0.15] {
            assert!((found.at(s, 0.01).expect("both places").0 - 200.0).abs() < 1e-9);
        }
    }
}

//! A mass on a plane: on an incline, on a belt, with a spring on it, on a spinning disc. A rope that slides off a table is such a mass, too:
//! all of it goes at one speed.
//!
//! Moreau's scheme: the surface is looked at in the middle of the step, friction opposes the velocity at its end, and the
//! place moves by the mean of the velocities before and after.

use super::body::{Body, Contact};
use crate::case::StepsMeasure;
use crate::compare::worse;
use crate::field::{Field, FieldError};
use crate::judge::{Quantity, tolerance};
use flexline::Vec3;

/// Slip below this share of the first speed is none.
const STUCK: f64 = 1e-11;

/// The way of a mass, step by step.
struct Track {
    step: f64,
    places: Vec<Vec3>,
    velocities: Vec<Vec3>,
    /// Slip speed at the end of each step; that of the start first.
    slips: Vec<f64>,
    /// Friction beside the normal force in each step.
    used: Vec<f64>,
}

/// When and where sliding ended.
struct Stop {
    time: f64,
    place: Vec3,
    /// Largest slip speed after it.
    after: f64,
}

/// A mass on a plane with normal z.
struct Slider<'a> {
    place: Vec3,
    velocity: Vec3,
    gravity: Vec3,
    /// Friction, by whether it slides.
    friction: [f64; 2],
    /// Stiffness of a spring to the origin along x, per mass.
    spring: f64,
    /// Share of the weight that the plane carries no longer, per metre along x.
    lifted: f64,
    surface: &'a dyn Fn(&Vec3) -> Vec3,
}

impl Slider<'_> {
    /// Runs for `duration` in `steps`.
    fn run(&self, duration: f64, steps: usize) -> Result<Track, String> {
        let step = duration / steps as f64;
        let (mut place, mut velocity) = (self.place, self.velocity);
        let mut slip = (velocity - (self.surface)(&place)).norm();
        let unit = slip.max(self.gravity.norm() * step);
        let mut track =
            Track { step, places: vec![place], velocities: vec![velocity], slips: vec![slip], used: vec![] };
        for _ in 0..steps {
            let middle = place + velocity * (0.5 * step);
            let surface = (self.surface)(&middle);
            // The spring at the mean of its stretches: linear in the velocity at the end, which has as much more mass along x.
            let held = 0.25 * self.spring * step * step;
            let mut free = velocity + self.gravity * step;
            free.z = velocity.z + self.gravity.z * (1.0 - self.lifted * middle.x).max(0.0) * step;
            free.x = (free.x - self.spring * step * (place.x + 0.25 * step * velocity.x)) / (1.0 + held);
            let body = Body::along([1.0 + held, 1.0, 1.0]);
            let with = |friction: f64| {
                let contact = Contact { surface, ..Contact::at_rest(friction) };
                body.collide(&[free.x, free.y, free.z, 0.0], &[contact])
            };
            let [at_rest, sliding] = self.friction;
            let mut after = with(if slip > 0.0 { sliding } else { at_rest })?;
            // What lets go slides at once.
            if slip == 0.0 && sliding < at_rest && after.motion[0].norm() > STUCK * unit {
                after = with(sliding)?;
            }
            let impulse = after.impulses[0];
            track.used.push(impulse.y.hypot(impulse.z) / impulse.x);
            let next = Vec3::new(after.velocity[0], after.velocity[1], after.velocity[2]);
            place += (velocity + next) * (0.5 * step);
            velocity = next;
            // Whether it slips the contact says; how fast, the surface where it is now.
            let sticks = after.motion[0].norm() <= STUCK * unit;
            slip = if sticks { 0.0 } else { (velocity - (self.surface)(&place)).norm() };
            track.places.push(place);
            track.velocities.push(velocity);
            track.slips.push(slip);
        }
        Ok(track)
    }
}

impl Track {
    /// The place at a time, velocities changing evenly within a step.
    fn at(&self, time: f64) -> Vec3 {
        let k = ((time / self.step) as usize).min(self.places.len() - 2);
        let t = time - k as f64 * self.step;
        let change = (self.velocities[k + 1] - self.velocities[k]) / self.step;
        self.places[k] + self.velocities[k] * t + change * (0.5 * t * t)
    }

    fn velocity(&self) -> Vec3 {
        *self.velocities.last().expect("a track has a start")
    }

    /// Where slip vanishes: within the step before the first that ends without, by what slip lost in the one before that.
    fn stop(&self) -> Option<Stop> {
        self.stop_at(self.slips.iter().position(|s| *s == 0.0)?)
    }

    /// When slip that began in the first step vanishes.
    fn stop_after_sliding(&self) -> Option<f64> {
        let again = self.slips[1..].iter().position(|s| *s == 0.0)?;
        self.stop_at(1 + again).map(|stop| stop.time)
    }

    /// The same for the step that ends without.
    fn stop_at(&self, k: usize) -> Option<Stop> {
        let before = k.checked_sub(1)?;
        let rate = match k.checked_sub(2) {
            Some(earlier) => (self.slips[earlier] - self.slips[before]) / self.step,
            None => self.slips[before] / self.step,
        };
        let time = (self.slips[before] / rate).min(self.step);
        Some(Stop {
            time: before as f64 * self.step + time,
            place: self.places[before] + (self.velocities[before] + self.velocities[k]) * (0.5 * time),
            after: self.slips[k..].iter().fold(0.0, |m, s| worse(m, *s)),
        })
    }

    /// When what sticks after `stop` lets go at a friction of `most`: friction grows evenly while it is carried.
    fn lets_go(&self, stop: f64, most: f64) -> Option<f64> {
        let first = (stop / self.step).ceil() as usize;
        let slides = first + self.slips[first..].iter().position(|slip| *slip > 0.0)?;
        let [.., before, last] = self.used[..slides - 1] else { return None };
        Some((slides as f64 - 1.5 + (most - last) / (last - before)) * self.step)
    }

    /// The farthest along x.
    fn farthest(&self) -> f64 {
        let turns = (1..self.velocities.len()).filter_map(|k| {
            let [before, after] = [self.velocities[k - 1].x, self.velocities[k].x];
            (before > 0.0 && after <= 0.0).then(|| (k as f64 - 1.0 + before / (before - after)) * self.step)
        });
        turns.map(|time| self.at(time).x).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The largest distance to samples, over `unit`.
    fn distance(&self, samples: &[(f64, Vec3)], unit: f64) -> Option<Quantity> {
        let end = self.step * (self.places.len() - 1) as f64;
        let inside = samples.iter().filter(|(t, _)| *t <= end * (1.0 + 1e-12));
        let largest = inside.map(|(t, x)| (self.at(*t) - x).norm()).fold(0.0, worse);
        (!samples.is_empty()).then(|| stepped("trajectory", largest / unit))
    }
}

/// A quantity of time stepping; the stop of the references is good to 3e-9.
fn stepped(name: &'static str, error: f64) -> Quantity {
    Quantity::new(name, error, tolerance::STEPPED).with_floor(1e-8)
}

/// Two numbers as a place in the plane.
fn planar(field: &Field) -> Result<Vec3, FieldError> {
    match field.as_numbers()?[..] {
        [x, y] => Ok(Vec3::new(x, y, 0.0)),
        _ => Err(field.wrong("two numbers")),
    }
}

/// Samples of a way, from lists of times and of two coordinates.
fn samples(case: &Field, keys: [&str; 2]) -> Result<Vec<(f64, Vec3)>, FieldError> {
    let Some(field) = case.find("samples") else { return Ok(Vec::new()) };
    let times = field.get("t")?;
    let [x, y] = [field.get(keys[0])?, field.get(keys[1])?];
    let (t, xs, ys) = (times.as_numbers()?, x.as_numbers()?, y.as_numbers()?);
    if xs.len() != t.len() || ys.len() != t.len() {
        return Err(times.uneven());
    }
    Ok(t.iter().zip(xs.iter().zip(&ys)).map(|(t, (x, y))| (*t, Vec3::new(*x, *y, 0.0))).collect())
}

fn flag(field: &Field, key: &str) -> Result<bool, FieldError> {
    let field = field.get(key)?;
    field.as_bool()
}

fn no_surface(_: &Vec3) -> Vec3 {
    Vec3::zeros()
}

/// Gravity of a plane that falls along x by `incline`.
fn inclined(g: f64, incline: f64) -> Vec3 {
    Vec3::new(incline.sin(), 0.0, -incline.cos()) * g
}

/// A mass thrown along an incline; x points down the slope, y across.
pub(super) fn incline(case: &Field) -> Result<StepsMeasure, FieldError> {
    let (params, results) = (case.get("params")?, case.get("results")?);
    let gravity = inclined(params.positive("g")?, params.number("incline_deg")?.to_radians());
    let friction = params.positive("friction")?;
    let speed = params.positive("initial_speed")?;
    let (s, c) = params.number("initial_direction_from_downslope_deg")?.to_radians().sin_cos();
    let velocity = Vec3::new(c, s, 0.0) * speed;
    let samples = samples(case, ["downslope", "across"])?;
    let stops = flag(&results, "stops")?;
    let (time, place, last) = if stops {
        let place = Vec3::new(results.number("stop_downslope")?, results.number("stop_across")?, 0.0);
        (results.positive("stop_time")?, place, None)
    } else {
        let place = Vec3::new(results.number("downslope")?, results.number("across")?, 0.0);
        (results.positive("t")?, place, Some(planar(&results.get("velocity")?)?))
    };
    Ok(Box::new(move |steps| {
        let slider = Slider {
            place: Vec3::zeros(),
            velocity,
            gravity,
            friction: [friction; 2],
            spring: 0.0,
            lifted: 0.0,
            surface: &no_surface,
        };
        // A quarter longer where it stops: it must stay there.
        let track = slider.run(if stops { 1.25 * time } else { time }, steps)?;
        let unit = speed * time;
        let mut out: Vec<Quantity> = track.distance(&samples, unit).into_iter().collect();
        match last {
            None => {
                let stop = track.stop().ok_or("it does not stop")?;
                out.push(stepped("stop time", (stop.time / time - 1.0).abs()));
                out.push(stepped("stop place", (stop.place - place).norm() / unit));
                out.push(Quantity::new("creep", stop.after / speed, tolerance::IMPACT));
            }
            Some(last) => {
                out.push(stepped("place", (track.at(time) - place).norm() / unit));
                out.push(stepped("velocity", (track.velocity() - last).norm() / speed));
            }
        }
        Ok(out)
    }))
}

/// A mass put on a belt.
pub(super) fn belt(case: &Field) -> Result<StepsMeasure, FieldError> {
    let (params, results) = (case.get("params")?, case.get("results")?);
    let gravity = inclined(params.positive("g")?, 0.0);
    let friction = params.positive("friction")?;
    let (belt, velocity) =
        (planar(&params.get("belt_velocity")?)?, planar(&params.get("initial_velocity")?)?);
    let time = results.positive("time_until_carried")?;
    let place = planar(&results.get("position_then")?)?;
    Ok(Box::new(move |steps| {
        let surface = |_: &Vec3| belt;
        let slider = Slider {
            place: Vec3::zeros(),
            velocity,
            gravity,
            friction: [friction; 2],
            spring: 0.0,
            lifted: 0.0,
            surface: &surface,
        };
        let stop = slider.run(1.25 * time, steps)?.stop().ok_or("the belt does not carry it")?;
        let speed = (velocity - belt).norm();
        Ok(vec![
            stepped("time until carried", (stop.time / time - 1.0).abs()),
            stepped("place", (stop.place - place).norm() / (speed * time)),
            Quantity::new("creep", stop.after / speed, tolerance::IMPACT),
        ])
    }))
}

/// A mass put on a disc that spins about the origin.
pub(super) fn disc(case: &Field) -> Result<StepsMeasure, FieldError> {
    let (params, results) = (case.get("params")?, case.get("results")?);
    let gravity = inclined(params.positive("g")?, 0.0);
    let (friction, spin) = (params.positive("friction")?, params.positive("spin_rate")?);
    let start = planar(&params.get("initial_position")?)?;
    let velocity = planar(&params.get("initial_velocity")?)?;
    let end = params.positive("t_end")?;
    let samples = samples(case, ["x", "y"])?;
    let (time, sticks) = (results.positive("time")?, flag(&results, "sticks")?);
    let (place, last) = (planar(&results.get("position")?)?, planar(&results.get("velocity")?)?);
    Ok(Box::new(move |steps| {
        let surface = |x: &Vec3| Vec3::new(-x.y, x.x, 0.0) * spin;
        let slider = Slider {
            place: start,
            velocity,
            gravity,
            friction: [friction; 2],
            spring: 0.0,
            lifted: 0.0,
            surface: &surface,
        };
        let track = slider.run(end, steps)?;
        let speed = spin * start.norm();
        let mut out: Vec<Quantity> = track.distance(&samples, speed * end).into_iter().collect();
        if sticks {
            let stop = track.stop().ok_or("the disc does not carry it")?;
            out.push(stepped("time until carried", (stop.time - time).abs() / time));
            out.push(stepped("place", (stop.place - place).norm() / (speed * time)));
            out.push(Quantity::new("creep", stop.after / speed, tolerance::IMPACT));
        } else if track.stop().is_some() {
            return Err("it sticks to the disc, which it must not".into());
        } else {
            out.push(stepped("place", (track.at(end) - place).norm() / (speed * end)));
            out.push(stepped("velocity", (track.velocity() - last).norm() / speed));
        }
        Ok(out)
    }))
}

/// A block, or a rod that slides without rolling, on an incline, with friction of its own while it sticks.
pub(super) fn block(case: &Field) -> Result<StepsMeasure, FieldError> {
    let gravity = inclined(case.positive("g")?, case.number("alpha_deg")?.to_radians());
    let friction = [case.positive("mu_s")?, case.positive("mu_k")?];
    let first = case.number("initial_downslope_velocity")?;
    let time = case.positive("t")?;
    let (place, last) = (case.number("displacement_at_t")?, case.number("velocity_at_t")?);
    let slides = flag(case, "slides")?;
    let stop_time = case.find("stop_time").and_then(|f| f.as_number().ok()).filter(|_| slides);
    Ok(Box::new(move |steps| {
        let velocity = Vec3::new(first, 0.0, 0.0);
        let slider = Slider {
            place: Vec3::zeros(),
            velocity,
            gravity,
            friction,
            spring: 0.0,
            lifted: 0.0,
            surface: &no_surface,
        };
        let track = slider.run(time, steps)?;
        let speed = first.abs().max(gravity.norm() * time);
        let mut out = vec![
            stepped("displacement", (track.at(time).x - place).abs() / (speed * time)),
            stepped("velocity", (track.velocity().x - last).abs() / speed),
        ];
        if let Some(stop_time) = stop_time {
            let track = slider.run(1.25 * stop_time, steps)?;
            let stop = track.stop().ok_or("it does not stop")?;
            out.push(stepped("stop time", (stop.time / stop_time - 1.0).abs()));
            out.push(Quantity::new("creep", stop.after / speed, tolerance::IMPACT));
        }
        Ok(out)
    }))
}

/// A block on a belt, held by a spring: it is carried until the spring wins, slides back, and is carried again. From where
/// it lets go.
pub(super) fn spring_block(case: &Field) -> Result<StepsMeasure, FieldError> {
    let g = case.positive("g")?;
    let spring = case.positive("k")? / case.positive("m")?;
    let friction = [case.positive("mu_s")?, case.positive("mu_k")?];
    let belt = Vec3::x() * case.positive("belt_speed")?;
    let [stick, slip, period, stretch] = [
        case.number("stick_time")?,
        case.number("slip_time")?,
        case.positive("period")?,
        case.positive("stretch_max")?,
    ];
    Ok(Box::new(move |steps| {
        let surface = |_: &Vec3| belt;
        let place = Vec3::x() * (friction[0] * g / spring);
        let slider = Slider {
            place,
            velocity: belt,
            gravity: inclined(g, 0.0),
            friction,
            spring,
            lifted: 0.0,
            surface: &surface,
        };
        let track = slider.run(1.05 * period, steps)?;
        let stop = track.stop_after_sliding().ok_or("the belt does not carry it again")?;
        let again = track.lets_go(stop, friction[0]).ok_or("the spring does not win again")?;
        Ok(vec![
            stepped("slip time", (stop - slip).abs() / period),
            stepped("stick time", (again - stop - stick).abs() / period),
            stepped("period", (again - period).abs() / period),
            stepped("largest stretch", (track.farthest() / stretch - 1.0).abs()),
        ])
    }))
}

/// A rope on a table, part of which hangs over a smooth edge: x is how much. Its weight draws it by g x/L and presses on the table
/// with what lies there.
pub(super) fn table_edge(case: &Field) -> Result<StepsMeasure, FieldError> {
    let (friction, length, g) = (case.positive("mu")?, case.positive("L")?, case.positive("g")?);
    let (critical, start) =
        (case.positive("critical_hanging_fraction")?, case.positive("start_hanging_fraction")?);
    let time = case.positive("time_to_leave_table")?;
    Ok(Box::new(move |steps| {
        let rope = |hanging: f64| Slider {
            place: Vec3::x() * (hanging * length),
            velocity: Vec3::zeros(),
            gravity: inclined(g, 0.0),
            friction: [friction; 2],
            spring: -g / length,
            lifted: 1.0 / length,
            surface: &no_surface,
        };
        // The least that slides, between nothing and all of it.
        let mut between = [0.0, 1.0];
        while between[1] - between[0] > 1e-10 {
            let hanging = 0.5 * (between[0] + between[1]);
            let slides = rope(hanging).run(1e-3 * time, 1)?.slips[1] > 0.0;
            between[usize::from(slides)] = hanging;
        }
        let track = rope(start).run(1.1 * time, steps)?;
        let leaves = track.places.iter().position(|place| place.x >= length);
        let last = leaves.and_then(|k| k.checked_sub(1)).ok_or("it does not leave the table")?;
        // Within the step velocities change evenly.
        let [before, after] = [last, last + 1].map(|k| track.velocities[k].x);
        let (ahead, gain) = (length - track.places[last].x, (after - before) / track.step);
        let more = 2.0 * ahead / (before + (before * before + 2.0 * gain * ahead).sqrt());
        let found = track.step * last as f64 + more;
        Ok(vec![
            Quantity::new("critical part", (between[1] / critical - 1.0).abs(), tolerance::THRESHOLD),
            stepped("time on the table", (found / time - 1.0).abs()),
        ])
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_holds_for_ten_minutes_just_below_its_angle_and_slides_just_above() {
        let (g, friction) = (9.81, 0.5_f64);
        let slider = |incline: f64| Slider {
            place: Vec3::zeros(),
            velocity: Vec3::zeros(),
            gravity: inclined(g, incline),
            friction: [friction; 2],
            spring: 0.0,
            lifted: 0.0,
            surface: &no_surface,
        };
        let holds = slider((0.999 * friction).atan()).run(600.0, 60_000).unwrap();
        let creep = holds.places.iter().map(Vec3::norm).fold(0.0, worse);
        assert!(creep < 1e-9, "{creep:e} m");
        let incline = (1.001 * friction).atan();
        let slides = slider(incline).run(2.0, 1000).unwrap();
        let acceleration = g * (incline.sin() - friction * incline.cos());
        assert!((slides.velocity().x / (2.0 * acceleration) - 1.0).abs() < 1e-9);
        assert!((slides.at(2.0).x / (2.0 * acceleration) - 1.0).abs() < 1e-9);
    }
}

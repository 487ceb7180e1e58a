//! What cables touch in motion: contacts step by step, the most that they bear over time, where they chafe.

use crate::failure::Failure;
use crate::output::number;
use crate::solve::contacts;
use flexline::solver::network::{Contact, NetworkReport, NetworkState};
use flexline_scene::chafing::{Chafing, ChafingPlace};
use flexline_scene::pressure::Pressure;
use flexline_scene::{Compiled, Touching};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// What the steps of a run touched.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Touched {
    /// What presses at the end of the last step.
    pub contacts: Vec<Contact>,
    /// Deepest overlap of any step, m.
    pub penetration: f64,
    /// The most that was left of the law of contact in a step, relative to the largest force of a contact.
    pub residual: f64,
    /// The largest force of one contact, N.
    force: Option<Peak>,
    /// The largest line pressure, N/m.
    pressure: Option<Peak>,
    /// The most places that were touched at a time.
    most: usize,
    /// Where cables have slid on what they touch.
    chafing: Chafing,
}

/// The largest of something over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Peak {
    /// The value.
    value: f64,
    /// When, s.
    time: f64,
    /// The cable.
    a: String,
    /// What pressed on it.
    b: String,
    /// Arc length on the cable, m.
    at: f64,
}

/// What a motion touched.
#[derive(Serialize, JsonSchema)]
pub struct TouchedTold {
    /// What presses at the end.
    contacts: Vec<Touching>,
    /// Deepest overlap of any step, m.
    penetration: f64,
    /// The most that was left of the law of contact in a step, relative to the largest force of a contact.
    contact_residual: f64,
    /// Where cables have slid on what they touch.
    chafing: Vec<ChafingPlace>,
    /// The most over time.
    peaks: Peaks,
    /// Work of friction, J.
    friction_work: f64,
}

/// The most over time.
#[derive(Serialize, JsonSchema)]
struct Peaks {
    /// The most places that were touched at a time.
    contacts: usize,
    /// The largest force of one contact, N.
    force: Option<Peak>,
    /// The largest line pressure, N/m.
    pressure: Option<Peak>,
}

/// Keeps the larger of two.
fn keep(known: &mut Option<Peak>, new: Peak) {
    if known.as_ref().is_none_or(|known| new.value > known.value) {
        *known = Some(new);
    }
}

impl Touched {
    /// Takes note of a step that led from one state to another at a time.
    pub fn note(
        &mut self,
        compiled: &Compiled,
        [from, to]: [&NetworkState; 2],
        report: NetworkReport,
        time: f64,
    ) {
        self.penetration = self.penetration.max(report.penetration);
        self.residual = self.residual.max(report.contact_residual);
        self.most = self.most.max(report.contacts.len());
        self.chafing.follow(compiled, from, to, &report.contacts);
        self.contacts = report.contacts;
        let presses = compiled.presses_of(to, &self.contacts);
        for press in &presses {
            let (a, b) = (&compiled.cables[press.cable].name, compiled.presser(press.by));
            let peak = |value: f64| Peak { value, time, a: a.clone(), b: b.to_owned(), at: press.s };
            keep(&mut self.force, peak(press.force.norm()));
        }
        for (cable, own) in compiled.cables.iter().enumerate() {
            let profile = compiled.profile(to, cable);
            let along = Pressure::new(&presses, cable, &profile.samples);
            if let Some((value, at, by)) = along.largest(|s| compiled.pressed_length(cable, s)) {
                let b = compiled.presser(by).to_owned();
                keep(&mut self.pressure, Peak { value, time, a: own.name.clone(), b, at });
            }
        }
    }

    /// What was touched, for other programs.
    pub fn told(&self, compiled: &Compiled, state: &NetworkState, friction_work: f64) -> TouchedTold {
        let presses = compiled.presses_of(state, &self.contacts);
        let profiles: Vec<_> = (0..compiled.cables.len()).map(|i| compiled.profile(state, i)).collect();
        let on_parts = compiled.part_presses_of(&self.contacts);
        TouchedTold {
            contacts: compiled.touching_of(&presses, &on_parts, &profiles),
            penetration: self.penetration,
            contact_residual: self.residual,
            chafing: self.chafing.places(),
            peaks: Peaks { contacts: self.most, force: self.force.clone(), pressure: self.pressure.clone() },
            friction_work,
        }
    }

    /// Adds rows of a table.
    pub fn rows(&self, row: &mut dyn FnMut(&str, String)) {
        for (name, unit, peak) in [
            ("largest contact force", "N", &self.force),
            ("largest contact pressure", "N/m, over one diameter", &self.pressure),
        ] {
            if let Some(Peak { value, time, a, b, at }) = peak {
                let told = format!("{} {unit}, '{a}' on '{b}' at s = {:.1} mm", number(*value), 1e3 * at);
                row(name, format!("{told}, {time:.4} s"));
            }
        }
        contacts::chafing_rows(&self.chafing, row);
        let missed = format!(
            "by {:.1e} of the largest force at most; deepest overlap {:.1e} m",
            self.residual, self.penetration
        );
        row("contact law missed", missed);
    }
}

/// A table of commas with every contact of every frame.
pub struct ContactFile(BufWriter<File>);

impl ContactFile {
    /// Begins a table.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let fail =
            |e: std::io::Error| Failure::Output { path: path.display().to_string(), error: e.to_string() };
        let mut out = BufWriter::new(File::create(path).map_err(fail)?);
        out.write_all(
            b"time_s,a,b,at_m,x_m,y_m,z_m,normal_force_N,friction_N,pressure_N/m,gap_m,state,slip_m\n",
        )
        .map_err(fail)?;
        Ok(Self(out))
    }

    /// Adds what presses at a time.
    pub fn frame(
        &mut self,
        compiled: &Compiled,
        state: &NetworkState,
        touched: &Touched,
        time: f64,
    ) -> Result<(), Failure> {
        let presses = compiled.presses_of(state, &touched.contacts);
        for (cable, own) in compiled.cables.iter().enumerate() {
            let along = Pressure::new(&presses, cable, &compiled.profile(state, cable).samples);
            for press in presses.iter().filter(|press| press.cable == cable) {
                let pressure = along.of(press.by, press.s, compiled.pressed_length(cable, press.s));
                let normal = press.force.dot(&press.normal);
                let friction = (press.force - press.normal * normal).norm();
                let cells = [
                    format!("{time:?}"),
                    crate::solve::cell(&own.name),
                    crate::solve::cell(compiled.presser(press.by)),
                    format!("{:?}", press.s),
                    format!("{:?},{:?},{:?}", press.position.x, press.position.y, press.position.z),
                    format!("{normal:?}"),
                    format!("{friction:?}"),
                    format!("{:?}", pressure.unwrap_or(0.0)),
                    format!("{:?}", press.gap),
                    json!(press.state).as_str().unwrap_or_default().to_owned(),
                    format!("{:?}", press.slip),
                ];
                writeln!(self.0, "{}", cells.join(",")).map_err(|e| Failure::Output {
                    path: "the table of contacts".to_owned(),
                    error: e.to_string(),
                })?;
            }
        }
        Ok(())
    }
}

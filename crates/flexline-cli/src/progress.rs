//! Progress of long work on standard error, on a terminal only, and only past a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// A bar that shows itself when the work takes longer than a second.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    /// A bar over `total` pieces of `what`.
    pub fn new(total: u64, what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template = format!("{{bar:40}} {{pos}}/{{len}} {what} {{msg}} ({{eta}} left)");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Self { bar, started: Instant::now() }
    }

    /// One piece is done.
    pub fn step(&self) {
        self.bar.inc(1);
        self.show();
    }

    /// `done` of `total` pieces are done.
    pub fn set(&self, done: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
        self.show();
    }

    fn show(&self) {
        let late = self.started.elapsed() > Duration::from_secs(1);
        if late && self.bar.is_hidden() && std::io::stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

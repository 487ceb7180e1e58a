//! Beads of a harness.

use super::eye::{RADIUS, read_friction};
use super::harness::{all, read_inertia};
use super::harness_cable::Lines;
use crate::harness::Bead;
use crate::reader::{Bounds, Table};
use crate::units::Dimension;

pub(super) const BEAD: &[&str] = &["name", "cable", "at", "mass", "radius", "friction", "inertia"];

impl Lines {
    /// Reads `[[bead]]`; their names are read already.
    pub fn read_beads(&self, tables: &[Table], names: Vec<Option<String>>) -> Option<Vec<Bead>> {
        let read = |(table, name): (&Table, Option<String>)| {
            let bead = self.read_bead(table, name)?;
            self.occupy(table, bead.cable, bead.at);
            Some(bead)
        };
        all(tables.iter().zip(names).map(read).collect())
    }

    fn read_bead(&self, table: &Table, name: Option<String>) -> Option<Bead> {
        let found = self.find(table);
        let at = Self::read_between(table, found.and_then(|f| f.1));
        let mass = table.required("mass", Dimension::Mass, Bounds::Positive);
        let radius = table.required("radius", Dimension::Length, RADIUS);
        let friction = read_friction(table);
        let inertia = read_inertia(table);
        let (cable, friction, inertia) = (found?.0, friction?, inertia?);
        Some(Bead { name: name?, cable, at: at?, mass: mass?, inertia, radius: radius?, friction })
    }
}

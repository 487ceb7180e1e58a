//! Moments at places of a curvature rod, which have no potential: what [`skew`](crate::solver::statics::network) asks for.

use super::CurvatureSpan;
use super::form::{Change, FIRST, SECOND, TURN};
use super::loads::PieceLoad;
use crate::algebra::{Mat3, Vec3};
use crate::solver::statics::network::skew::skew_stiffness;

impl CurvatureSpan {
    /// The loads that are moments, but for rope that slides in motion: its elimination does not lean.
    fn moments(&self) -> impl Iterator<Item = &PieceLoad> + '_ {
        let leans = self.by_slid.is_empty();
        self.loads.at.iter().filter(move |l| leans && l.moment != Vec3::zeros())
    }

    /// How the place of a load turns with the coordinates of its element.
    fn turning(&self, load: &PieceLoad) -> [Mat3; 2] {
        let mut turn = [Mat3::zeros(); 2];
        let first = self.firsts[self.pieces[load.piece].element];
        for p in first..=load.piece {
            let half = self.rod.half_share(&self.pieces[p]);
            for (k, node) in self.points[self.pieces[p].places(p)].iter().enumerate() {
                let weight = if p < load.piece { node.weight } else { half * load.upto[k] };
                for (turn, shape) in turn.iter_mut().zip(node.shapes) {
                    *turn += node.rotation * (weight * shape);
                }
            }
        }
        turn
    }

    /// Rotation of the place of a load along the step of its element.
    pub(super) fn turn_of(&self, load: &PieceLoad, step: &Change) -> Vec3 {
        let [first, second] = self.turning(load);
        step[TURN] + first * step[FIRST] + second * step[SECOND]
    }

    /// The skew part of the stiffness at every place.
    pub(super) fn skew_stiffness(&self) -> Vec<Mat3> {
        self.moments().map(|load| skew_stiffness(&load.world.1, load.axes)).collect()
    }

    /// Appends how places of an element turn along its step.
    pub(super) fn note_turned(&self, e: usize, step: &Change, turned: &mut Vec<Vec3>) {
        for load in self.moments().filter(|l| self.pieces[l.piece].element == e) {
            turned.push(self.turn_of(load, step));
        }
    }

    /// What moments at these places are on the coordinates of their elements.
    pub(super) fn leaning_on(&self, moments: &[Vec3]) -> Vec<(usize, Change)> {
        let leaning = |(load, moment): (&PieceLoad, &Vec3)| {
            let [first, second] = self.turning(load).map(|turn| turn.tr_mul(moment));
            (self.pieces[load.piece].element, [*moment, Vec3::zeros(), first, second])
        };
        self.moments().zip(moments).map(leaning).collect()
    }
}

//! A kernel of another make, for tests alone: the solver sees a rod through `SpanKernel` and nothing else.
//!
//! Every span gets a kernel that hands each question on to the model's own, and counts them. The suite passes with it, and
//! a solve ends in the same bits: a new model owes the solver these answers and no others.

use super::{Network, NetworkState, NetworkWorkspace, Settings, solve_network, testing};
use crate::algebra::Vec3;
use crate::algebra::chain::SingularPivot;
use crate::body::{End, Profile, Taps, Wrench};
use crate::rod::kernel::{Layout, Loads, Local, LocalVector, Norms, SpanKernel, World};
use crate::rod::mixed::ChainScratch;
use crate::rod::{AnyRod, RodState, State};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Foreign {
    own: Box<dyn SpanKernel>,
    asked: Arc<AtomicUsize>,
}

impl Foreign {
    fn own(&self) -> &dyn SpanKernel {
        self.asked.fetch_add(1, Ordering::Relaxed);
        &*self.own
    }
    fn own_mut(&mut self) -> &mut dyn SpanKernel {
        self.asked.fetch_add(1, Ordering::Relaxed);
        &mut *self.own
    }
}

impl SpanKernel for Foreign {
    fn length(&self) -> f64 {
        self.own().length()
    }
    fn stiffness(&self) -> f64 {
        self.own().stiffness()
    }
    fn take_rod(&mut self, rod: &AnyRod) {
        self.own_mut().take_rod(rod);
    }
    fn read_loads(&mut self, loads: Loads<'_>) {
        self.own_mut().read_loads(loads);
    }
    fn cost(&self) -> f64 {
        self.own().cost()
    }
    fn set_length(&mut self, rod: &AnyRod, length: f64) {
        self.own_mut().set_length(rod, length);
    }
    fn set_ends(&self, ends: &[End; 2], state: &mut State) {
        self.own().set_ends(ends, state);
    }
    fn evaluate(&mut self, layout: &Layout, world: &World<'_>, ends: [End; 2], state: &mut State) {
        self.own_mut().evaluate(layout, world, ends, state);
    }
    fn reactions(&self, layout: &Layout, state: &State) -> [Wrench; 2] {
        self.own().reactions(layout, state)
    }
    fn gap(&self) -> Vec3 {
        self.own().gap()
    }
    fn turn_gap(&self) -> f64 {
        self.own().turn_gap()
    }
    fn stretch(&self) -> f64 {
        self.own().stretch()
    }
    fn is_folded(&self) -> bool {
        self.own().is_folded()
    }
    fn norms(&self) -> Norms {
        self.own().norms()
    }
    fn place(&self, state: &State, s: f64) -> Vec3 {
        self.own().place(state, s)
    }
    fn end_forces(&self) -> Option<[Vec3; 2]> {
        self.own().end_forces()
    }
    fn flow_force(&self, state: &State, side: usize) -> f64 {
        self.own().flow_force(state, side)
    }
    fn factorise(
        &mut self,
        layout: &Layout,
        state: &State,
        shift: f64,
        proximal: f64,
        scratch: &mut ChainScratch,
    ) -> Result<(Local, usize), SingularPivot> {
        self.own_mut().factorise(layout, state, shift, proximal, scratch)
    }
    fn eliminate_residual(
        &mut self,
        layout: &Layout,
        state: &State,
        scratch: &mut ChainScratch,
    ) -> LocalVector {
        self.own_mut().eliminate_residual(layout, state, scratch)
    }
    fn find_turning_loads(&mut self) -> usize {
        self.own_mut().find_turning_loads()
    }
    fn turned(&self, load: usize) -> Vec3 {
        self.own().turned(load)
    }
    fn set_load_turns(&mut self, turns: &[Vec3]) {
        self.own_mut().set_load_turns(turns);
    }
    fn push(&mut self, forces: &[(f64, Vec3)]) {
        self.own_mut().push(forces);
    }
    fn moved(&self, state: &State, share: f64) -> Vec3 {
        self.own().moved(state, share)
    }
    fn back_substitute(&mut self, layout: &Layout, interface: &LocalVector) {
        self.own_mut().back_substitute(layout, interface);
    }
    fn advance(&self, state: &mut State, scale: f64) {
        self.own().advance(state, scale);
    }
    fn take_multipliers(&self, state: &mut State) {
        self.own().take_multipliers(state);
    }
    fn keep_multipliers(&mut self) {
        self.own_mut().keep_multipliers();
    }
    fn slope(&self, layout: &Layout) -> (f64, f64) {
        self.own().slope(layout)
    }
    fn new_moment(&self) -> Vec3 {
        self.own().new_moment()
    }
    fn trial(
        &self,
        ends: &[End; 2],
        state: &State,
        moment: &Vec3,
        rho: f64,
        ahead: Option<f64>,
    ) -> (f64, Vec3) {
        self.own().trial(ends, state, moment, rho, ahead)
    }
    fn step_size(&self) -> (f64, f64) {
        self.own().step_size()
    }
    fn energy_scale(&self, state: &State) -> f64 {
        self.own().energy_scale(state)
    }
    fn profile(&mut self, state: &State) -> Profile {
        self.own_mut().profile(state)
    }
    fn missed_curvature(&self) -> Vec<f64> {
        self.own().missed_curvature()
    }
    fn weight_energy(&self) -> Option<f64> {
        self.own().weight_energy()
    }
    fn taps(&mut self) -> &mut Taps {
        self.own_mut().taps()
    }
    fn set_slid(&mut self, slid: [f64; 2]) {
        self.own_mut().set_slid(slid);
    }
    fn damp(&mut self, rod: &AnyRod, state: &RodState, share: f64) {
        self.own_mut().damp(rod, state, share);
    }
    fn compose(&mut self) {
        self.own_mut().compose();
    }
    fn undamp(&mut self, rod: &AnyRod) {
        self.own_mut().undamp(rod);
    }
}

/// A workspace whose spans have foreign kernels, and how often those were asked.
fn foreign(network: &Network) -> (NetworkWorkspace, Arc<AtomicUsize>) {
    let mut ws = NetworkWorkspace::new(network);
    let asked = Arc::new(AtomicUsize::new(0));
    for (span, own) in ws.spans.iter_mut().zip(NetworkWorkspace::new(network).spans) {
        span.kernel = Box::new(Foreign { own: own.kernel, asked: asked.clone() });
    }
    (ws, asked)
}

#[test]
fn a_foreign_kernel_passes_the_suite_of_networks() {
    for (name, mut network) in testing::networks() {
        testing::make_equal(&mut network);
        let (mut ws, asked) = foreign(&network);
        let mut state = testing::disturbed(&network, 0.05);
        testing::check_newton(&name, &network, &mut state, &mut ws);
        testing::check_slope(&name, &network, &mut testing::disturbed(&network, 0.05), &mut ws);
        assert!(asked.load(Ordering::Relaxed) > 100, "{name}: the solver asked somebody else");
    }
}

#[test]
fn a_solve_with_foreign_kernels_ends_in_the_same_bits() {
    for model in testing::MODELS {
        let network = testing::threaded(model);
        let solve = |mut ws: NetworkWorkspace| {
            let mut state = NetworkState::initial(&network);
            let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect(model);
            (report, state)
        };
        let (ws, asked) = foreign(&network);
        assert_eq!(solve(NetworkWorkspace::new(&network)), solve(ws), "{model}");
        assert!(asked.load(Ordering::Relaxed) > 100, "{model}: the solver asked somebody else");
    }
}

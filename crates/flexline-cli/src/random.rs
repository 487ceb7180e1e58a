//! Random numbers for stress and drag: seeded, the same on every machine.

use flexline::algebra::rotation;
use flexline::{Quat, Vec3};
use std::f64::consts::PI;

/// A small, fast, seeded generator (PCG); the same sequence on every machine.
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        let mut r = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1405_7B7E_F767_814F));
        r.next();
        r
    }
    /// The next 32 bits.
    pub fn next(&mut self) -> u32 {
        let old = self.0;
        self.0 = old.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (((old >> 18) ^ old) >> 27) as u32;
        mixed.rotate_right((old >> 59) as u32)
    }
    /// From 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        f64::from(self.next()) / (f64::from(u32::MAX) + 1.0)
    }
    /// From `a` up to `b`.
    pub fn range(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.unit()
    }
    /// From `a` to `b`, every decade as likely as another.
    pub fn log(&mut self, a: f64, b: f64) -> f64 {
        self.range(a.ln(), b.ln()).exp()
    }
    /// True once in `n` times.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.next().is_multiple_of(n)
    }
    /// A unit vector.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            if v.norm() > 0.1 && v.norm() < 1.0 {
                return v.normalize();
            }
        }
    }
    /// A rotation.
    pub fn orientation(&mut self) -> Quat {
        rotation::exp(&(self.direction() * self.range(0.0, PI)))
    }
}

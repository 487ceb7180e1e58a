//! Batches of cables on a graphics card: one thread a cable.
//!
//! A [`Batch`] is made of problems of one size, a [`Card`] holds it with its states, leads all of its ends at once and tells
//! how every cable ended. The kernel is `chain.cu`; `tests/` compile it for the processor and hold it against the engine.
//!
//! ```no_run
//! use flexline::prelude::*;
//! use flexline_gpu::{Batch, Card, Tolerances};
//! # fn cables() -> (Vec<Problem>, Vec<State>) { (Vec::new(), Vec::new()) }
//! let (mut problems, states) = cables();
//! let mut card = Card::open(0)?;
//! let mut load = card.load(Batch::new(&problems)?, &states)?;
//! for problem in &mut problems {
//!     problem.ends[1].position.x += 1e-3;
//! }
//! let ends: Vec<[End; 2]> = problems.iter().map(|problem| problem.ends).collect();
//! let outcomes = load.lead(&ends, &Tolerances::default())?;
//! println!("{} settled", outcomes.iter().filter(|outcome| outcome.is_settled()).count());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod card;
mod outcome;

pub use batch::{Batch, BatchError, Columns};
pub use card::{Card, CardError, Load};
pub use outcome::{Outcome, Tolerances};

/// The source of the kernel.
pub const KERNEL: &str = include_str!("chain.cu");

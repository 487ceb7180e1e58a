//! The card: memory, launches, answers.

use crate::{Batch, BatchError, Outcome, Tolerances};
use flexline::prelude::{End, State};

/// Why a card cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// This program was built without it.
    #[error("this program was built without support for graphics cards: build it with `--features cuda`")]
    NotBuilt,
    /// There is none, or what drives it is missing.
    #[error("no graphics card: {0}")]
    Missing(String),
    /// The card refused something.
    #[error("the graphics card: {0}")]
    Card(String),
    /// What it was given is wrong.
    #[error(transparent)]
    Batch(#[from] BatchError),
}

#[cfg(not(feature = "cuda"))]
mod without {
    use super::*;
    use std::convert::Infallible;

    /// A graphics card.
    #[derive(Debug)]
    pub struct Card(Infallible);

    /// A batch on a card, with its states.
    #[derive(Debug)]
    pub struct Load(Infallible);

    impl Card {
        /// The card of this number: this program was built without any.
        pub fn open(_: usize) -> Result<Self, CardError> {
            Err(CardError::NotBuilt)
        }

        /// Its name.
        pub fn name(&self) -> String {
            match self.0 {}
        }

        /// Brings a batch and its states to the card.
        pub fn load(&mut self, _: Batch, _: &[State]) -> Result<Load, CardError> {
            match self.0 {}
        }
    }

    impl Load {
        /// Leads all cables to new ends.
        pub fn lead(&mut self, _: &[[End; 2]], _: &Tolerances) -> Result<Vec<Outcome>, CardError> {
            match self.0 {}
        }

        /// The states as they are.
        pub fn states(&self) -> Result<Vec<State>, CardError> {
            match self.0 {}
        }

        /// How long the kernel of the last [`Load::lead`] ran, ms, without what was copied.
        pub fn kernel_ms(&self) -> f64 {
            match self.0 {}
        }
    }
}
#[cfg(not(feature = "cuda"))]
pub use without::{Card, Load};

#[cfg(feature = "cuda")]
mod with {
    use super::*;
    use crate::{Columns, KERNEL};
    use cudarc::driver::sys::CUevent_flags;
    use cudarc::driver::{
        CudaContext, CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg,
    };
    use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};
    use rayon::prelude::*;
    use std::sync::Arc;

    /// Threads of a block: few, since each keeps some two hundred numbers at hand.
    const THREADS: u32 = 64;
    /// Rows of `factors` per frame.
    const FACTOR_ROWS: usize = 21;

    impl From<DriverError> for CardError {
        fn from(error: DriverError) -> Self {
            Self::Card(error.to_string())
        }
    }

    /// A graphics card.
    pub struct Card {
        context: Arc<CudaContext>,
        stream: Arc<CudaStream>,
        kernel: CudaFunction,
    }

    /// A batch on a card, with its states.
    pub struct Load {
        batch: Batch,
        /// The ends that every state belongs to: those of its last equilibrium.
        settled: Vec<[End; 2]>,
        stream: Arc<CudaStream>,
        kernel: CudaFunction,
        rods: CudaSlice<f64>,
        gravity: CudaSlice<f64>,
        frames: CudaSlice<f64>,
        twists: CudaSlice<f64>,
        forces: CudaSlice<f64>,
        trial: CudaSlice<f64>,
        trial_twists: CudaSlice<f64>,
        factors: CudaSlice<f64>,
        counts: [CudaSlice<i32>; 3],
        proof: CudaSlice<f64>,
        kernel_ms: f64,
    }

    impl Card {
        /// The card of this number, from 0, with the kernel compiled for it.
        pub fn open(number: usize) -> Result<Self, CardError> {
            // SAFETY: both only look for a library by its name.
            #[allow(unsafe_code)]
            let found = unsafe {
                [
                    (
                        cudarc::driver::sys::is_culib_present(),
                        "the driver of CUDA (libcuda) is not installed",
                    ),
                    (
                        cudarc::nvrtc::sys::is_culib_present(),
                        "the compiler of CUDA (libnvrtc) is not installed",
                    ),
                ]
            };
            if let Some((_, what)) = found.into_iter().find(|(present, _)| !present) {
                return Err(CardError::Missing(what.to_owned()));
            }
            let context = CudaContext::new(number).map_err(|e| CardError::Missing(e.to_string()))?;
            let (major, minor) = context.compute_capability()?;
            let options = CompileOptions {
                options: vec![format!("--gpu-architecture=compute_{major}{minor}")],
                ..CompileOptions::default()
            };
            let program =
                compile_ptx_with_opts(KERNEL, options).map_err(|e| CardError::Card(e.to_string()))?;
            let kernel = context.load_module(program)?.load_function("solve_chains")?;
            Ok(Self { stream: context.default_stream(), context, kernel })
        }

        /// Its name.
        pub fn name(&self) -> String {
            self.context.name().unwrap_or_else(|error| error.to_string())
        }

        /// Brings a batch and its states to the card.
        pub fn load(&mut self, batch: Batch, states: &[State]) -> Result<Load, CardError> {
            let columns = batch.columns(states)?;
            let (n, count, stream) = (batch.segments(), batch.count(), &self.stream);
            let integers = || stream.alloc_zeros::<i32>(count);
            Ok(Load {
                settled: states.iter().map(|state| state.ends).collect(),
                kernel: self.kernel.clone(),
                rods: stream.clone_htod(batch.rods())?,
                gravity: stream.clone_htod(batch.gravity())?,
                trial: stream.alloc_zeros(columns.frames.len())?,
                trial_twists: stream.alloc_zeros(columns.twists.len())?,
                frames: stream.clone_htod(&columns.frames)?,
                twists: stream.clone_htod(&columns.twists)?,
                forces: stream.clone_htod(&columns.forces)?,
                factors: stream.alloc_zeros(FACTOR_ROWS * n * count)?,
                counts: [integers()?, integers()?, integers()?],
                proof: stream.alloc_zeros(3 * count)?,
                kernel_ms: 0.0,
                stream: stream.clone(),
                batch,
            })
        }
    }

    impl Load {
        /// Leads all cables to new ends, each from the state that it has. Where no equilibrium is found a cable keeps its
        /// state.
        pub fn lead(&mut self, ends: &[[End; 2]], to: &Tolerances) -> Result<Vec<Outcome>, CardError> {
            let columns = self.stream.clone_htod(&self.batch.end_columns(&self.settled, ends)?)?;
            let count = self.batch.count();
            let [count_argument, segments, most] = [count, self.batch.segments(), to.most as usize]
                .map(|n| i32::try_from(n).unwrap_or(i32::MAX));
            let config = LaunchConfig {
                grid_dim: (u32::try_from(count).unwrap_or(u32::MAX).div_ceil(THREADS), 1, 1),
                block_dim: (THREADS, 1, 1),
                shared_mem_bytes: 0,
            };
            let [status, iterations, negative] = &mut self.counts;
            let mut launch = self.stream.launch_builder(&self.kernel);
            launch.arg(&count_argument).arg(&segments).arg(&most);
            launch.arg(&to.force).arg(&to.position).arg(&to.turn);
            launch.arg(&self.rods).arg(&self.gravity).arg(&columns);
            launch.arg(&mut self.frames).arg(&mut self.twists).arg(&mut self.forces);
            launch.arg(&mut self.trial).arg(&mut self.trial_twists).arg(&mut self.factors);
            launch.arg(status).arg(iterations).arg(negative).arg(&mut self.proof);
            let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
            let begin = self.stream.record_event(timed)?;
            // SAFETY: the arguments are those of `solve_chains`, in its order; every column has the rows that the kernel
            // reads and writes for `count` cables, and threads beyond the last return at once.
            #[allow(unsafe_code)]
            unsafe { launch.launch(config) }?;
            let end = self.stream.record_event(timed)?;
            self.kernel_ms = f64::from(begin.elapsed_ms(&end)?);

            let [status, iterations, negative] = &self.counts;
            let status = self.stream.clone_dtoh(status)?;
            let iterations = self.stream.clone_dtoh(iterations)?;
            let negative = self.stream.clone_dtoh(negative)?;
            let proof = self.stream.clone_dtoh(&self.proof)?;
            let outcomes: Vec<_> = (0..count)
                .into_par_iter()
                .map(|k| {
                    let proof = std::array::from_fn(|row| proof[row * count + k]);
                    Outcome::from_kernel(status[k], iterations[k], negative[k], proof)
                })
                .collect();
            for (k, outcome) in outcomes.iter().enumerate() {
                if outcome.is_settled() {
                    self.settled[k] = ends[k];
                }
            }
            Ok(outcomes)
        }

        /// The states as they are.
        pub fn states(&self) -> Result<Vec<State>, CardError> {
            let columns = Columns {
                frames: self.stream.clone_dtoh(&self.frames)?,
                twists: self.stream.clone_dtoh(&self.twists)?,
                forces: self.stream.clone_dtoh(&self.forces)?,
            };
            Ok(self.batch.states(&columns, &self.settled))
        }

        /// How long the kernel of the last [`Load::lead`] ran, ms, without what was copied.
        pub fn kernel_ms(&self) -> f64 {
            self.kernel_ms
        }
    }
}
#[cfg(feature = "cuda")]
pub use with::{Card, Load};

//! Flexline for Python: the module `flexline._engine`, which the package `flexline` shows to users.
//!
//! A thin layer: scenes, equilibria, sessions and batches are those of the libraries below, and nothing is computed here.
//! Long work is done without the interpreter's lock, so that threads of Python run beside it. What goes wrong with a scene
//! is a `SceneError` with its diagnostics; how a solve ended is a status of its solution, never an exception.

mod arrays;
mod batch;
mod error;
mod exchange;
mod library;
mod live;
mod motion;
mod parameter;
mod picture;
mod scene;
mod session;
mod solution;
mod study;
mod sweep;

use pyo3::prelude::*;

/// The engine.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("SceneError", module.py().get_type::<error::SceneError>())?;
    module.add("NoDerivative", module.py().get_type::<error::NoDerivative>())?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<solution::Solution>()?;
    module.add_class::<solution::Cable>()?;
    module.add_class::<live::Live>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<motion::Motion>()?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<study::Study>()?;
    module.add_class::<study::StudyRun>()?;
    module.add_function(wrap_pyfunction!(exchange::read_file, module)?)?;
    module.add_function(wrap_pyfunction!(exchange::import_scene, module)?)?;
    module.add_class::<sweep::SweepRun>()?;
    module.add_function(wrap_pyfunction!(sweep::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::find, module)?)?;
    module.add_function(wrap_pyfunction!(library::parts, module)?)?;
    module.add_function(wrap_pyfunction!(library::materials, module)?)?;
    module.add_function(wrap_pyfunction!(batch::solve_many, module)?)
}

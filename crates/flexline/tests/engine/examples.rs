//! The examples run, and assert what they print.

#[allow(dead_code)]
#[path = "../../examples/batch.rs"]
mod batch;
#[allow(dead_code)]
#[path = "../../examples/cable.rs"]
mod cable;
#[allow(dead_code)]
#[path = "../../examples/harness.rs"]
mod harness;
#[allow(dead_code)]
#[path = "../../examples/motion.rs"]
mod motion;
#[allow(dead_code)]
#[path = "../../examples/pulley.rs"]
mod pulley;

/// Runs an example by its name.
macro_rules! runs {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() -> Result<(), String> {
            $name::main().map_err(|error| error.to_string())
        })*

        /// An example that nobody runs is soon wrong.
        #[test]
        fn every_example_is_here() {
            let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap();
            let mut found: Vec<_> = folder.map(|f| f.unwrap().path()).collect();
            found.retain(|path| path.extension().is_some_and(|e| e == "rs"));
            let known = [$(stringify!($name)),*];
            for path in found {
                let stem = path.file_stem().and_then(|s| s.to_str()).unwrap();
                assert!(known.contains(&stem), "{stem} is not run: name it in tests/engine/examples.rs");
            }
        }
    };
}

runs!(batch, cable, harness, motion, pulley);

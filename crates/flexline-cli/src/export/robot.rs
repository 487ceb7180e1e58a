//! `flexline export --to FILE.xml`: cables for MuJoCo.

use super::Export;
use crate::failure::{Failure, GOOD, write_file};
use crate::output::{counted, print, print_json};
use crate::solved::{Changes, SceneArgs, Solved, solve_scene};
use flexline::solver::Status;
use flexline_exchange::mjcf::Written;
use serde_json::json;

/// Bodies of a cable whose model has elements.
const ELEMENT_BODIES: usize = 40;
/// The equilibrium is solved this many times as finely as the chain is, so that what differs is the chain's.
const FINER: usize = 4;
/// And in no more segments than this.
const MOST_SEGMENTS: usize = 2000;

/// Whether the file asked for is one of these.
pub fn is_for(args: &Export) -> bool {
    args.to
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("xml") || ending.eq_ignore_ascii_case("mjcf"))
}

/// Runs the command.
pub fn run(args: &Export) -> Result<u8, Failure> {
    let coarse = equilibrium(&args.scene)?;
    let segments: Vec<usize> = coarse.scene.cables.iter().map(|own| pieces(&own.cable)).collect();
    let finer = finer(args, &coarse);
    let solved = finer.as_ref().unwrap_or(&coarse);
    let written = solved.compiled.to_mjcf(&solved.solution, solved.title(), &segments);
    let written = written.map_err(|error| Failure::Input(error.to_string()))?;
    write_file(&args.to, written.text.as_bytes())?;
    report(args, solved, &written);
    Ok(GOOD)
}

/// The scene in equilibrium; without one there is nothing to write.
pub(super) fn equilibrium(args: &SceneArgs) -> Result<Solved, Failure> {
    let solved = solve_scene(args)?;
    if solved.status() == Status::Converged {
        return Ok(solved);
    }
    Err(Failure::Input(format!(
        "{} is not in equilibrium: {}\n  nothing is written; mend the scene first",
        args.scene.display(),
        solved.ending()
    )))
}

fn pieces(cable: &flexline_scene::model::Cable) -> usize {
    if cable.model.is_chain() { cable.resolution } else { ELEMENT_BODIES }
}

/// The same equilibrium in more segments, where that is found and is the same.
fn finer(args: &Export, coarse: &Solved) -> Option<Solved> {
    let cables = || coarse.scene.cables.iter().map(|own| &own.cable);
    if coarse.compiled.has_contact() || cables().any(|own| own.accuracy.is_some() || !own.model.is_chain()) {
        return None;
    }
    let most = cables().map(|own| own.resolution).max()?;
    let segments = (FINER * most).min(MOST_SEGMENTS);
    if segments <= most {
        return None;
    }
    let scene = SceneArgs {
        scene: args.scene.scene.clone(),
        changes: Changes {
            segments: Some(segments as u32),
            stable: args.scene.changes.stable,
            ..Changes::default()
        },
    };
    let fine = equilibrium(&scene).ok()?;
    let is_near = (0..coarse.compiled.cables.len()).all(|k| {
        let of = |solved: &Solved| {
            let own = &solved.solution.profiles[k].samples;
            own.get(own.len() / 2).map(|sample| sample.position)
        };
        let length = coarse.compiled.cables[k].length;
        of(coarse).zip(of(&fine)).is_some_and(|(a, b)| (a - b).norm() < 0.05 * length)
    });
    is_near.then_some(fine)
}

fn report(args: &Export, solved: &Solved, written: &Written) {
    let file = args.to.display().to_string();
    let cables = solved.compiled.cables.len();
    if args.json {
        print_json(&json!({
            "file": file,
            "format": "MJCF",
            "bytes": written.text.len(),
            "bodies": written.bodies,
            "cables": cables,
            "solved_in_segments": solved.scene.cables.iter().map(|own| own.cable.resolution).collect::<Vec<_>>(),
            "notes": written.notes,
        }));
        return;
    }
    let bodies = written.bodies;
    print(&format!(
        "{} as {bodies} bodies with three hinges a joint, written to {file}, MJCF\n",
        counted(cables, "cable")
    ));
    written.notes.iter().for_each(|note| print(&format!("note: {note}\n")));
}

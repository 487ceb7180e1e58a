//! Harness data (KBL): told of, and made a scene of.

use super::{Import, scene};
use crate::failure::{Failure, GOOD, write_file};
use crate::output::{print, print_json};
use flexline_exchange::kbl::{Kbl, Plan, Report, Rest};
use flexline_scene::Scene;
use std::path::Path;

/// Reads harness data, tells what is in it, and writes the scene that was asked for.
pub fn run(args: &Import, bytes: &[u8]) -> Result<u8, Failure> {
    let name = args.file.display();
    let kbl = Kbl::read(bytes).map_err(|error| Failure::Input(format!("cannot read {name}: {error}")))?;
    let plan = planned(&kbl, &args.modules)?;
    if let Some(path) = &args.to {
        write(args, bytes, &kbl, &plan, path)?;
    }
    let report = Report::new(&kbl, &plan);
    if args.json {
        let mut value = report.to_json();
        value["file"] = name.to_string().into();
        print_json(&value);
        return Ok(GOOD);
    }
    print(&format!("{name}\n{}", report.text()));
    if let Some(path) = &args.to {
        print(&format!("\nwritten to {}, held at connectors and fixings as drawn\n", path.display()));
    }
    Ok(GOOD)
}

/// What of the harness goes into a scene.
pub fn planned(kbl: &Kbl, modules: &[String]) -> Result<Plan, Failure> {
    Plan::new(kbl, modules).map_err(|word| {
        let known: Vec<String> =
            kbl.modules.iter().map(|own| format!("{} ({} {})", own.id, own.part, own.names[1])).collect();
        let known = if known.is_empty() {
            "the file has none".into()
        } else {
            format!("there are: {}", known.join(", "))
        };
        Failure::Input(format!("--modules {word}: there is no such module; {known}"))
    })
}

/// A new scene; the harness data is copied beside it where it is elsewhere.
fn write(args: &Import, bytes: &[u8], kbl: &Kbl, plan: &Plan, path: &Path) -> Result<(), Failure> {
    let wrong = |message: String| Failure::Input(message);
    if path.exists() {
        let name = path.display();
        return Err(wrong(format!(
            "{name} is there already: a harness becomes a scene of its own; name a new file"
        )));
    }
    if plan.cables.is_empty() {
        return Err(wrong(format!(
            "{} has no segments with nodes: there is nothing to lay",
            args.file.display()
        )));
    }
    let folder = path.parent().filter(|own| !own.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = match scene::place_in(folder, &args.file) {
        Some(file) => file,
        None => {
            let file = args.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let beside = folder.join(&file);
            if std::fs::read(&beside).is_ok_and(|there| there != bytes) {
                return Err(wrong(format!(
                    "{} is there already and differs: move the scene or the file",
                    beside.display()
                )));
            }
            write_file(&beside, bytes)?;
            file
        }
    };
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let title = args.name.clone().unwrap_or(if kbl.title.is_empty() { stem } else { kbl.title.clone() });
    let rest = if args.straight { Rest::Straight } else { Rest::Drawn };
    let text = plan.to_scene(kbl, &title, &file, rest);
    Scene::read(&text, &path.display().to_string())?;
    write_file(path, text.as_bytes())
}

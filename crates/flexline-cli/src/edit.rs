//! `flexline edit` and `flexline journal`: harness work as commands.

use crate::failure::{Failure, GOOD, NO, write_file};
use crate::output::{print, print_json};
use crate::solve::contacts::chafing_rows;
use clap::Args;
use flexline::solver::Status;
use flexline_scene::chafing::Chafing;
use flexline_scene::{Folder, LARGEST_FILE, Scene};
use flexline_session::command::Command;
use flexline_session::import::Import;
use flexline_session::replace_file;
use flexline_session::session::{Damage, Log, Outcome, Session, SessionError, Solving};
use serde_json::{Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "Examples:
  flexline edit door.toml --do '{\"do\": \"cut\", \"cable\": \"trunk\", \"at\": \"40 %\"}' -o cut.toml
  flexline edit door.toml --script work.jsonl --journal door.journal
  flexline edit door.toml --do '{\"do\": \"move\", \"name\": \"fork\", \"by\": [0, 0, \"20 mm\"]}' --dry-run

A script has one command per line; lines that are empty or begin with # are left out, and {\"do\": \"undo\"} and
{\"do\": \"redo\"} are understood as well, and files are brought in by
{\"do\": \"import\", \"file\": \"hose.stl\", \"as\": \"cable\", \"unit\": \"mm\", \"material\": \"epdm-60\"}. `crates/flexline-session/COMMANDS.md` describes every command.";

/// Edit a scene by commands: create, cut, join, branch, move, prolong, …
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Edit {
    /// Scene file
    scene: PathBuf,
    /// A command as JSON; may be given several times
    #[arg(long = "do", value_name = "JSON", required_unless_present = "script", conflicts_with = "script")]
    commands: Vec<String>,
    /// File with a command per line
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Where the edited scene goes; without it the scene file itself is replaced
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write every command to this new file before it counts, to come back after a crash
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Say what would be done, and write nothing
    #[arg(long, conflicts_with_all = ["out", "journal"])]
    dry_run: bool,
    /// Do not solve: check the scene only. What refers to the present shape is refused
    #[arg(long)]
    no_solve: bool,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// Replay a journal of `edit`: what was done, and the scene that came of it
#[derive(Args)]
pub struct Journal {
    /// Journal
    journal: PathBuf,
    /// Where the scene goes
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Do not solve: the scene only
    #[arg(long)]
    no_solve: bool,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// A line of a script.
enum Step {
    Do(Box<Command>),
    Import(Box<Import>),
    Undo,
    Redo,
}

/// Runs `edit`.
pub fn run(args: &Edit) -> Result<u8, Failure> {
    let steps = read_steps(args)?;
    // Read as every command reads scenes; mistakes in the file come before those in commands.
    let name = args.scene.display().to_string();
    let text = read_text(&args.scene)?;
    let mut session =
        Session::open_in(&text, &name, &Folder::of(&args.scene), solving(args.no_solve)).map_err(failure)?;
    if let Some(path) = &args.journal {
        session.begin_journal(path).map_err(failure)?;
    }
    let mut outcomes = Vec::new();
    let mut brought = Brought { files: Vec::new(), notes: Vec::new(), keep: args.journal.is_some() };
    let folder = args.scene.parent().map_or_else(PathBuf::new, Path::to_owned);
    for (i, step) in steps.iter().enumerate() {
        let outcome = match step {
            Step::Do(command) => session.apply(command),
            Step::Import(import) => session.import(import, &folder).map(|own| {
                brought.notes.extend(own.notes);
                brought.files.extend(own.written);
                own.outcome
            }),
            Step::Undo => session.undo(),
            Step::Redo => session.redo(),
        };
        outcomes
            .push(outcome.map_err(|error| told(failure(error), i, steps.len(), args.journal.as_deref()))?);
    }
    let target = (!args.dry_run).then(|| args.out.as_ref().unwrap_or(&args.scene));
    if let Some(path) = target {
        // What came into the file while this worked is not overwritten.
        if *path == args.scene && read_text(path)? != text {
            return Err(Failure::Input(format!(
                "{name} was changed while it was edited, and is left as it is\n  run the command again, or name another file by --out"
            )));
        }
        write_scene(path, &session.text_to_keep())?;
        brought.keep = true;
    }
    let told = Told { notes: &brought.notes, damage: None, chafing: chafing(&session) };
    report(&outcomes, target.map(PathBuf::as_path), &told, args.json);
    Ok(verdict(&session))
}

/// Runs `journal`.
pub fn run_journal(args: &Journal) -> Result<u8, Failure> {
    // Meshes lie beside the scene that the journal began with.
    let began = Log::read(&args.journal).map(|log| log.name).unwrap_or_default();
    let folder = Folder::of(Path::new(&began));
    let read = Session::replayed_in(&args.journal, &folder, solving(args.no_solve)).map_err(failure)?;
    if let Some(path) = &args.out {
        write_scene(path, &read.session.text_to_keep())?;
    }
    let chafing = chafing(&read.session);
    let told = Told { notes: &[], damage: read.damage.as_ref(), chafing };
    report(&read.outcomes, args.out.as_deref(), &told, args.json);
    if read.torn && !args.json {
        print("the last line was not written to its end and is left out\n");
    }
    Ok(if read.damage.is_some() { NO } else { verdict(&read.session) })
}

fn solving(no_solve: bool) -> Solving {
    if no_solve { Solving::Never } else { Solving::Always }
}

fn verdict(session: &Session) -> u8 {
    match session.solution().map(|solved| solved.status()) {
        Some(Status::Converged) | None => GOOD,
        Some(_) => NO,
    }
}

fn failure(error: SessionError) -> Failure {
    match error {
        SessionError::Command(error) => Failure::Scene(error),
        SessionError::Journal(error) if error.is_output => {
            Failure::Output { path: format!("journal {}", error.path), error: error.message }
        }
        other => Failure::Input(other.to_string()),
    }
}

/// Which command of several it was, and what became of those before it.
fn told(failure: Failure, index: usize, count: usize, journal: Option<&Path>) -> Failure {
    if count == 1 {
        return failure;
    }
    let kept = match journal {
        Some(path) if index > 0 => {
            format!("the {index} before it are in {}, the scene file is as it was", path.display())
        }
        _ => "the scene file is as it was".to_owned(),
    };
    let text = format!("command {} of {count}; {kept}", index + 1);
    match failure {
        Failure::Scene(mut error) => {
            error.name = text;
            Failure::Scene(error)
        }
        Failure::Input(error) => Failure::Input(format!("{error}\n  in {text}")),
        other => other,
    }
}

/// The text of a scene file, after the checks that every command makes.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    match std::fs::metadata(path) {
        Ok(data) if data.is_file() && data.len() <= LARGEST_FILE => {}
        // What cannot be read is told by the reader.
        _ => drop(Scene::load(path)?),
    }
    let bytes =
        std::fs::read(path).map_err(|e| Failure::Input(format!("cannot read {}: {e}", path.display())))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let name = path.display().to_string();
            match Scene::from_bytes(error.as_bytes(), &name) {
                Err(error) => Err(error.into()),
                Ok(_) => Err(Failure::Input(format!("{name} is not UTF-8 text"))),
            }
        }
    }
}

fn read_steps(args: &Edit) -> Result<Vec<Step>, Failure> {
    let Some(path) = &args.script else {
        return args.commands.iter().map(|text| read_step(text)).collect();
    };
    let name = path.display();
    let unreadable = |e: std::io::Error| Failure::Input(format!("cannot read {name}: {e}\n  check the path"));
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(LARGEST_FILE).read_to_string(&mut text).map_err(unreadable)?;
    let lines = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let read = |(i, line): (usize, &str)| {
        read_step(line).map_err(|failure| match failure {
            Failure::Scene(mut error) => {
                error.name = format!("{name}:{}", i + 1);
                Failure::Scene(error)
            }
            other => other,
        })
    };
    let steps: Vec<Step> = lines.map(read).collect::<Result<_, _>>()?;
    if steps.is_empty() {
        return Err(Failure::Input(format!("{name} has no commands\n  write one per line, as JSON")));
    }
    Ok(steps)
}

fn read_step(text: &str) -> Result<Step, Failure> {
    if let Some(import) = Import::from_json(text) {
        return Ok(Step::Import(Box::new(import?)));
    }
    let word = serde_json::from_str::<Value>(text).ok().and_then(|value| match value.as_object() {
        Some(map) if map.len() == 1 => map.get("do").and_then(Value::as_str).map(str::to_owned),
        _ => None,
    });
    match word.as_deref() {
        Some("undo") => Ok(Step::Undo),
        Some("redo") => Ok(Step::Redo),
        _ => Ok(Step::Do(Box::new(Command::from_json(text)?))),
    }
}

/// Writes a scene to a file as a whole.
pub fn write_scene(path: &Path, text: &str) -> Result<(), Failure> {
    let wrong =
        |e: std::io::Error| Failure::Output { path: path.display().to_string(), error: e.to_string() };
    // A new file of a person is open to whom their other files are.
    if !path.exists() {
        return write_file(path, text.as_bytes());
    }
    replace_file(path, text.as_bytes()).map_err(wrong)
}

/// Where cables have chafed on the way, where any has.
fn chafing(session: &Session) -> Option<&Chafing> {
    session.solution().map(|solved| &solved.solution.chafing).filter(|chafing| !chafing.is_empty())
}

/// Files that imports wrote beside the scene. They go again where nothing keeps a scene that names them.
struct Brought {
    files: Vec<PathBuf>,
    notes: Vec<String>,
    keep: bool,
}

impl Drop for Brought {
    fn drop(&mut self) {
        if !self.keep {
            self.files.iter().for_each(|path| drop(std::fs::remove_file(path)));
        }
    }
}

/// What is told beside what commands did.
struct Told<'a> {
    notes: &'a [String],
    damage: Option<&'a Damage>,
    chafing: Option<&'a Chafing>,
}

fn report(outcomes: &[Outcome], target: Option<&Path>, told: &Told, as_json: bool) {
    let Told { notes, damage, chafing } = told;
    if as_json {
        let status = outcomes.last().and_then(|o| o.status.clone());
        let mut all = json!({
            "scene": target.map(|p| p.display().to_string()),
            "steps": outcomes,
            "status": status,
        });
        if !notes.is_empty() {
            all["notes"] = json!(notes);
        }
        if let Some(damage) = damage {
            all["damage"] = damage.to_string().into();
        }
        if let Some(chafing) = chafing {
            all["chafing"] = json!(chafing.places());
        }
        print_json(&all);
        return;
    }
    for (i, outcome) in outcomes.iter().enumerate() {
        for (k, change) in outcome.changes.iter().enumerate() {
            let mark = if k == 0 { format!("{:>3}  ", i + 1) } else { " ".repeat(5) };
            print(&format!("{mark}{change}\n"));
        }
        if let Some(status) = &outcome.status {
            print(&format!("     {status}\n"));
        }
    }
    notes.iter().for_each(|note| print(&format!("note: {note}\n")));
    if let Some(chafing) = chafing {
        chafing_rows(chafing, &mut |name, told| print(&format!("{name}: {told}\n")));
    }
    if let Some(path) = target {
        print(&format!("written to {}\n", path.display()));
    }
    if let Some(damage) = damage {
        print(&format!("{damage}; the file itself is as it was\n"));
    }
}

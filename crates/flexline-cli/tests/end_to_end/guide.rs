//! The guide and the README say what happens: every command in them is run, and where an output is shown, it is the
//! output.

use crate::snapshots::steady;
use crate::studio::Studio;
use crate::support::{Folder, root};
use std::path::{Path, PathBuf};

/// A command of a page, with the output shown below it.
struct Shown {
    page: String,
    words: Vec<String>,
    code: i32,
    output: String,
}

fn pages() -> Vec<PathBuf> {
    let guide = std::fs::read_dir(root().join("docs/guide")).expect("the guide");
    let mut pages: Vec<PathBuf> = guide.map(|e| e.expect("an entry").path()).collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).expect("a page")
}

/// Fenced blocks of one language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).map(|rest| rest.split("```").next().expect("the end of the block")).collect()
}

/// Words as a shell has them: what stands in single quotes is one.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, piece) in line.split('\'').enumerate() {
        if i % 2 == 1 {
            words.push(piece.to_owned());
        } else {
            words.extend(piece.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Commands of the program in a page.
fn commands(page: &str, text: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    for line in blocks(text, "console").into_iter().flat_map(str::lines) {
        if let Some(prompt) = line.strip_prefix("$ ") {
            let (words, comment) = prompt.split_once('#').unwrap_or((prompt, ""));
            let code = comment.split_once("exit code ").map_or("0", |(_, rest)| &rest[..1]);
            shown.push(Shown {
                page: page.to_owned(),
                words: split(words),
                code: code.parse().expect("a digit"),
                output: String::new(),
            });
        } else if let Some(last) = shown.last_mut() {
            last.output += line;
            last.output.push('\n');
        }
    }
    shown.retain(|s| s.words[0] == "flexline");
    shown
}

/// A folder that has the scenes.
fn fresh_folder() -> Folder {
    let folder = Folder::new();
    copy_all(&root().join("scenes"), &folder.path().join("scenes"));
    folder
}

/// Copies a folder with all that is in it.
fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let copy = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_all(&path, &copy);
        } else {
            std::fs::copy(&path, copy).expect("a copy");
        }
    }
}

#[track_caller]
fn runs_as_shown(folder: &Folder, shown: &Shown) {
    let words: Vec<&str> = shown.words[1..].iter().map(String::as_str).collect();
    let outcome = folder.flexline(&words).expect(shown.code);
    if !shown.output.is_empty() {
        let real = steady(&(outcome.stdout + &outcome.stderr));
        assert_eq!(real.trim_end(), steady(&shown.output).trim_end(), "{}: {words:?}", shown.page);
    }
}

#[test]
fn every_command_shown_runs() {
    let folder = fresh_folder();
    let (mut count, mut compared) = (0, 0);
    for path in pages() {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        // One is run by the test below, the other shows what was measured, for hours.
        if ["worked-example.md", "results.md"].contains(&name.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a page");
        let all = commands(&name, &text);
        let prompts = text.lines().filter(|line| line.starts_with("$ flexline")).count();
        // What was measured stands in blocks of `text`.
        let lines = blocks(&text, "text").into_iter().flat_map(str::lines);
        let measured = lines.filter(|line| line.starts_with("$ flexline bench")).count();
        assert_eq!(
            all.len() + measured,
            prompts,
            "{name}: commands stand in blocks of the language `console`"
        );
        for mut shown in all {
            // What takes minutes is asked only whether it exists.
            if shown.words.len() == 2 && ["validate", "bench", "stress"].contains(&shown.words[1].as_str()) {
                shown.words.push("--help".into());
            }
            // It goes on until it is ended, and the address of the example is of another machine.
            if shown.words[1] == "studio" {
                let words: Vec<&str> = shown.words[2..].iter().map(String::as_str).collect();
                if !words.contains(&"--listen") {
                    drop(Studio::start(&folder, &words));
                }
                continue;
            }
            compared += usize::from(!shown.output.is_empty());
            runs_as_shown(&folder, &shown);
            count += 1;
        }
    }
    assert!(count > 60 && compared >= 3, "{count} commands, {compared} with their output");
}

#[test]
fn the_worked_example_is_true() {
    let text = read("docs/guide/worked-example.md");
    let scene = blocks(&text, "toml")[0];
    let turned = scene.replace("up = [0, -1, 0]", "up = [0, 1, 0]");
    assert_ne!(turned, scene);
    let raised = |height: &str| turned.replace("\"350 mm\"", height);
    let desk = blocks(&text, "toml")[1];
    let on_a_desk = |length: &str| format!("{}\n{desk}", turned.replace("\"600 mm\"", length));
    let versions = [
        scene.to_owned(),
        turned.clone(),
        turned.clone(),
        turned.clone(),
        raised("\"510 mm\""),
        raised("\"530 mm\""),
        on_a_desk("\"600 mm\""),
    ];
    let folder = Folder::new();
    let shown = commands("worked-example.md", &text);
    assert_eq!(shown.len(), versions.len());
    for (shown, version) in shown.iter().zip(&versions) {
        folder.write("monitor-cable.toml", version);
        runs_as_shown(&folder, shown);
    }
    // What the prose says about other heights, the desk, and the guessed stiffness.
    let check = |scene: &str| folder.flexline(&["check", &folder.write("other.toml", scene)]).good().stdout;
    assert!(check(&raised("\"505 mm\"")).contains("warn: bend radius"));
    assert!(!check(&raised("\"500 mm\"")).contains("warn"));
    let lowest = |scene: &str| {
        let out = folder.file("other.csv");
        folder.flexline(&["solve", &folder.write("other.toml", scene), "--out", &out]).good();
        let csv = std::fs::read_to_string(out).expect("the solution");
        let heights = csv.lines().skip(1).map(|l| l.split(',').nth(3).expect("z").parse::<f64>().expect("z"));
        (1e3 * heights.fold(f64::INFINITY, f64::min)).round()
    };
    assert_eq!(lowest(&turned), -3.0);
    assert_eq!(lowest(&turned.replace("\"600 mm\"", "\"1 m\"")), -219.0);
    assert_eq!(lowest(&on_a_desk("\"1 m\"")), 2.0);
    let lying = check(&on_a_desk("\"1000 mm\""));
    assert!(lying.contains("126.1 mm") && lying.contains("119.0 °/m"), "{lying}");
    for guess in ["0.3e-3", "1.2e-3"] {
        let told = check(&turned.replace("twist = \"0.6e-3", &format!("twist = \"{guess}")));
        let twist = told.lines().find_map(|l| l.strip_prefix("twist")).expect("a twist");
        let value: f64 = twist.split_whitespace().nth(1).expect("a value").parse().expect("a number");
        assert!((value - 50.2).abs() < 1.0, "{value}");
    }
}

#[test]
fn exit_codes_are_documented() {
    let text = read("docs/guide/exit-codes.md");
    for code in [0, 1, 2, 3, 4, 6] {
        assert!(text.contains(&format!("\n| {code} | ")), "{code}");
    }
    let help = crate::support::flexline(&["--help"]).good().stdout.replace('\n', " ");
    for code in
        ["0 good", "1 the answer is no", "2 command line", "3 input", "4 output", "6 a rule of `check`"]
    {
        assert!(help.contains(code), "{code}");
    }
}

//! What is said about files that cannot be scenes at all.

use flexline_scene::{Code, LARGEST_FILE, Scene, SceneError};
use std::path::{Path, PathBuf};

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("flexline-scene-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The only mistake: its code, message and help, the folder left out.
#[track_caller]
fn told(result: Result<Scene, SceneError>, folder: &Path) -> (Code, String) {
    let error = result.expect_err("not a scene");
    assert_eq!(error.diagnostics.len(), 1, "{error}");
    let d = &error.diagnostics[0];
    let text = format!("{}; {}", d.message, d.help.as_deref().unwrap_or("-"));
    (d.code, text.replace(&format!("{}/", folder.display()), ""))
}

#[test]
fn missing_file_with_a_near_name() {
    let folder = Folder::new("near");
    folder.file("brake-hose.toml", b"");
    let (code, text) = told(Scene::load(folder.0.join("brake_hose.tml")), &folder.0);
    assert_eq!(code, Code::Unreadable);
    assert_eq!(text, "cannot read brake_hose.tml: there is no such file; did you mean brake-hose.toml?");
}

#[test]
fn missing_file_without_a_near_name() {
    let folder = Folder::new("far");
    folder.file("ring.toml", b"");
    folder.file("hair.toml", b"");
    let (_, text) = told(Scene::load(folder.0.join("something-else.toml")), &folder.0);
    assert_eq!(
        text,
        "cannot read something-else.toml: there is no such file; scene files there: hair.toml, ring.toml"
    );
}

#[test]
fn missing_folder() {
    let folder = Folder::new("folder");
    let (_, text) = told(Scene::load(folder.0.join("nowhere/ring.toml")), &folder.0);
    assert_eq!(text, "cannot read nowhere/ring.toml: there is no folder nowhere; check the path");
}

#[test]
fn folder_instead_of_file() {
    let folder = Folder::new("dir");
    let error = Scene::load(&folder.0).unwrap_err();
    assert!(error.is_unreadable() && error.to_string().contains("is a folder"), "{error}");
}

#[test]
fn not_utf8() {
    let folder = Folder::new("latin1");
    let path = folder.file("latin1.toml", b"version = 1\ntitle = \"M\xfcller\"\n");
    let (code, text) = told(Scene::load(path), &folder.0);
    assert_eq!(code, Code::NotText);
    assert_eq!(
        text,
        "latin1.toml is not UTF-8 text: byte 22 (0xfc, line 2); save it as UTF-8 text; is it the right file?"
    );
}

#[test]
fn utf16() {
    let folder = Folder::new("utf16");
    let path = folder.file("wide.toml", b"\xff\xfev\0e\0r\0");
    let (_, text) = told(Scene::load(path), &folder.0);
    assert_eq!(
        text,
        "wide.toml is not UTF-8 text: byte 0 (0xff, line 1); it looks like UTF-16; save it as UTF-8"
    );
}

#[test]
fn binary_that_happens_to_be_utf8() {
    let (code, _) = told(Scene::from_bytes(b"version = 1\n\0\0\0", "x"), Path::new(""));
    assert_eq!(code, Code::NotText);
}

#[test]
fn hundred_megabytes_are_refused_by_their_size() {
    let folder = Folder::new("large");
    let path = folder.file("large.toml", b"");
    // Sparse: nothing of it is written, and nothing of it may be read.
    std::fs::File::options().write(true).open(&path).unwrap().set_len(100 << 20).unwrap();
    let (code, text) = told(Scene::load(path), &folder.0);
    assert_eq!(code, Code::TooLarge);
    assert_eq!(
        text,
        "large.toml is 100.0 MiB large; expected a scene file of at most 16 MiB; is it the right file?"
    );
    let text = " ".repeat(LARGEST_FILE as usize + 1);
    assert_eq!(told(Scene::parse(&text, "x"), Path::new("")).0, Code::TooLarge);
}

#[test]
fn megabytes_of_nonsense_are_told_in_few_lines() {
    for piece in ["[", "=\n", "a.", "[a]\n", "x = [{a=", "\"", "é", "k = 1\n", "[[cable.zone]]\n", "'''"] {
        let text = piece.repeat((1 << 20) / piece.len());
        let message = Scene::parse(&text, "x").expect_err(piece).to_string();
        assert!(message.len() < 20_000, "{piece:?}: {} bytes", message.len());
    }
}

#[test]
fn a_million_unknown_keys_are_counted_not_listed() {
    use std::fmt::Write;
    let mut text = String::from("version = 1\n");
    for i in 0..200_000 {
        writeln!(text, "key{i} = 1").unwrap();
    }
    let error = Scene::parse(&text, "x").unwrap_err();
    assert_eq!(error.diagnostics.len(), 20);
    // 200,000 unknown keys and three missing tables, less the twenty shown.
    assert_eq!(error.more, 200_003 - 20);
}

#[test]
fn deep_nesting_is_refused() {
    for text in [
        format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{}a = 1", "a.".repeat(100_000)),
        format!("[{}a]", "a.".repeat(100_000)),
    ] {
        let error = Scene::parse(&text, "x").unwrap_err();
        assert_eq!(error.diagnostics[0].code, Code::Syntax, "{error}");
    }
}

#[test]
fn a_byte_order_mark_is_no_mistake() {
    let text = format!(
        "\u{feff}{}",
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/ring.toml")).unwrap()
    );
    assert!(Scene::parse(&text, "x").is_ok());
}

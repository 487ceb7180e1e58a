//! What is kept: saving destroys nothing, a damaged journal is salvaged, and nobody else on the machine reads it.

use crate::support::{Folder, Running, config, scene};
use flexline_server::{First, Source};
use serde_json::json;
use std::path::Path;

/// A scene file of a person, opened as the command does.
fn file(path: &Path, write: bool) -> First {
    let text = std::fs::read_to_string(path).unwrap();
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let source = Source { name: path.display().to_string(), text, is_file: true };
    First { name, source, write: write.then(|| path.to_owned()) }
}

fn longer(by: &str) -> serde_json::Value {
    json!({ "op": "command", "command": { "do": "prolong", "cable": "brake hose", "by": by } })
}

/// `studio mine.toml --folder .` and `save` replaced `mine.toml` without `--write`.
#[tokio::test(flavor = "multi_thread")]
async fn files_of_others_are_not_replaced() {
    let folder = Folder::new();
    let path = folder.0.join("mine.toml");
    let text = flexline_server::gallery_text("brake-hose").unwrap();
    std::fs::write(&path, &text).unwrap();
    let studio = Running::start(config(&folder.0, Some(file(&path, false)))).await;
    let mut client = studio.client_of("mine").await;
    client.ok(longer("20 mm")).await;
    let saved = client.ok(json!({ "op": "save" })).await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "the file itself is as it was");
    assert_eq!(saved["file"], json!(folder.0.join("mine-2.toml")));
    assert!(saved["why"].as_str().unwrap().contains("is not of this session"), "{saved}");
    // Its own copy it replaces, in this run and in the next.
    client.ok(longer("1 mm")).await;
    assert_eq!(client.ok(json!({ "op": "save" })).await["file"], saved["file"]);
    drop(client);
    studio.end().await;
    let studio = Running::start(config(&folder.0, Some(file(&path, false)))).await;
    let mut client = studio.client_of("mine").await;
    client.ok(longer("1 mm")).await;
    assert_eq!(client.ok(json!({ "op": "save" })).await["file"], saved["file"]);
    assert!(std::fs::read_to_string(folder.0.join("mine-2.toml")).unwrap().contains("402 mm"));
    // Under another name, where nothing is.
    let other = client.ok(json!({ "op": "save", "name": "other" })).await;
    assert_eq!(other["file"], json!(folder.0.join("other.toml")));
    let taken = client.ok(json!({ "op": "save", "name": "mine" })).await;
    assert!(
        taken["file"].is_null() && taken["why"].as_str().unwrap().contains("choose another name"),
        "{taken}"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "it is asked first");
    // After a question it is replaced, and is a file of this session from then on.
    let replaced = client.ok(json!({ "op": "save", "name": "mine", "replace": true })).await;
    assert_eq!(replaced["file"], json!(path));
    assert!(std::fs::read_to_string(&path).unwrap().contains("402 mm"));
    assert_eq!(client.ok(json!({ "op": "save", "name": "mine" })).await["file"], json!(path));
    assert!(client.refused(json!({ "op": "save", "name": "../x" })).await.contains("is no name"));
    // A scene of the gallery and a file of its name that somebody else wrote.
    std::fs::write(folder.0.join("cantilever.toml"), "mine").unwrap();
    studio.send("POST", "/api/sessions", br#"{"gallery": "cantilever"}"#).await;
    let saved = studio.client_of("cantilever").await.ok(json!({ "op": "save" })).await;
    assert_eq!(saved["file"], json!(folder.0.join("cantilever-2.toml")));
    assert_eq!(std::fs::read_to_string(folder.0.join("cantilever.toml")).unwrap(), "mine");
    studio.end().await;
}

/// With `--write` a change that an editor made meanwhile was overwritten, and mode 600 became 644.
#[tokio::test(flavor = "multi_thread")]
async fn changes_of_others_are_not_overwritten() {
    let folder = Folder::new();
    let path = folder.0.join("hose.toml");
    std::fs::write(&path, flexline_server::gallery_text("brake-hose").unwrap()).unwrap();
    private(&path);
    let data = folder.0.join("data");
    let studio = Running::start(config(&data, Some(file(&path, true)))).await;
    let mut client = studio.client_of("hose").await;
    for by in ["20 mm", "1 mm"] {
        client.ok(longer(by)).await;
        assert_eq!(client.ok(json!({ "op": "save" })).await["file"], json!(path));
    }
    let own = std::fs::read_to_string(&path).unwrap();
    assert!(own.contains("401 mm"), "{own}");
    assert_eq!(mode(&path), 0o600);
    drop(client);
    studio.end().await;
    // What it wrote itself is no change of others, in the next run either.
    let studio = Running::start(config(&data, Some(file(&path, true)))).await;
    let mut client = studio.client_of("hose").await;
    client.ok(longer("1 mm")).await;
    assert!(
        !client.events.iter().any(|e| e.to_string().contains("was changed since")),
        "{:?}",
        client.events
    );
    client.ok(json!({ "op": "save" })).await;
    let edited = own + "\n# by hand\n";
    std::fs::write(&path, &edited).unwrap();
    let told = client.refused(json!({ "op": "save" })).await;
    assert!(told.contains("was changed by something else") && told.contains("another name"), "{told}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), edited);
    client.ok(json!({ "op": "save", "name": "hose-mine" })).await;
    assert!(std::fs::read_to_string(data.join("hose-mine.toml")).unwrap().contains("402 mm"));
    studio.end().await;
}

/// A damaged journal was passed over without a word, and a fresh session begun.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_journal_is_salvaged_and_told() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    for by in ["20 mm", "1 mm", "2 mm"] {
        client.ok(longer(by)).await;
    }
    drop(client);
    studio.end().await;
    let journal = folder.0.join("brake-hose.journal");
    let good = std::fs::read_to_string(&journal).unwrap();
    let damaged = good.replace("1 mm", "7 mm");
    assert_ne!(good, damaged);
    std::fs::write(&journal, &damaged).unwrap();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    let told = client.event(|e| e["event"] == "notice" && e.to_string().contains("damaged")).await;
    let told = told["message"].as_str().unwrap();
    assert!(told.contains("line 3") && told.contains("it and 1 behind it are left out"), "{told}");
    let aside = folder.0.join("brake-hose.journal.damaged");
    assert!(told.contains(&aside.display().to_string()), "{told}");
    assert_eq!(std::fs::read_to_string(&aside).unwrap(), damaged);
    let frame = client.frame(|_| true).await;
    assert!((frame.points[100][3] - 0.40).abs() < 1e-6, "as before the damage");
    let (_, sessions) = studio.get_json("/api/sessions").await;
    assert_eq!(sessions.as_array().unwrap().len(), 1, "{sessions}");
    drop(client);
    studio.end().await;
    // Without its first line nothing can be restored; that is told as well, and the file kept.
    let rest = good.split_once('\n').unwrap().1;
    std::fs::write(&journal, rest).unwrap();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    let told = client.event(|e| e["event"] == "notice").await;
    assert!(told["message"].as_str().unwrap().contains("damaged in its first line"), "{told}");
    let aside = folder.0.join("brake-hose.journal.unreadable-1");
    assert_eq!(std::fs::read_to_string(aside).unwrap(), rest);
    let (_, sessions) = studio.get_json("/api/sessions").await;
    assert_eq!(sessions.as_array().unwrap().len(), 1, "{sessions}");
    studio.end().await;
}

/// Journals and saved scenes could be read by everybody on the machine.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_reads_what_is_kept() {
    let folder = Folder::new();
    let data = folder.0.join("new/data");
    let mut first = config(&data, Some(scene("brake-hose")));
    first.token = true;
    let studio = Running::start(first).await;
    let token = studio.url.split("token=").nth(1).unwrap().to_owned();
    let origin = format!("http://{}", studio.address);
    let path = format!("/ws?session=brake-hose&token={token}");
    let mut client = studio.connect(&path, Some(&origin)).await.unwrap();
    client.ok(longer("1 mm")).await;
    client.ok(json!({ "op": "save" })).await;
    let mesh = format!("/api/sessions/brake-hose/mesh?token={token}");
    let (_, added) = studio.send("POST", &mesh, b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").await;
    let mesh = format!("brake-hose.meshes/{}", added["mesh"].as_str().unwrap());
    drop(client);
    studio.end().await;
    assert_eq!((mode(&data), mode(&data.join("brake-hose.meshes"))), (0o700, 0o700));
    for file in ["brake-hose.journal", "brake-hose.toml", "brake-hose.checkpoint", "token", &mesh] {
        assert_eq!(mode(&data.join(file)), 0o600, "{file}");
    }
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[cfg(unix)]
fn private(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

#[cfg(not(unix))]
fn mode(_: &Path) -> u32 {
    0o600
}

#[cfg(not(unix))]
fn private(_: &Path) {}

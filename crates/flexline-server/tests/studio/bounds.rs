//! Whatever is solved ends, and nobody waits for what others have solved.

use crate::support::{Folder, Running, config, scene};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// What ends a solve at once takes far less than this, and what a solve may take far more.
const SOON: Duration = Duration::from_secs(4);

/// A scene whose solver would go on for hours.
fn endless(mark: usize) -> String {
    let hose = flexline_server::gallery_text("brake-hose").unwrap();
    format!(
        "{hose}\n[solve]\nmethod = \"integral-forces\"\nalpha = 0.001\ntolerance = 1.1e-15\niterations = 1000000\n# {mark}\n"
    )
}

fn opening(mark: usize) -> Vec<u8> {
    json!({ "name": format!("endless-{mark}"), "text": endless(mark) }).to_string().into_bytes()
}

/// A change after which the brake hose is never solved to its end.
fn endless_change() -> Value {
    let set = |key: &str, value: Value| json!({ "do": "set", "kind": "solve", "key": key, "value": value });
    json!({ "do": "all", "of": [
        set("method", json!("integral-forces")),
        set("alpha", json!(0.001)),
        set("tolerance", json!(1.1e-15)),
        set("iterations", json!(1_000_000)),
    ] })
}

/// Begins to open a scene that is never solved to its end, and does not wait for the answer.
async fn ask_and_go_on(studio: &Running, mark: usize) -> TcpStream {
    let body = opening(mark);
    let mut stream = TcpStream::connect(&studio.address).await.unwrap();
    let head = format!(
        "POST /api/sessions HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n",
        studio.address,
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&body).await.unwrap();
    stream
}

/// An endless solve kept everybody from opening anything and from the list of sessions, and did not end.
#[tokio::test(flavor = "multi_thread")]
async fn an_endless_scene_keeps_nobody_waiting() {
    let folder = Folder::new();
    let studio = Running::start(config(&folder.0, None)).await;
    let endless = ask_and_go_on(&studio, 0).await;
    let (status, opened) = studio.send("POST", "/api/sessions", br#"{"gallery": "brake-hose"}"#).await;
    assert_eq!((status, &opened["session"]), (200, &json!("brake-hose")));
    assert_eq!(studio.get("/api/sessions").await.0, 200);
    drop(endless);
    // Somebody who waits is answered with what there is when the time is up.
    let (status, opened) = studio.send("POST", "/api/sessions", &opening(0)).await;
    assert_eq!((status, &opened["session"]), (200, &json!("endless-0")));
    let mut client = studio.client_of("endless-0").await;
    let frame = client.frame(|_| true).await;
    assert_eq!(frame.trailer["status"], "out_of_time");
    studio.end().await;
}

/// Openings whose askers had gone went on, each on a thread of its own: 24 of them were 27 threads and 2 GiB.
#[tokio::test(flavor = "multi_thread")]
async fn openings_end_with_their_askers() {
    let folder = Folder::new();
    let studio = Running::start(config(&folder.0, None)).await;
    let mut gone = Vec::new();
    for mark in 0..24 {
        gone.push(ask_and_go_on(&studio, mark).await);
    }
    // They are all inside before they go.
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(gone);
    let (status, _) = studio.send("POST", "/api/sessions", br#"{"gallery": "brake-hose"}"#).await;
    assert_eq!(status, 200);
    // By the time that one of them has run to its end the others would have, too, and begun their journals.
    assert_eq!(studio.send("POST", "/api/sessions", &opening(24)).await.0, 200);
    let names = std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name());
    let mut journals: Vec<_> = names.filter(|name| name.to_string_lossy().ends_with(".journal")).collect();
    journals.sort();
    assert_eq!(journals, ["brake-hose.journal", "endless-24.journal"]);
    studio.end().await;
}

/// Dropping a session waited for its engine under the lock of all sessions, and so did ending the server.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_dropped_while_it_solves() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    client.say(&json!({ "op": "command", "id": 1, "command": endless_change() }).to_string()).await;
    // The engine has it in hand, and its client goes.
    tokio::time::sleep(Duration::from_millis(200)).await;
    drop(client);
    let begun = Instant::now();
    let text = flexline_server::gallery_text("cantilever").unwrap();
    for i in 0..17 {
        let body = json!({ "name": format!("other-{i}"), "text": text }).to_string();
        let (status, answer) = studio.send("POST", "/api/sessions", body.as_bytes()).await;
        assert_eq!(status, 200, "{answer}");
        assert_eq!(studio.get("/api/sessions").await.0, 200);
    }
    assert!(begun.elapsed() < 3 * SOON, "{:?}", begun.elapsed());
    let begun = Instant::now();
    studio.end().await;
    assert!(begun.elapsed() < SOON, "{:?}: it ends at once", begun.elapsed());
}

/// A change whose asker had gone was solved as long as one may be, and kept; whoever came next waited for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_cancelled_when_the_only_one_here_goes() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    client.scene(|_| true).await;
    client.say(&json!({ "op": "command", "id": 1, "command": endless_change() }).to_string()).await;
    // What follows it does not hide that the client has gone.
    client.say(&json!({ "op": "drag", "hand": 0, "to": [0, 0, 0], "stamp": 1 }).to_string()).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(client);
    let mut next = studio.client().await;
    next.ok(json!({ "op": "checks" })).await;
    // Asked after it, and answered after it.
    let scene = next.command(json!({ "do": "prolong", "cable": "brake hose", "by": "1 mm" })).await;
    assert_eq!(scene["status"], "converged", "{scene}");
    let scene = next.scene(|scene| scene["undo"] != 0).await;
    assert_eq!(scene["undo"], 1, "it was cancelled: nothing of it is kept");
    assert!(!scene["text"].as_str().unwrap().contains("integral-forces"), "{}", scene["text"]);
    studio.end().await;
}

/// With somebody else in the session a change is done to its end: what that one holds stays in hand.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_goes_on_while_others_are_here() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let (mut client, mut other) = (studio.client().await, studio.client().await);
    client.scene(|_| true).await;
    other.ok(json!({ "op": "checks" })).await;
    client.say(&json!({ "op": "command", "id": 1, "command": endless_change() }).to_string()).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(client);
    let scene = other.scene(|scene| scene["undo"] != 0).await;
    assert_eq!(scene["undo"], 1);
    studio.end().await;
}

/// The server did not end while anything was being solved.
#[tokio::test(flavor = "multi_thread")]
async fn the_server_ends_while_it_solves() {
    let folder = Folder::new();
    let studio = Running::start(config(&folder.0, None)).await;
    let waiting = ask_and_go_on(&studio, 0).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(waiting.try_read(&mut [0; 100]).is_err(), "no answer yet: it solves");
    let begun = Instant::now();
    studio.end().await;
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

/// Every hand on a cable is a clip that is solved with: 50 of them took a minute.
#[tokio::test(flavor = "multi_thread")]
async fn hands_on_cables_are_bounded() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut clients = Vec::new();
    let mut held = 0;
    let mut told = String::new();
    for c in 0..3 {
        let mut client = studio.client().await;
        for hand in 0..8 {
            let at = 0.014 * f64::from(8 * c + hand + 1);
            let grab = json!({ "op": "grab", "hand": hand, "cable": "brake hose", "at": at });
            let answer = client.ask(grab).await;
            match answer["error"]["message"].as_str() {
                Some(message) => message.clone_into(&mut told),
                None => held += 1,
            }
        }
        clients.push(client);
    }
    assert_eq!(held, 16);
    assert!(told.contains("16 hands hold places of cables"), "{told}");
    clients[2].command(json!({ "do": "prolong", "cable": "brake hose", "by": "1 mm" })).await;
    studio.end().await;
}

/// A hundred thousand cables were read to the last before they were refused.
#[tokio::test(flavor = "multi_thread")]
async fn crowds_of_cables_are_refused_before_they_are_read() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut text = String::from("version = 1\n");
    for i in 0..100_000 {
        text += &format!("[[cable]]\nname = \"c{i}\"\nfrom = \"a\"\nto = \"b\"\nlength = \"1 m\"\n");
    }
    let body = json!({ "name": "crowd", "text": text }).to_string();
    let (status, answer) = studio.send("POST", "/api/sessions", body.as_bytes()).await;
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(status == 409 && message.contains("has 100000 tables"), "{status} {message}");
    studio.end().await;
}

/// Reopening solved every entry of the journal.
#[tokio::test(flavor = "multi_thread")]
async fn long_sessions_come_back_in_one_solve() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    for k in 0..100 {
        let to = [0.15, 0.205, -0.11 + 1e-4 * f64::from(k)];
        client.command(json!({ "do": "move", "name": "end", "to": to })).await;
    }
    drop(client);
    studio.end().await;
    // What was solved leaves its shape; without the text of the journal it stands for nothing.
    let beside = folder.0.join("brake-hose.checkpoint");
    let checkpoint: Value = serde_json::from_str(&std::fs::read_to_string(&beside).unwrap()).unwrap();
    assert_eq!(checkpoint["entry"]["entries"], 100);
    let studio = Running::start(config(&folder.0, Some(scene("brake-hose")))).await;
    let mut client = studio.client().await;
    let back = client.scene(|_| true).await;
    assert_eq!((&back["undo"], &back["redo"]), (&json!(100), &json!(0)));
    client.ok(json!({ "op": "revert" })).await;
    let first = client.scene(|s| s["undo"] == 0).await;
    assert_eq!(
        (&first["redo"], first["text"].as_str()),
        (&json!(100), Some(&*scene("brake-hose").source.text))
    );
    studio.end().await;
}

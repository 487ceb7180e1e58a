//! What a running studio says is of the types that the page was told.

use crate::declaration::{Declaration, Type, find};
use crate::support::{Client, Folder, Running, config, scene};
use crate::types;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Compares a value with the type of that name.
fn fits(all: &[Declaration], name: &str, value: &Value) {
    let own = find(all, name).unwrap_or_else(|| panic!("{name} is not declared"));
    if let Err(error) = own.value.mismatch(value, all) {
        panic!("{name}: {error}");
    }
}

/// The type that an `op` is answered with.
fn answer<'a>(all: &'a [Declaration], op: &str) -> &'a Type {
    let Some(Type::Object(fields)) = find(all, "Answers").map(|own| &own.value) else { panic!("no answers") };
    &fields.iter().find(|field| field.key == op).unwrap_or_else(|| panic!("{op} has no answer")).value
}

/// Asks for what must be done, and compares request and answer with their types.
async fn ask(
    client: &mut Client,
    asked: &mut BTreeSet<String>,
    all: &[Declaration],
    request: Value,
) -> Value {
    fits(all, "Op", &request);
    let op = request["op"].as_str().expect("an op").to_owned();
    let reply = client.ask(request).await;
    fits(all, "Reply", &reply);
    assert!(reply.get("error").is_none(), "{reply}");
    if let Err(error) = answer(all, &op).mismatch(&reply["ok"], all) {
        panic!("{op}: {error}");
    }
    asked.insert(op);
    reply["ok"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_is_of_the_types() {
    let all = types::all();
    let folder = Folder::new();
    let studio = Running::start(config(&folder.0, Some(scene("control-unit")))).await;
    let mut client = studio.client_of("control-unit").await;
    let mut other = studio.client_of("control-unit").await;
    let shown = client.scene(|_| true).await;
    let (cable, port) = (&shown["cables"][0]["name"], &shown["things"][0]["name"]);
    let longer = json!({ "do": "prolong", "cable": cable, "by": "5 mm" });
    let mut asked = BTreeSet::new();
    for request in [
        json!({ "op": "ping" }),
        json!({ "op": "checks" }),
        json!({ "op": "command", "command": longer }),
        json!({ "op": "undo" }),
        json!({ "op": "redo" }),
        json!({ "op": "revert" }),
        json!({ "op": "preview", "command": longer }),
        json!({ "op": "end-preview", "keep": false }),
        json!({ "op": "preview", "command": longer }),
        json!({ "op": "end-preview", "keep": true }),
        json!({ "op": "grab", "hand": 1, "cable": cable, "at": 0.1 }),
        json!({ "op": "drop", "hand": 1 }),
        json!({ "op": "grab", "hand": 0, "name": port }),
    ] {
        ask(&mut client, &mut asked, &all, request).await;
    }
    let drag = json!({ "op": "drag", "hand": 0, "to": [0.0, 0.0, 0.1], "frame": [0, 0, 0, 1], "stamp": 3 });
    fits(&all, "Op", &drag);
    client.say(&drag.to_string()).await;
    for request in [
        json!({ "op": "drop", "hand": 0, "keep": false }),
        json!({ "op": "save", "name": "saved" }),
        json!({ "op": "save", "name": "saved", "replace": true }),
        json!({ "op": "save" }),
        json!({ "op": "mode", "mode": "dynamics", "playing": false, "step": 0.01, "drag": 0.1, "delay": 0.01 }),
        json!({ "op": "record", "on": true }),
        json!({ "op": "step" }),
        json!({ "op": "step" }),
        json!({ "op": "release", "name": "unit" }),
        json!({ "op": "record", "on": false }),
        json!({ "op": "scrub", "frame": 0 }),
    ] {
        ask(&mut client, &mut asked, &all, request).await;
    }
    let scrubbed = client.frame(|frame| frame.trailer["scrub"] == 0).await;
    assert!(scrubbed.trailer["energy"].is_object() && scrubbed.trailer["time"].is_number());
    fits(&all, "Trailer", &scrubbed.trailer);
    ask(&mut client, &mut asked, &all, json!({ "op": "scrub", "frame": null })).await;
    ask(&mut client, &mut asked, &all, json!({ "op": "rewind" })).await;
    let Some(Type::Object(answers)) = find(&all, "Answers").map(|own| own.value.clone()) else { panic!() };
    assert_eq!(asked, answers.into_iter().map(|field| field.key).collect(), "everything was asked");

    fits(&all, "Reply", &client.ask(json!({ "op": "nothing" })).await);
    // What the other one heard meanwhile.
    let told = |other: &Client, word: &str| other.events.iter().any(|event| event["event"] == word);
    while !["scene", "checks", "did", "clients"].iter().all(|word| told(&other, word)) {
        other.hear().await.expect("an open connection");
    }
    for event in other.events.iter().chain(&client.events) {
        fits(&all, "ServerEvent", event);
    }
    for frame in other.frames.iter().chain(&client.frames) {
        fits(&all, "Trailer", &frame.trailer);
    }
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_http_answers_is_of_the_types() {
    let all = types::all();
    let folder = Folder::new();
    let studio = Running::start(config(&folder.0, Some(scene("brake-hose")))).await;
    fits(&all, "About", &studio.get_json("/api/about").await.1);
    for (path, name) in
        [("/api/gallery", "GalleryEntry"), ("/api/materials", "Material"), ("/api/sessions", "SessionEntry")]
    {
        let (_, list) = studio.get_json(path).await;
        let list = list.as_array().expect("a list");
        assert!(!list.is_empty());
        list.iter().for_each(|entry| fits(&all, name, entry));
    }
    let begin = json!({ "gallery": "cantilever" });
    fits(&all, "Begin", &begin);
    let (_, began) = studio.send("POST", "/api/sessions", begin.to_string().as_bytes()).await;
    fits(&all, "Began", &began);
    let corner = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let (_, mesh) = studio.send("POST", "/api/sessions/brake-hose/mesh?name=corner", corner).await;
    fits(&all, "MeshAdded", &mesh);
    let points = b"x [mm] y [mm] z [mm] radius [mm]\n0 0 0 2\n50 0 0 2\n100 9 0 2\n";
    let (_, lines) =
        studio.send("POST", "/api/sessions/brake-hose/centreline?material=epdm-60", points).await;
    fits(&all, "CablesFound", &lines);
    assert_eq!(
        (lines["commands"].as_array().map(Vec::len), &lines["needs"]),
        (Some(3), &json!([])),
        "{lines}"
    );
    let mut client = studio.client().await;
    let welcome = client.event(|_| true).await;
    fits(&all, "ServerEvent", &welcome);
    let with = json!({ "mesh": mesh["mesh"], "unit": "mm", "position": [0, 0, -9] });
    client.ok(json!({ "op": "command", "command": { "do": "add", "kind": "obstacle", "with": with } })).await;
    let shown = client.event(|event| event["scene"]["obstacles"][0]["mesh"].is_string()).await;
    fits(&all, "ServerEvent", &shown);
    let (status, refused) = studio.get_json("/api/gallery/nothing.svg").await;
    assert_eq!(status, 404);
    fits(&all, "Failure", &refused);
    studio.end().await;
}

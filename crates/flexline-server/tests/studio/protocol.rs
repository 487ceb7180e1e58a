//! Requests, events, frames, files: what `PROTOCOL.md` promises.

use crate::support::{Folder, Frame, Running, config, scene};
use serde_json::json;

/// A change of the length of the hose.
fn longer(by: &str) -> serde_json::Value {
    json!({ "do": "prolong", "cable": "brake hose", "by": by })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_welcomed_and_sees_what_it_does() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    assert!(studio.url.ends_with("/?session=brake-hose"));
    let mut client = studio.client().await;
    let welcome = client.event(|_| true).await;
    assert_eq!((&welcome["event"], &welcome["session"]), (&json!("welcome"), &json!("brake-hose")));
    let first = client.scene(|_| true).await;
    assert_eq!(
        (&first["undo"], &first["mode"], &first["single"]),
        (&json!(0), &json!("statics"), &json!(true))
    );
    let frame = client.frame(|_| true).await;
    assert_eq!(u64::from(frame.revision), first["revision"].as_u64().unwrap());
    assert_eq!((frame.nodes, frame.poses), (101, first["things"].as_array().unwrap().len()));
    assert_eq!(frame.trailer["status"], "converged");
    let before = frame.number;
    assert!((frame.points[100][3] - 0.38).abs() < 1e-6, "arc length of the last node");

    let done = client.command(longer("20 mm")).await;
    assert!(done["changes"][0].as_str().unwrap().contains("brake hose"), "{done}");
    let did = client.event(|e| e["event"] == "did").await;
    assert_eq!((&did["verb"], &did["client"]), (&json!("prolong"), &welcome["client"]));
    let changed = client.scene(|s| s["undo"] == 1).await;
    let revision = changed["revision"].as_u64().unwrap();
    assert!(revision > first["revision"].as_u64().unwrap());
    let frame = client.frame(|f| u64::from(f.revision) == revision).await;
    assert!((frame.points[100][3] - 0.40).abs() < 1e-6 && frame.number > before);
    assert!(changed["text"].as_str().unwrap().contains("length = \"400 mm\""), "{}", changed["text"]);

    client.ok(json!({ "op": "undo" })).await;
    let back = client.scene(|s| s["redo"] == 1).await;
    assert_eq!(back["text"], first["text"]);
    assert_eq!(client.refused(json!({ "op": "undo" })).await, "there is nothing to undo");
    client.ok(json!({ "op": "redo" })).await;
    client.command(longer("1 mm")).await;
    client.ok(json!({ "op": "revert" })).await;
    let reverted = client.scene(|s| s["undo"] == 0 && s["redo"] == 2).await;
    assert_eq!(reverted["text"], first["text"]);
    let findings = client.ok(json!({ "op": "checks" })).await;
    assert!(
        findings.as_array().unwrap().iter().any(|f| f["rule"] == "bend_radius" && f["unit"].is_string()),
        "{findings}"
    );
    client.event(|e| e["event"] == "checks" && e["findings"] == findings).await;
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hands_lead_and_only_the_newest_place_counts() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    let number = client.event(|e| e["event"] == "welcome").await["client"].to_string();
    let held = client.ok(json!({ "op": "grab", "hand": 2, "name": "end" })).await;
    let from: Vec<f64> = serde_json::from_value(held["position"].clone()).unwrap();
    let holds = client.event(|e| e["event"] == "clients" && e["hands"] != json!([])).await;
    assert_eq!((&holds["hands"][0]["hand"], &holds["hands"][0]["name"]), (&json!(2), &json!("end")));
    // Many places at once: the last one is reached, most of the others are never solved.
    for k in 1..=200 {
        let to = [from[0], from[1], from[2] + 1e-4 * f64::from(k)];
        client.say(&json!({ "op": "drag", "hand": 2, "to": to, "stamp": k }).to_string()).await;
    }
    let reached = |f: &Frame| f.trailer["stamps"][&number] == 200.0;
    let frame = client.frame(reached).await;
    let last = frame.points[frame.nodes - 1];
    assert!((f64::from(last[2]) - from[2] - 0.02).abs() < 1e-6, "{last:?}");
    let dropped = client.ok(json!({ "op": "drop", "hand": 2, "keep": false })).await;
    assert_eq!(dropped["changes"], json!([]));
    // Asked after the drop, and answered after it.
    let (_, text) = studio.get("/api/sessions/brake-hose/scene.toml").await;
    assert_eq!(String::from_utf8(text).unwrap(), scene("brake-hose").source.text, "nothing was kept");
    let (_, sessions) = studio.get_json("/api/sessions").await;
    assert_eq!(sessions[0]["changes"], 0, "nothing was kept");
    let back = |f: &Frame| (f64::from(f.points[f.nodes - 1][2]) - from[2]).abs() < 1e-6;
    client.frame(back).await;
    client.ok(json!({ "op": "grab", "hand": 2, "name": "end" })).await;
    let to = [from[0], from[1], from[2] + 0.01];
    client.say(&json!({ "op": "drag", "hand": 2, "to": to, "stamp": 201 }).to_string()).await;
    let kept = client.ok(json!({ "op": "drop", "hand": 2, "keep": true })).await;
    assert!(!kept["changes"].as_array().unwrap().is_empty());
    let moved = client.scene(|s| s["undo"] == 1).await;
    let frame = client.frame(|f| json!(f.revision) == moved["revision"]).await;
    let last = frame.points[frame.nodes - 1];
    assert!((f64::from(last[2]) - from[2] - 0.01).abs() < 1e-6, "{last:?}");
    let sentence = client.refused(json!({ "op": "drop", "hand": 2 })).await;
    assert!(sentence.contains("holds nothing"), "{sentence}");
    let sentence = client.refused(json!({ "op": "grab", "hand": 0, "name": "nobody" })).await;
    assert!(sentence.contains("nobody"), "{sentence}");
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_clients_see_each_other() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut one = studio.client().await;
    let mut two = studio.client().await;
    two.event(|e| e["event"] == "clients" && e["count"] == 2).await;
    one.ok(json!({ "op": "grab", "hand": 0, "name": "end" })).await;
    let taken = two.refused(json!({ "op": "grab", "hand": 0, "name": "end" })).await;
    assert!(taken.contains("in somebody's hand"), "{taken}");
    // Two people change the same thing: the last wins, both are told.
    one.command(longer("10 mm")).await;
    two.command(longer("5 mm")).await;
    for client in [&mut one, &mut two] {
        let scene = client.scene(|s| s["undo"] == 2).await;
        let revision = scene["revision"].as_u64().unwrap();
        let frame = client.frame(|f| u64::from(f.revision) == revision).await;
        assert!((frame.points[100][3] - 0.395).abs() < 1e-6);
    }
    // Who goes away opens the hands.
    drop(one);
    two.event(|e| e["event"] == "clients" && e["count"] == 1 && e["hands"] == json!([])).await;
    two.ok(json!({ "op": "grab", "hand": 0, "name": "end" })).await;
    // A preview is somebody's own, and ends with them.
    two.ok(json!({ "op": "drop", "hand": 0 })).await;
    two.ok(json!({ "op": "preview", "command": longer("30 mm") })).await;
    let mut three = studio.client().await;
    let busy = three.refused(json!({ "op": "preview", "command": longer("1 mm") })).await;
    assert!(busy.contains("somebody else"), "{busy}");
    three.frame(|f| f.trailer["preview"] == true).await;
    drop(two);
    three.frame(|f| f.trailer["preview"] == false && (f.points[100][3] - 0.395).abs() < 1e-6).await;
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_come_back() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    client.command(longer("20 mm")).await;
    let saved = client.ok(json!({ "op": "save" })).await;
    let file = saved["file"].as_str().unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    assert!(file.ends_with("brake-hose.toml") && text.contains("length = \"400 mm\""), "{file}: {text}");
    // Reconnect without loss.
    drop(client);
    let mut client = studio.client().await;
    let scene_now = client.scene(|_| true).await;
    assert_eq!((&scene_now["undo"], &scene_now["text"]), (&json!(1), &json!(text)));
    studio.end().await;

    let mut changed = scene("brake-hose");
    changed.source.text += "\n# another\n";
    let studio = Running::start(config(&folder.0, Some(changed))).await;
    let mut client = studio.client().await;
    let told = client.event(|e| e["event"] == "notice").await;
    assert!(told["message"].as_str().unwrap().contains("with 1 change; `revert`"), "{told}");
    let told = client.event(|e| e["event"] == "notice").await;
    assert!(told["message"].as_str().unwrap().contains("was changed since"), "{told}");
    client.ok(json!({ "op": "undo" })).await;
    client.scene(|s| s["redo"] == 1).await;
    let (_, sessions) = studio.get_json("/api/sessions").await;
    assert_eq!((&sessions[0]["name"], &sessions[0]["changes"]), (&json!("brake-hose"), &json!(0)));
    // A second studio in the same folder finds the journal in use.
    let second = flexline_server::Studio::start(config(&folder.0, Some(scene("brake-hose")))).await;
    assert!(second.is_err_and(|error| error.contains("another session is writing to it")));
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_scenes_are_opened() {
    let folder = Folder::new();
    let studio = Running::start(config(&folder.0, None)).await;
    let (status, opened) = studio.send("POST", "/api/sessions", br#"{"gallery": "control-unit"}"#).await;
    assert_eq!((status, &opened["session"]), (200, &json!("control-unit")));
    let text = flexline_server::gallery_text("brake-hose").unwrap();
    let body = json!({ "name": "my hose.toml", "text": text }).to_string();
    let (_, opened) = studio.send("POST", "/api/sessions", body.as_bytes()).await;
    assert_eq!(opened["session"], "my-hose");
    // The same again is the same session; another text of that name is another.
    let (_, opened) = studio.send("POST", "/api/sessions", body.as_bytes()).await;
    assert_eq!(opened["session"], "my-hose");
    let body = json!({ "name": "my hose.toml", "text": format!("{text}\n# other") }).to_string();
    let (_, opened) = studio.send("POST", "/api/sessions", body.as_bytes()).await;
    assert_eq!(opened["session"], "my-hose-2");
    for (body, code, says) in [
        (json!({ "gallery": "nix" }), 404, "no scene 'nix'"),
        (json!({ "name": "x", "text": "not a scene" }), 409, "x.toml"),
        (json!({ "name": "x", "text": text.replace("version = 1", "version = 2") }), 409, "version"),
        (json!({ "name": "../x" }), 409, "no name of a session"),
        (json!([]), 400, "expected `gallery`"),
    ] {
        let (status, answer) = studio.send("POST", "/api/sessions", body.to_string().as_bytes()).await;
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(status == code && message.contains(says), "{body}: {status} {message}");
    }
    let mut client = studio.client_of("my-hose-2").await;
    client.frame(|f| f.nodes == 101).await;
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn motion_is_recorded_and_looked_at_again() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    let nothing = client.refused(json!({ "op": "scrub", "frame": 0 })).await;
    assert!(nothing.contains("nothing is recorded"), "{nothing}");
    let step = json!({ "op": "mode", "mode": "dynamics", "playing": false, "step": 0.01 });
    client.ok(step).await;
    client.scene(|s| s["mode"] == "dynamics").await;
    client.ok(json!({ "op": "release", "name": "end" })).await;
    client.ok(json!({ "op": "record", "on": true })).await;
    for _ in 0..5 {
        client.ok(json!({ "op": "step" })).await;
    }
    let recorded = client.ok(json!({ "op": "record", "on": false })).await;
    let count = recorded["frames"].as_u64().unwrap();
    // The shape that it began with, and one for each step.
    assert_eq!(count, 6);
    client.ok(json!({ "op": "scrub", "frame": 2 })).await;
    let shown = client.frame(|f| f.trailer["scrub"] == 2).await;
    assert!((shown.trailer["time"].as_f64().unwrap() - 0.02).abs() < 1e-9, "{}", shown.trailer);
    let beyond = client.refused(json!({ "op": "scrub", "frame": 99 })).await;
    assert!(beyond.contains("is not recorded"), "{beyond}");
    client.ok(json!({ "op": "scrub", "frame": null })).await;
    client.frame(|f| f.trailer["scrub"].is_null()).await;
    let (status, run) = studio.get("/api/sessions/brake-hose/motion.run").await;
    assert_eq!(status, 200);
    let path = folder.0.join("a.run");
    std::fs::write(&path, &run).unwrap();
    let (header, frames) = flexline_exchange::run::read(&path).unwrap();
    assert_eq!((header.cables[0].nodes, &*header.cables[0].name), (101, "brake hose"));
    assert_eq!(frames.len() as u64, count);
    for (k, frame) in frames.iter().enumerate() {
        assert!((frame.head[0] - 0.01 * k as f64).abs() < 1e-9, "frame {k} at {} s", frame.head[0]);
    }
    for (pose, point) in frames[2].poses.iter().zip(&shown.points) {
        assert_eq!(pose[..3], point[..3]);
    }
    // The end that was let go falls: no frame is like the one before it.
    let height = |k: usize| frames[k].poses[100][2];
    assert!((1..frames.len()).all(|k| height(k) < height(k - 1) - 1e-5), "{frames:?}");
    client.ok(json!({ "op": "mode", "mode": "dynamics", "playing": true })).await;
    client.frame(|f| f.trailer["time"].as_f64().is_some_and(|t| t > 0.2)).await;
    client.scene(|s| s["playing"] == true).await;
    client.ok(json!({ "op": "mode", "mode": "statics" })).await;
    client.scene(|s| s["mode"] == "statics").await;
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_and_meshes_are_exchanged() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    let csv = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (_, nodes) = studio.get("/api/sessions/brake-hose/centreline.csv").await;
    assert_eq!(csv(nodes).lines().count(), 102);
    let (_, even) = studio.get("/api/sessions/brake-hose/centreline.csv?cable=brake%20hose&step=10mm").await;
    assert_eq!(csv(even).lines().count(), 40);
    let (_, json_line) = studio.get_json("/api/sessions/brake-hose/centreline.json?step=0.19").await;
    assert_eq!(json_line["cables"][0]["points"].as_array().unwrap().len(), 3);
    for (bad, code, says) in [
        ("step=0", 400, "is no length"),
        ("step=-1", 400, "is no length"),
        ("step=x", 400, "is no length"),
        ("step=1kg", 400, "is no length"),
        ("step=1nm", 400, "gives too many points"),
        ("cable=nix", 404, "there is no cable 'nix'"),
    ] {
        let (status, told) = studio.get_json(&format!("/api/sessions/brake-hose/centreline.csv?{bad}")).await;
        let message = told["error"]["message"].as_str().unwrap_or_default();
        assert!(status == code && message.contains(says), "{bad}: {status} {message}");
    }
    let mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let path = "/api/sessions/brake-hose/mesh";
    let (status, added) =
        studio.send("POST", &format!("{path}?name=Wall 1.OBJ").replace(' ', "%20"), mesh).await;
    assert_eq!((status, &added["triangles"]), (200, &json!(1)), "{added}");
    let file = added["mesh"].as_str().unwrap().to_owned();
    assert!(file.starts_with("meshes/wall-1-") && file.ends_with(".obj"), "{file}");
    // The same file has the same name, another another.
    let (_, again) = studio.send("POST", &format!("{path}?name=Wall%201.OBJ"), mesh).await;
    assert_eq!(again, added);
    let (_, other) =
        studio.send("POST", &format!("{path}?name=Wall%201.OBJ"), &[mesh, &b"f 1 3 2\n"[..]].concat()).await;
    assert_ne!(other["mesh"], added["mesh"]);
    // A file that says its unit and axis is not asked for them.
    let metres = b"#VRML V2.0 utf8\nShape { geometry Box { size 1 1 1 } }\n";
    let (_, said) = studio.send("POST", &format!("{path}?name=block"), metres).await;
    assert_eq!((&said["unit"], &said["up_axis"], &said["triangles"]), (&json!("m"), &json!("y"), &json!(12)));
    assert!(said["mesh"].as_str().unwrap().ends_with(".wrl") && added["unit"].is_null(), "{said}");
    // Far below the hose.
    let with = json!({ "name": "wall", "mesh": file, "unit": "mm", "position": [0, 0, -9] });
    client.ok(json!({ "op": "command", "command": { "do": "add", "kind": "obstacle", "with": with } })).await;
    let seen = client.scene(|s| s["obstacles"] != json!([])).await;
    let wall = &seen["obstacles"][0];
    assert_eq!(
        (&wall["name"], &wall["form"], &wall["triangles"]),
        (&json!("wall"), &json!("mesh"), &json!(1))
    );
    let key = wall["mesh"].as_str().unwrap().to_owned();
    let (_, bytes) = studio.get(&format!("{path}/{key}")).await;
    assert_eq!(bytes.len(), 8 + 12 * 4);
    assert_eq!(f32::from_le_bytes(bytes[20..24].try_into().unwrap()), 1e-3);
    let (status, refused) = studio.send("POST", path, b"v 1 2\n").await;
    assert_eq!(status, 400);
    assert!(refused["error"]["message"].as_str().unwrap().starts_with("line 1 of the mesh"), "{refused}");
    // A scene that is saved has its meshes beside it.
    client.ok(json!({ "op": "save" })).await;
    assert_eq!(std::fs::read(folder.0.join(&file)).unwrap(), mesh);
    drop(client);
    studio.end().await;

    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    client.scene(|s| s["obstacles"][0]["name"] == "wall").await;
    assert_eq!(studio.get(&format!("{path}/{key}")).await.0, 200);
    client
        .ok(json!({ "op": "command", "command": { "do": "remove", "name": "wall", "kind": "obstacle" } }))
        .await;
    client.scene(|s| s["obstacles"] == json!([])).await;
    assert_eq!(studio.get(&format!("{path}/{key}")).await.0, 404);
    for bad in ["1", "..%2f..%2ftoken", "meshes"] {
        assert_eq!(studio.get(&format!("{path}/{bad}")).await.0, 404, "{bad}");
    }
    studio.end().await;
}

#[tokio::test]
async fn a_session_is_deleted_when_nobody_is_in_it() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let path = "/api/sessions/brake-hose";
    let mut client = studio.client().await;
    client.ok(json!({ "op": "save" })).await;
    let mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_eq!(studio.send("POST", &format!("{path}/mesh?name=wall.obj"), mesh).await.0, 200);
    let (status, told) = studio.send("DELETE", path, b"").await;
    assert_eq!(status, 409, "{told}");
    assert!(told["error"]["message"].as_str().unwrap().contains("somebody is in it"), "{told}");
    drop(client);
    // The server sees a little later that the client has gone.
    let mut status = 409;
    for _ in 0..500 {
        status = studio.send("DELETE", path, b"").await.0;
        if status != 409 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(status, 200);
    let (_, left) = studio.get_json("/api/sessions").await;
    assert_eq!(left, json!([]));
    let files: Vec<String> = std::fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("brake-hose"))
        .collect();
    assert_eq!(files, ["brake-hose.toml"], "what was saved stays");
    for name in ["brake-hose", "never-was", "..", "a%2Fb"] {
        assert_eq!(studio.send("DELETE", &format!("/api/sessions/{name}"), b"").await.0, 404, "{name}");
    }
    studio.end().await;
}

//! `flexline studio`: the process as a whole. What is said on its sockets is tested with the server.

use crate::support::{Folder, command, flexline};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};

/// A studio that runs, and ends with this.
pub(crate) struct Studio {
    child: Child,
    address: String,
    token: String,
    said: String,
}

impl Studio {
    pub(crate) fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let data = folder.file("data");
        let all = [&["studio", "--no-open", "--folder", &data], arguments].concat();
        let mut child =
            command(&all).current_dir(folder.path()).stdout(Stdio::piped()).spawn().expect("a studio");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut said = String::new();
        while !said.contains("Ctrl-C") {
            said += &lines.next().expect("it goes on").expect("a line");
            said.push('\n');
        }
        let address =
            said.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
        let token = said.split("token=").nth(1).and_then(|rest| rest.split_whitespace().next());
        let token = token.unwrap_or_default().to_owned();
        Self { child, address: address.to_owned(), token, said }
    }

    fn http(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer.split_once("\r\n\r\n").expect("a head").1.to_owned()
    }

    fn get(&self, path: &str) -> String {
        let token = &self.token;
        let host = &self.address;
        self.http(&format!("GET {path}?token={token} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    }

    /// A WebSocket without a library: the handshake, then frames of text.
    fn socket(&self, session: &str) -> Socket {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let (address, token) = (&self.address, &self.token);
        let request = format!(
            "GET /ws?session={session}&token={token} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("a head");
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
        Socket(stream)
    }
}

impl Drop for Studio {
    /// As hard as it can be ended: `kill -9`.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Socket(TcpStream);

impl Socket {
    /// Asks, and waits for the answer; everything else is passed over.
    fn ask(&mut self, request: &Value) -> Value {
        let text = request.to_string();
        // A client masks what it sends; by zero it stays as it is.
        let mut frame = vec![0x81, 0xfe];
        frame.extend(u16::try_from(text.len()).expect("short").to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.0.write_all(&frame).expect("sent");
        loop {
            let mut head = [0; 2];
            self.0.read_exact(&mut head).expect("a frame");
            let mut size = vec![0; [0, 2, 8][usize::from(head[1] >= 126) + usize::from(head[1] == 127)]];
            self.0.read_exact(&mut size).expect("its size");
            let short = u64::from(head[1]);
            let length =
                if size.is_empty() { short } else { size.iter().fold(0, |n, b| n << 8 | u64::from(*b)) };
            let mut payload = vec![0; usize::try_from(length).expect("a size")];
            self.0.read_exact(&mut payload).expect("its payload");
            if head[0] == 0x81 {
                let value: Value = serde_json::from_slice(&payload).expect("JSON");
                if value.get("reply").is_some() {
                    assert!(value.get("error").is_none(), "{value}");
                    return value["ok"].clone();
                }
            }
        }
    }
}

#[test]
fn a_session_comes_back_after_kill_9() {
    let folder = Folder::new();
    let scene = folder.write("hose.toml", crate::support::scene("brake-hose.toml"));
    let studio = Studio::start(&folder, &[&scene, "--port", "0"]);
    let mut socket = studio.socket("hose");
    for (id, by) in ["11 mm", "7 mm"].into_iter().enumerate() {
        let command = json!({ "do": "prolong", "cable": "brake hose", "by": by });
        socket.ask(&json!({ "op": "command", "id": id, "command": command }));
    }
    // Something is in hand, and is not kept.
    socket.ask(&json!({ "op": "grab", "id": 9, "hand": 0, "name": "end" }));
    let before = studio.get("/api/sessions/hose/scene.toml");
    assert!(before.contains("length = \"398 mm\""), "{before}");
    drop(studio);

    let studio = Studio::start(&folder, &[&scene, "--port", "0"]);
    assert!(studio.said.contains("came back as it was, with 2 changes"), "{}", studio.said);
    assert_eq!(studio.get("/api/sessions/hose/scene.toml"), before);
    let mut socket = studio.socket("hose");
    socket.ask(&json!({ "op": "undo", "id": 1 }));
    socket.ask(&json!({ "op": "undo", "id": 2 }));
    let first = std::fs::read_to_string(&scene).expect("the file");
    assert_eq!(studio.get("/api/sessions/hose/scene.toml"), first);
    // The recording replays outside the studio.
    let journal = folder.write("copy.jsonl", studio.get("/api/sessions/hose/journal.jsonl"));
    let replayed = flexline(&["journal", &journal, "--no-solve"]).good();
    assert!(replayed.stdout.contains("undone: prolong"), "{}", replayed.stdout);
}

#[test]
fn save_writes_back_only_when_asked() {
    let folder = Folder::new();
    let text = crate::support::scene("brake-hose.toml");
    let scene = folder.write("hose.toml", &text);
    let change = json!({ "op": "command", "id": 1, "command": { "do": "prolong", "cable": "brake hose", "by": "1 mm" } });
    let studio = Studio::start(&folder, &[&scene, "--port", "0"]);
    let mut socket = studio.socket("hose");
    socket.ask(&change);
    let saved = socket.ask(&json!({ "op": "save", "id": 2 }));
    assert_eq!(saved["file"], folder.file("data/hose.toml"));
    assert_eq!(std::fs::read_to_string(&scene).expect("the file"), text, "the file itself is as it was");
    drop(studio);
    let studio = Studio::start(&folder, &[&scene, "--port", "0", "--write"]);
    let saved = studio.socket("hose").ask(&json!({ "op": "save", "id": 2 }));
    assert_eq!(saved["file"], scene);
    let expected = text.replace("\"380 mm\"", "\"381 mm\"");
    assert_eq!(std::fs::read_to_string(&scene).expect("the file"), expected, "{saved}");
}

#[test]
fn what_cannot_be_started_is_told() {
    let folder = Folder::new();
    let data = folder.file("data");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port().to_string();
    let start = |arguments: &[&str]| {
        flexline(&[&["studio", "--no-open", "--folder", &data], arguments].concat()).refused(3)
    };
    start(&["--port", &port]).complains(&[&format!("port {port} of 127.0.0.1 is in use"), "--port 0"]);
    start(&["--listen", "0.0.0.0:0"]).complains(&["--allow-remote", "token"]);
    start(&["brake-hoes"]).complains(&["no file 'brake-hoes'", "did you mean the scene 'brake-hose'"]);
    start(&["brake-hose", "--write"]).complains(&["--write wants a file"]);
    start(&["scenes/door-work.jsonl"]).complains(&["door-work.jsonl:2:1", "not valid TOML"]);
    let newer =
        folder.write("newer.toml", crate::support::scene("ring.toml").replace("version = 1", "version = 9"));
    start(&[&newer, "--port", "0"]).complains(&["`version` = 9", "expected version = 1"]);
    let file = folder.write("file", "");
    flexline(&["studio", "--no-open", "--folder", &format!("{file}/x")]).refused(3).complains(&["--folder"]);
    flexline(&["studio", "--port", "1", "--listen", "127.0.0.1:1"]).refused(2);
}

/// A damaged journal was passed over in silence, and everybody on the machine could come in.
#[test]
fn damage_is_told_and_a_token_is_wanted() {
    let folder = Folder::new();
    let scene = folder.write("hose.toml", crate::support::scene("brake-hose.toml"));
    let studio = Studio::start(&folder, &[&scene, "--port", "0"]);
    assert_eq!(studio.token.len(), 32, "{}", studio.said);
    let plain =
        format!("GET /api/sessions HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", studio.address);
    assert!(studio.http(&plain).contains("the token is missing"));
    let first = studio.address.clone();
    let mut socket = studio.socket("hose");
    for (id, by) in ["11 mm", "7 mm"].into_iter().enumerate() {
        let command = json!({ "do": "prolong", "cable": "brake hose", "by": by });
        socket.ask(&json!({ "op": "command", "id": id, "command": command }));
    }
    drop(studio);
    let journal = folder.file("data/hose.journal");
    let damaged = std::fs::read_to_string(&journal).expect("a journal").replace("7 mm", "8 mm");
    std::fs::write(&journal, &damaged).expect("written");
    let replayed = flexline(&["journal", &journal]);
    assert_eq!(replayed.code, 1, "{}", replayed.stdout);
    assert!(replayed.stdout.contains("line 3 of the journal is damaged"), "{}", replayed.stdout);
    let studio = Studio::start(&folder, &[&scene, "--port", "0", "--no-token"]);
    assert!(studio.said.contains("note: line 3 of the journal is damaged"), "{}", studio.said);
    assert!(studio.said.contains("hose.journal.damaged"), "{}", studio.said);
    assert!(studio.get("/api/sessions/hose/scene.toml").contains("391 mm"), "the change before the damage");
    assert!(!studio.said.contains("token="), "{}", studio.said);
    let bare = plain.replace(&first, &studio.address);
    assert!(studio.http(&bare).contains("\"hose\""), "nobody is asked for a token");
}

/// Ctrl-C waited for the solve, however long that took.
#[cfg(unix)]
#[test]
fn it_ends_while_it_solves() {
    let folder = Folder::new();
    let mut studio = Studio::start(&folder, &["brake-hose", "--port", "0"]);
    let solve = "method = \"integral-forces\"\nalpha = 0.001\ntolerance = 1.1e-15\niterations = 1000000\n";
    let text = format!("{}\n[solve]\n{solve}", crate::support::scene("brake-hose.toml"));
    let body = json!({ "name": "endless", "text": text }).to_string();
    let mut stream = TcpStream::connect(&studio.address).expect("a connection");
    let (address, token) = (&studio.address, &studio.token);
    let head = format!(
        "POST /api/sessions?token={token} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).expect("sent");
    stream.set_read_timeout(Some(std::time::Duration::from_millis(300))).expect("patience");
    assert!(stream.read(&mut [0; 100]).is_err(), "no answer yet: it solves");
    let id = studio.child.id().to_string();
    let begun = std::time::Instant::now();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
    assert!(studio.child.wait().expect("its end").success());
    assert!(begun.elapsed().as_secs() < 4, "{:?}", begun.elapsed());
}

#[cfg(unix)]
#[test]
fn it_ends_when_it_is_asked_to() {
    let folder = Folder::new();
    let mut studio = Studio::start(&folder, &["brake-hose", "--port", "0"]);
    let _socket = studio.socket("brake-hose");
    let id = studio.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
    assert!(studio.child.wait().expect("its end").success());
}

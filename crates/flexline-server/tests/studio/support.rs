//! A studio in a folder of its own, and a client of it.

use flexline_server::{Config, First, Source, Studio, Where};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Nothing here takes this long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder that is gone in the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let own = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("flexline-studio-{}-{own}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A studio that runs.
pub struct Running {
    /// `127.0.0.1:PORT`.
    pub address: String,
    pub url: String,
    end: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

/// A scene of the gallery.
pub fn scene(name: &str) -> First {
    let text = flexline_server::gallery_text(name).unwrap();
    First {
        name: name.into(),
        source: Source { name: format!("{name}.toml"), text, is_file: true },
        write: None,
    }
}

pub fn config(folder: &Path, first: Option<First>) -> Config {
    Config { place: Where::Port(0), allow_remote: false, token: false, folder: folder.into(), first }
}

impl Running {
    pub async fn start(config: Config) -> Self {
        let studio = Studio::start(config).await.unwrap();
        let url = studio.url();
        let address = url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
        let (end, ended) = oneshot::channel();
        let task = tokio::spawn(studio.run(async { drop(ended.await) }));
        Self { address, url, end: Some(end), task }
    }

    /// With the brake hose.
    pub async fn hose(folder: &Folder) -> Self {
        Self::start(config(&folder.0, Some(scene("brake-hose")))).await
    }

    pub async fn end(mut self) {
        drop(self.end.take());
        self.task.await.unwrap();
    }

    pub async fn client(&self) -> Client {
        self.client_of("brake-hose").await
    }

    pub async fn client_of(&self, session: &str) -> Client {
        let origin = format!("http://{}", self.address);
        self.connect(&format!("/ws?session={session}"), Some(&origin)).await.unwrap()
    }

    /// A WebSocket, or the status of the refusal.
    pub async fn connect(&self, path: &str, origin: Option<&str>) -> Result<Client, u16> {
        let mut request = format!("ws://{}{path}", self.address).into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        match connect_async(request).await {
            Ok((socket, _)) => Ok(Client { socket, next: 0, events: Vec::new(), frames: Vec::new() }),
            Err(tokio_tungstenite::tungstenite::Error::Http(response)) => Err(response.status().as_u16()),
            Err(_) => Err(0),
        }
    }

    /// An HTTP request as bytes; status, head and body of the answer.
    pub async fn raw(&self, request: &[u8]) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        let _ = stream.write_all(request).await;
        let mut bytes = Vec::new();
        let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.expect("an answer");
        let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        (status, head, bytes.get(end + 4..).unwrap_or_default().to_vec())
    }

    pub async fn get(&self, path: &str) -> (u16, Vec<u8>) {
        let head = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address);
        let (status, _, body) = self.raw(head.as_bytes()).await;
        (status, body)
    }

    pub async fn get_json(&self, path: &str) -> (u16, Value) {
        let (status, body) = self.get(path).await;
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    pub async fn send(&self, verb: &str, path: &str, body: &[u8]) -> (u16, Value) {
        let mut request = format!(
            "{verb} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        let (status, _, body) = self.raw(&request).await;
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }
}

/// A frame as it came.
#[derive(Clone, Debug)]
pub struct Frame {
    pub revision: u32,
    pub number: u32,
    pub nodes: usize,
    pub poses: usize,
    pub points: Vec<[f32; 4]>,
    pub trailer: Value,
    pub bytes: usize,
}

impl Frame {
    fn read(bytes: &[u8]) -> Self {
        assert_eq!(&bytes[..4], b"FLX1");
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let (nodes, poses, tail) = (word(12) as usize, word(16) as usize, word(20) as usize);
        assert_eq!(bytes.len(), 32 + 48 * nodes + 32 * poses + tail);
        let float = |at: usize| f32::from_bits(word(at));
        let point = |i: usize| std::array::from_fn(|k| float(32 + 16 * i + 4 * k));
        let trailer = serde_json::from_slice(&bytes[bytes.len() - tail..]).unwrap();
        let points = (0..nodes).map(point).collect();
        Self { revision: word(4), number: word(8), nodes, poses, points, trailer, bytes: bytes.len() }
    }
}

/// A page.
pub struct Client {
    pub socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    next: u64,
    /// Events that nobody waited for yet.
    pub events: Vec<Value>,
    pub frames: Vec<Frame>,
}

impl Client {
    pub async fn say(&mut self, text: &str) {
        self.socket.send(Message::text(text.to_owned())).await.unwrap();
    }

    /// The next message, put where it belongs; an answer is given back. `None` when the connection is closed.
    pub async fn hear(&mut self) -> Option<Option<Value>> {
        let message = tokio::time::timeout(PATIENCE, self.socket.next()).await.expect("a message in time");
        match message {
            Some(Ok(Message::Text(text))) => {
                let value: Value = serde_json::from_str(&text).unwrap();
                if value.get("event").is_none() {
                    return Some(Some(value));
                }
                self.events.push(value);
                Some(None)
            }
            Some(Ok(Message::Binary(bytes))) => {
                self.frames.push(Frame::read(&bytes));
                Some(None)
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => None,
            Some(Ok(_)) => Some(None),
        }
    }

    /// Asks, and waits for the answer.
    pub async fn ask(&mut self, mut request: Value) -> Value {
        self.next += 1;
        request["id"] = self.next.into();
        self.say(&request.to_string()).await;
        loop {
            if let Some(answer) = self.hear().await.expect("an open connection") {
                assert_eq!(answer["reply"], self.next);
                return answer;
            }
        }
    }

    /// Asks for what must be done.
    pub async fn ok(&mut self, request: Value) -> Value {
        let answer = self.ask(request.clone()).await;
        assert!(answer.get("error").is_none(), "{request}: {answer}");
        answer["ok"].clone()
    }

    /// Asks for what must be refused; the sentence.
    pub async fn refused(&mut self, request: Value) -> String {
        let answer = self.ask(request.clone()).await;
        answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{request}: {answer}")).to_owned()
    }

    pub async fn command(&mut self, command: Value) -> Value {
        self.ok(json!({ "op": "command", "command": command })).await
    }

    /// The next event that is wanted; those before it are forgotten.
    pub async fn event(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            while !self.events.is_empty() {
                let event = self.events.remove(0);
                if wanted(&event) {
                    return event;
                }
            }
            self.hear().await.expect("an open connection");
        }
    }

    pub async fn scene(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.event(|e| e["event"] == "scene" && wanted(&e["scene"])).await["scene"].clone()
    }

    /// The next frame that is wanted; those before it are forgotten.
    pub async fn frame(&mut self, wanted: impl Fn(&Frame) -> bool) -> Frame {
        loop {
            while !self.frames.is_empty() {
                let frame = self.frames.remove(0);
                if wanted(&frame) {
                    return frame;
                }
            }
            self.hear().await.expect("an open connection");
        }
    }
}

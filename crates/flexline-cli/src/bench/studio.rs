//! The studio as a page feels it: a hand moves on the socket, and the frame that shows it comes back.
//!
//! Server and client are in this process and talk through the loopback device. The floor is a `ping`: the way there and
//! back with nothing done. What is measured must have converged.

use super::{Bench, Line, median};
use crate::output::{Table, print};
use clap::ValueEnum;
use flexline_server::{Config, Drag, First, Op, Source, Studio, Where};
use flexline_session::desk::Grasp;
use futures_util::{SinkExt, StreamExt};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::{Duration, Instant};
use tokio::time::MissedTickBehavior;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// Drags that are timed, after some that are not.
const DRAGS: usize = 500;
const FIRST: usize = 50;

/// What is dragged; its number is its place among the scenes.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Scene {
    /// One cable of 100 segments
    Cable,
    /// 50 cables of 20 segments
    Harness,
}

pub(super) const SCENES: usize = 2;

/// How long to go on dragging after what is timed, and how fast: as fast as can be without a rate.
#[derive(Clone, Copy)]
struct Pace {
    time: Duration,
    rate_hz: Option<u32>,
}

/// What one scene gave.
#[derive(Serialize)]
pub(super) struct Numbers {
    scene: &'static str,
    p95_ms: f64,
    solve_ms: f64,
    ping_ms: f64,
    nodes: usize,
    bytes_per_frame: usize,
    bytes_per_node: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    soak: Option<Soak>,
}

/// What long dragging did to memory.
#[derive(Serialize)]
struct Soak {
    seconds: f64,
    drags: usize,
    /// Drags whose frame was not at rest yet: on a machine with other work a solve may reach its limit of time.
    unsettled: usize,
    /// Resident memory of the process after a tenth and a half of the time and at the end, MiB; `None` where the system
    /// does not tell.
    begin_mib: Option<f64>,
    middle_mib: Option<f64>,
    end_mib: Option<f64>,
}

const CABLE: &str = r#"version = 1
title = "One cable of 100 segments"
[cable]
name = "cable"
length = "500 mm"
part = "brake-hose"
segments = 100
[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0]
[end]
hold = "clamped"
position = ["350 mm", "50 mm", 0]
tangent = [1, 0, 0]
"#;

/// A trunk of 25 cables with a branch at every joint, two at the one in the middle: 50 cables of 20 segments.
fn harness() -> String {
    let mut text = String::from("version = 1\ntitle = \"A harness of 50 cables\"\n");
    let mut port = |name: &str, x: f64, y: f64, tangent: &str| {
        let _ = write!(
            text,
            "[[port]]\nname = \"{name}\"\nposition = [\"{x} mm\", \"{y} mm\", 0]\ntangent = {tangent}\n"
        );
    };
    port("start", 0.0, 0.0, "[1, 0, 0]");
    port("end", 25.0 * 78.0, 0.0, "[1, 0, 0]");
    for k in 1..=24 {
        let side = if k % 2 == 0 { 1.0 } else { -1.0 };
        port(&format!("port {k}"), f64::from(k) * 78.0 + 60.0, 110.0 * side, &format!("[0.3, {side}, 0]"));
    }
    port("port 25", 12.0 * 78.0 + 60.0, -110.0, "[0.3, -1, 0]");
    for k in 1..=24 {
        let _ = write!(text, "[[junction]]\nname = \"joint {k}\"\n");
    }
    let mut cable = |name: &str, length: f64, part: &str, from: &str, to: &str, more: &str| {
        let _ = write!(
            text,
            "[[cable]]\nname = \"{name}\"\nlength = \"{length} mm\"\npart = \"{part}\"\nsegments = 20\n\
             from = \"{from}\"\nto = \"{to}\"\n{more}"
        );
    };
    let joint = |k: u32| match k {
        0 => "start".to_owned(),
        25 => "end".to_owned(),
        k => format!("joint {k}"),
    };
    for k in 1..=25 {
        cable(&format!("trunk {k}"), 80.0, "bundle-20x0.5", &joint(k - 1), &joint(k), "");
    }
    // In the axes of a joint y points to the right of the trunk.
    for k in 1..=25 {
        let (at, right) = if k == 25 { (12, true) } else { (k, k % 2 == 1) };
        let tangent = if right { "from_tangent = [0, 1, 0.6]\n" } else { "from_tangent = [0, -1, 0.6]\n" };
        cable(&format!("branch {k}"), 250.0, "wire-1.5", &joint(at), &format!("port {k}"), tangent);
    }
    text
}

pub(super) fn run(args: &Bench, index: usize) -> Result<Line, String> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let (scene, text) = [("one cable", CABLE.to_owned()), ("50 cables", harness())][index].clone();
    let soak =
        args.soak.map(|seconds| Pace { time: Duration::from_secs(seconds.into()), rate_hz: args.rate });
    runtime.block_on(measure(scene, text, soak))
}

async fn measure(scene: &'static str, text: String, soak: Option<Pace>) -> Result<Line, String> {
    let folder = std::env::temp_dir().join(format!("flexline-bench-{}-{}", std::process::id(), scene.len()));
    let source = Source { name: scene.into(), text, is_file: false };
    let config = Config {
        place: Where::Port(0),
        allow_remote: false,
        token: false,
        folder: folder.clone(),
        first: Some(First { name: "bench".into(), source, write: None }),
    };
    let studio = Studio::start(config).await?;
    let address = studio.url().trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(studio.run(async { drop(ended.await) }));
    let line = drag(scene, &address, soak).await;
    drop(end);
    let _ = serving.await;
    let _ = std::fs::remove_dir_all(folder);
    line
}

async fn drag(scene: &'static str, address: &str, soak: Option<Pace>) -> Result<Line, String> {
    let mut client = Client::connect(address).await?;
    let held = client.ask(&Op::Grab { hand: 0, what: Grasp::Thing("end".into()) }).await?;
    let from: Vec<f64> =
        serde_json::from_value(held["position"].clone()).map_err(|error| error.to_string())?;
    let to = |k: usize| {
        // A circle of 20 mm: increments of about 2 mm.
        let angle = 0.1 * k as f64;
        [from[0] - 0.02 + 0.02 * angle.cos(), from[1], from[2] + 0.02 * angle.sin()]
    };
    let [mut times, mut solves, mut pings] = [(); 3].map(|()| Vec::with_capacity(DRAGS));
    let mut last = Seen::default();
    for k in 1..=FIRST + DRAGS {
        let start = Instant::now();
        last = client.drag(to(k), k).await?;
        let time = start.elapsed().as_secs_f64() * 1e3;
        if let Some(line) = &last.unsettled {
            return Err(format!("drag {k} did not converge: {line}"));
        }
        let start = Instant::now();
        client.ask(&Op::Ping).await?;
        if k > FIRST {
            times.push(time);
            solves.push(last.solve_ms);
            pings.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    let soak = match soak {
        Some(pace) => Some(client.soak(pace, to).await?),
        None => None,
    };
    times.sort_by(f64::total_cmp);
    let (median_ms, ping_ms) = (median(&mut times), median(&mut pings));
    Ok(Line {
        name: "studio",
        n: last.nodes,
        median_ms,
        iterations: last.iterations,
        floor_ratio: median_ms / ping_ms,
        studio: Some(Numbers {
            scene,
            p95_ms: times[times.len() * 95 / 100],
            solve_ms: median(&mut solves),
            ping_ms,
            nodes: last.nodes,
            bytes_per_frame: last.bytes,
            bytes_per_node: last.bytes as f64 / last.nodes as f64,
            soak,
        }),
        ..Line::default()
    })
}

/// What a frame said.
#[derive(Default)]
struct Seen {
    nodes: usize,
    bytes: usize,
    solve_ms: f64,
    iterations: f64,
    /// What the studio said where it was not at rest.
    unsettled: Option<String>,
}

struct Client {
    socket: tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>,
    number: String,
    next: u64,
}

impl Client {
    async fn connect(address: &str) -> Result<Self, String> {
        let wrong = |error: tokio_tungstenite::tungstenite::Error| error.to_string();
        let mut request = format!("ws://{address}/ws?session=bench").into_client_request().map_err(wrong)?;
        let origin = format!("http://{address}").parse().map_err(|_| "no origin".to_owned())?;
        request.headers_mut().insert("origin", origin);
        let (socket, _) = tokio_tungstenite::connect_async(request).await.map_err(wrong)?;
        let mut client = Self { socket, number: String::new(), next: 0 };
        client.number = loop {
            if let Message::Text(text) = client.hear().await? {
                let event: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
                if event["event"] == "welcome" {
                    break event["client"].to_string();
                }
            }
        };
        Ok(client)
    }

    async fn hear(&mut self) -> Result<Message, String> {
        match tokio::time::timeout(Duration::from_secs(60), self.socket.next()).await {
            Ok(Some(message)) => message.map_err(|error| error.to_string()),
            Ok(None) => Err("the studio closed the connection".into()),
            Err(_) => Err("the studio did not answer within a minute".into()),
        }
    }

    async fn say(&mut self, request: &Value) -> Result<(), String> {
        self.socket.send(Message::text(request.to_string())).await.map_err(|error| error.to_string())
    }

    async fn ask(&mut self, op: &Op) -> Result<Value, String> {
        self.next += 1;
        let mut request = json!(op);
        request["id"] = self.next.into();
        self.say(&request).await?;
        loop {
            let Message::Text(text) = self.hear().await? else { continue };
            // Events are long, and not what is waited for.
            if !text.starts_with("{\"ok\"") && !text.starts_with("{\"error\"") {
                continue;
            }
            let answer: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            return match answer["error"]["message"].as_str() {
                Some(message) => Err(message.to_owned()),
                None => Ok(answer["ok"].clone()),
            };
        }
    }

    /// Moves the hand, and waits for the frame that shows it.
    async fn drag(&mut self, to: [f64; 3], stamp: usize) -> Result<Seen, String> {
        let drag = Drag { hand: 0, to: to.into(), frame: None, stamp: stamp as f64 };
        self.say(&json!(Op::Drag(drag))).await?;
        loop {
            let Message::Binary(bytes) = self.hear().await? else { continue };
            let word = |at: usize| {
                bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
            };
            let tail = bytes.len().saturating_sub(word(20));
            let trailer: Value = serde_json::from_slice(&bytes[tail..]).map_err(|error| error.to_string())?;
            if trailer["stamps"][&self.number] != json!(stamp as f64) {
                continue;
            }
            let number = |key: &str| trailer[key].as_f64().unwrap_or(0.0);
            let (solve_ms, iterations) = (number("solve_ms"), number("iterations"));
            let unsettled = (trailer["status"] != "converged")
                .then(|| trailer["line"].as_str().unwrap_or_default().to_owned());
            return Ok(Seen { nodes: word(12), bytes: bytes.len(), solve_ms, iterations, unsettled });
        }
    }

    async fn soak(&mut self, pace: Pace, to: impl Fn(usize) -> [f64; 3]) -> Result<Soak, String> {
        let mut ticks = pace.rate_hz.map(|rate| {
            let mut ticks = tokio::time::interval(Duration::from_secs(1) / rate);
            // A hand that was held up goes on from where it is; it does not make up for it.
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            ticks
        });
        let start = Instant::now();
        let [mut begin_mib, mut middle_mib] = [None; 2];
        let [mut drags, mut unsettled] = [0; 2];
        while start.elapsed() < pace.time {
            if let Some(ticks) = &mut ticks {
                ticks.tick().await;
            }
            drags += 1;
            let seen = self.drag(to(drags), FIRST + DRAGS + drags).await?;
            unsettled += usize::from(seen.unsettled.is_some());
            for (mib, part) in [(&mut begin_mib, 10), (&mut middle_mib, 2)] {
                if mib.is_none() && start.elapsed() > pace.time / part {
                    *mib = resident_mib();
                }
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        Ok(Soak { seconds, drags, unsettled, begin_mib, middle_mib, end_mib: resident_mib() })
    }
}

/// Resident memory of this process; Linux tells it in pages of 4 KiB.
fn resident_mib() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: f64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096.0 / f64::from(1 << 20))
}

/// Prints the lines of this benchmark, if it was run.
pub(super) fn print_table(lines: &[Line]) {
    let own: Vec<(&Line, &Numbers)> = lines.iter().filter_map(|l| Some((l, l.studio.as_ref()?))).collect();
    if own.is_empty() {
        return;
    }
    let mut table =
        Table::new(&["studio", "nodes", "median ms", "95 % ms", "solve ms", "ping ms", "bytes", "per node"]);
    for (line, n) in &own {
        table.row(&[
            n.scene.to_owned(),
            n.nodes.to_string(),
            format!("{:.3}", line.median_ms),
            format!("{:.3}", n.p95_ms),
            format!("{:.3}", n.solve_ms),
            format!("{:.3}", n.ping_ms),
            n.bytes_per_frame.to_string(),
            format!("{:.1}", n.bytes_per_node),
        ]);
    }
    table.print();
    print("\nmedian: from a drag on the socket to its frame; ping: there and back with nothing done\n");
    for (_, n) in &own {
        if let Some(soak) = &n.soak {
            let mib =
                |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), |v| format!("{v:.1} MiB"));
            print(&format!(
                "{}: {} drags in {:.0} s, {} of them not at rest yet; memory {} after a tenth of it, {} after half, {} at the end\n",
                n.scene,
                soak.drags,
                soak.seconds,
                soak.unsettled,
                mib(soak.begin_mib),
                mib(soak.middle_mib),
                mib(soak.end_mib)
            ));
        }
    }
}

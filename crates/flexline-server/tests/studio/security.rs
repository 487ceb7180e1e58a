//! Who is refused, and that the session lives on.

use crate::support::{Client, Folder, Running, config, scene};
use flexline_server::{Studio, Where};
use futures_util::SinkExt;
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

/// The session does what it is asked.
async fn lives(client: &mut Client) {
    let length = client.command(json!({ "do": "prolong", "cable": "brake hose", "by": "1 mm" })).await;
    assert_eq!(length["status"], "converged");
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_refused() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    let port = studio.address.rsplit(':').next().unwrap();
    let socket = "/ws?session=brake-hose";
    assert_eq!(studio.connect(socket, None).await.err(), Some(403), "a WebSocket says where it comes from");
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", "file://"] {
        assert_eq!(studio.connect(socket, Some(origin)).await.err(), Some(403), "{origin}");
    }
    assert!(studio.connect(socket, Some(&format!("http://localhost:{port}"))).await.is_ok());
    for host in ["evil.example".to_owned(), format!("evil.example:{port}"), "127.0.0.1".into(), String::new()]
    {
        let request = format!("GET /api/about HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let (status, _, body) = studio.raw(request.as_bytes()).await;
        assert_eq!(status, 403, "{host}");
        assert!(String::from_utf8_lossy(&body).contains("is not called"));
    }
    let request = format!(
        "POST /api/sessions HTTP/1.1\r\nHost: {}\r\nOrigin: http://evil.example\r\nConnection: close\r\n\
         Content-Length: 2\r\n\r\n{{}}",
        studio.address
    );
    assert_eq!(studio.raw(request.as_bytes()).await.0, 403);
    lives(&mut client).await;
    studio.end().await;
}

/// Of two `Host` headers the first was believed, and pages of others could read by requests that carry no `Origin`.
#[tokio::test(flavor = "multi_thread")]
async fn what_browsers_tell_is_heard() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let host = studio.address.clone();
    let status = async |path: &str, headers: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Connection: close\r\n\r\n");
        studio.raw(request.as_bytes()).await.0
    };
    let scene = "/api/sessions/brake-hose/scene.toml";
    assert_eq!(status(scene, "").await, 200);
    for second in ["evil.example", &host] {
        assert!((400..404).contains(&status(scene, &format!("Host: {second}\r\n")).await), "{second}");
    }
    let absolute = format!("http://evil.example{scene}");
    assert!((400..404).contains(&status(&absolute, "").await), "a foreign name in the request itself");
    for (site, expected) in [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)] {
        assert_eq!(status(scene, &format!("Sec-Fetch-Site: {site}\r\n")).await, expected, "{site}");
    }
    // A link may lead to the page, and nothing may show it as a part of another.
    let visit = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
    assert_eq!(status("/", visit).await, 200);
    assert_eq!(status("/", &visit.replace("document", "iframe")).await, 403);
    assert_eq!(status(scene, visit).await, 403);
    studio.end().await;
}

/// Everybody on the machine could come in: a studio that is not asked otherwise wants its token, also from itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_wanted_on_this_machine_too() {
    let folder = Folder::new();
    let mut wanted = config(&folder.0, Some(scene("brake-hose")));
    wanted.token = true;
    let studio = Running::start(wanted.clone()).await;
    let token = studio.url.split("token=").nth(1).unwrap().to_owned();
    assert_eq!(studio.get("/api/sessions").await.0, 401);
    assert_eq!(studio.get("/api/sessions/brake-hose/scene.toml").await.0, 401);
    assert_eq!(studio.send("POST", "/api/sessions", b"{}").await.0, 401);
    let origin = format!("http://{}", studio.address);
    assert_eq!(studio.connect("/ws?session=brake-hose", Some(&origin)).await.err(), Some(401));
    assert_eq!(studio.get(&format!("/api/sessions?token={token}")).await.0, 200);
    // The token leaves the address for a cookie.
    let head = format!(
        "GET /?session=brake-hose&token={token}&quality=fast HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        studio.address
    );
    let (status, head, _) = studio.raw(head.as_bytes()).await;
    assert_eq!(status, 303);
    let line = |name: &str| head.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_default().to_owned();
    assert_eq!(line("location: "), "/?session=brake-hose&quality=fast");
    assert!(line("set-cookie: ").contains(&token), "{head}");
    // A wrong one is no way to a cookie.
    let wrong = format!(
        "GET /?token={} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        "0".repeat(32),
        studio.address
    );
    let (status, head, _) = studio.raw(wrong.as_bytes()).await;
    assert!(status == 200 && !head.contains("set-cookie"), "{head}");
    studio.end().await;
    // Pages that are open find the studio again when it was started anew.
    let studio = Running::start(wanted).await;
    assert_eq!(studio.get(&format!("/api/sessions?token={token}")).await.0, 200);
    studio.end().await;
    let everywhere = Where::Address(([0, 0, 0, 0], 0).into());
    let open = flexline_server::Config { place: everywhere, allow_remote: true, ..config(&folder.0, None) };
    let error = Studio::start(open).await.err().unwrap();
    assert!(error.contains("wants a token"), "{error}");
}

/// Text is sent compressed to whoever takes it.
#[tokio::test(flavor = "multi_thread")]
async fn text_is_compressed() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let fetch = async |path: &str, coding: &str| {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAccept-Encoding: {coding}\r\nConnection: close\r\n\r\n",
            studio.address
        );
        let (status, head, body) = studio.raw(request.as_bytes()).await;
        assert_eq!(status, 200, "{path}");
        (head.to_lowercase().contains("content-encoding: gzip"), body)
    };
    let (_, page) = fetch("/", "identity").await;
    // A program that was built without the page has but a sentence to send there, too short to be packed.
    let built = page.len() >= 1024;
    for path in ["/api/gallery", "/api/sessions/brake-hose/centreline.csv", "/"] {
        let (packed, plain) = fetch(path, "br, gzip;q=0").await;
        assert!(!packed, "{path}");
        let (packed, small) = fetch(path, "br, gzip").await;
        if path == "/" && !built {
            assert!(!packed && small == plain && plain.starts_with(b"<!doctype html>"), "{path}");
            continue;
        }
        assert!(packed && 2 * small.len() < plain.len(), "{path}: {} of {}", small.len(), plain.len());
        let mut back = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&*small), &mut back).unwrap();
        assert!(back == plain, "{path}");
    }
    // What is short is sent as it is.
    let (packed, short) = fetch("/api/about", "gzip").await;
    assert!(!packed && short.starts_with(b"{"), "{}", String::from_utf8_lossy(&short));
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_outside_is_served() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    std::fs::write(folder.0.join("secret.toml"), "secret").unwrap();
    for path in [
        "/../Cargo.toml",
        "/..%2f..%2fCargo.toml",
        "/assets/../../Cargo.toml",
        "/assets/%2e%2e/%2e%2e/Cargo.toml",
        "/etc/passwd",
        "//etc/passwd",
        "/api/sessions/../../etc/passwd",
        "/api/sessions/..%2f..%2fetc/scene.toml",
        "/api/sessions/brake-hose/..%2fsecret.toml",
        "/api/sessions/brake-hose/secret.toml",
        "/api/sessions/brake-hose/mesh/..%2f1",
        "/api/sessions/brake-hose%00/scene.toml",
        "/secret.toml",
    ] {
        let (status, body) = studio.get(path).await;
        assert!((400..500).contains(&status), "{path}: {status} {}", String::from_utf8_lossy(&body));
    }
    let (status, head, _) = studio
        .raw(format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", studio.address).as_bytes())
        .await;
    assert_eq!(status, 200);
    for header in ["content-security-policy: default-src 'self'", "x-content-type-options: nosniff"] {
        assert!(head.to_lowercase().contains(header), "{head}");
    }
    assert!(!head.to_lowercase().contains("access-control"), "{head}");
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_and_oversized_messages_do_no_harm() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    let mut stranger = studio.client().await;
    for text in ["nonsense", "{}", "[]", r#"{"op": "fly"}"#, r#"{"op": "drag", "to": "up"}"#, r#"{"op": 7}"#]
    {
        stranger.say(text).await;
        let answer = loop {
            if let Some(answer) = stranger.hear().await.expect("still open") {
                break answer;
            }
        };
        assert!(answer["error"]["message"].as_str().is_some_and(|m| m.len() > 10), "{text}: {answer}");
    }
    stranger.socket.send(Message::binary(vec![0; 100])).await.unwrap();
    while stranger.hear().await.expect("still open").is_none() {}
    lives(&mut stranger).await;
    // One that goes on is closed.
    for _ in 0..200 {
        if stranger.socket.send(Message::text("nonsense")).await.is_err() {
            break;
        }
    }
    while stranger.hear().await.is_some() {}
    let mut large = studio.client().await;
    let _ = large.socket.send(Message::text("x".repeat(2 << 20))).await;
    while large.hear().await.is_some() {}
    lives(&mut client).await;
    studio.end().await;
}

/// Heads that never end are closed, and meanwhile others are served.
#[tokio::test(flavor = "multi_thread")]
async fn slow_heads_are_closed() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    let mut slow = Vec::new();
    for _ in 0..50 {
        let mut stream = TcpStream::connect(&studio.address).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").await.unwrap();
        slow.push(stream);
    }
    lives(&mut client).await;
    for mut stream in slow {
        let mut rest = Vec::new();
        let closed = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut rest)).await;
        assert!(closed.is_ok(), "it is closed by itself");
    }
    // A body that stops coming.
    let mut stream = TcpStream::connect(&studio.address).await.unwrap();
    let head =
        format!("POST /api/sessions HTTP/1.1\r\nHost: {}\r\nContent-Length: 100\r\n\r\n{{", studio.address);
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 12];
    tokio::time::timeout(Duration::from_secs(30), stream.read_exact(&mut answer)).await.unwrap().unwrap();
    assert_eq!(&answer, b"HTTP/1.1 408");
    lives(&mut client).await;
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_connections_are_too_many() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let mut client = studio.client().await;
    let mut all = Vec::new();
    let mut refused = 0;
    for _ in 0..1000 {
        let Ok(mut stream) = TcpStream::connect(&studio.address).await else { continue };
        let mut first = [0; 12];
        let wait = if all.len() < 120 { 1 } else { 500 };
        match tokio::time::timeout(Duration::from_millis(wait), stream.read_exact(&mut first)).await {
            Ok(read) => {
                refused += 1;
                assert!(read.is_err() || &first == b"HTTP/1.1 503");
            }
            Err(_) => all.push(stream),
        }
    }
    assert!(all.len() < 200 && refused > 800, "{} stay, {refused} were refused", all.len());
    lives(&mut client).await;
    drop(all);
    // When they are gone there is room again.
    for _ in 0..100 {
        if studio.get("/api/about").await.0 == 200 {
            studio.end().await;
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no room again");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_are_counted() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let origin = format!("http://{}", studio.address);
    let mut all = Vec::new();
    for _ in 0..64 {
        all.push(studio.connect("/ws?session=brake-hose", Some(&origin)).await.unwrap());
    }
    assert_eq!(studio.connect("/ws?session=brake-hose", Some(&origin)).await.err(), Some(409));
    lives(&mut all[0]).await;
    studio.end().await;
}

/// A client that reads nothing gets fewer frames; everybody else gets theirs.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_client_slows_nobody() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let sleeper = studio.client().await;
    let mut client = studio.client().await;
    let number = client.event(|e| e["event"] == "welcome").await["client"].to_string();
    let held = client.ok(json!({ "op": "grab", "hand": 0, "name": "end" })).await;
    let from: Vec<f64> = serde_json::from_value(held["position"].clone()).unwrap();
    // Far more bytes than sockets hold on their way: each frame is waited for, so that none is skipped here.
    let mut bytes = 0;
    let mut k = 0;
    while bytes < 40 << 20 {
        k += 1;
        let to = [from[0], from[1], from[2] + 1e-3 * f64::from(k % 20)];
        client.say(&json!({ "op": "drag", "hand": 0, "to": to, "stamp": k }).to_string()).await;
        let frame = client.frame(|f| f.trailer["stamps"][&number] == f64::from(k)).await;
        bytes += frame.bytes;
    }
    // Awake again it sees the newest after what was on its way, not the whole past.
    let mut sleeper = sleeper;
    let mut seen = 0;
    loop {
        let frame = sleeper.frame(|_| true).await;
        seen += 1;
        if frame.trailer["stamps"][&number] == f64::from(k) {
            break;
        }
    }
    assert!(seen < k / 2, "{seen} of {k} frames");
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn large_meshes_are_refused_before_they_come() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let path = "/api/sessions/brake-hose/mesh?unit=mm";
    let told = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: 500000000\r\n\r\n",
        studio.address
    );
    let (status, _, body) = studio.raw(told.as_bytes()).await;
    assert_eq!(status, 413);
    assert!(String::from_utf8_lossy(&body).contains("at most 64 MiB"));
    // One that does not tell is stopped on the way.
    let mut stream = TcpStream::connect(&studio.address).await.unwrap();
    let head =
        format!("POST {path} HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: chunked\r\n\r\n", studio.address);
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut reading, mut writing) = stream.into_split();
    let writer = tokio::spawn(async move {
        let piece = vec![b'x'; 1 << 20];
        for sent in 0..500 {
            let wrote = writing.write_all(b"100000\r\n").await.is_ok()
                && writing.write_all(&piece).await.is_ok()
                && writing.write_all(b"\r\n").await.is_ok();
            if !wrote {
                return sent;
            }
        }
        500
    });
    let mut answer = vec![0; 12];
    reading.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    drop(reading);
    assert!(writer.await.unwrap() < 100, "it is not read to its end");
    let mut client = studio.client().await;
    lives(&mut client).await;
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ports_and_addresses_are_told() {
    let folder = Folder::new();
    let studio = Running::hose(&folder).await;
    let port: u16 = studio.address.rsplit(':').next().unwrap().parse().unwrap();
    let other = Folder::new();
    let place = |place| flexline_server::Config { place, ..config(&other.0, None) };
    let error = Studio::start(place(Where::Port(port))).await.err().unwrap();
    assert!(
        error.contains(&format!("port {port} of 127.0.0.1 is in use")) && error.contains("--port"),
        "{error}"
    );
    let everywhere = Where::Address(([0, 0, 0, 0], 0).into());
    let error = Studio::start(place(everywhere)).await.err().unwrap();
    assert!(error.contains("--allow-remote"), "{error}");
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn remote_clients_need_the_token() {
    let folder = Folder::new();
    let place = Where::Address(([0, 0, 0, 0], 0).into());
    let first = Some(scene("brake-hose"));
    let mut studio = Running::start(flexline_server::Config {
        place,
        allow_remote: true,
        token: true,
        ..config(&folder.0, first)
    })
    .await;
    studio.address = studio.address.replace("0.0.0.0", "127.0.0.1");
    let token = studio.url.split("token=").nth(1).unwrap().to_owned();
    assert_eq!(token.len(), 32);
    assert_eq!(studio.get("/").await.0, 200, "the page itself is no secret");
    assert_eq!(studio.get("/api/about").await.0, 401);
    assert_eq!(studio.get(&format!("/api/about?token={}", "0".repeat(32))).await.0, 401);
    assert_eq!(studio.get(&format!("/api/about?token={token}")).await.0, 200);
    let origin = format!("http://{}", studio.address);
    assert_eq!(studio.connect("/ws?session=brake-hose", Some(&origin)).await.err(), Some(401));
    assert!(studio.connect(&format!("/ws?session=brake-hose&token={token}"), Some(&origin)).await.is_ok());
    let head =
        format!("GET /?token={token} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", studio.address);
    let (_, head, _) = studio.raw(head.as_bytes()).await;
    let cookie = head.lines().find_map(|l| l.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let request = format!(
        "GET /api/about HTTP/1.1\r\nHost: {}\r\nCookie: a=b; {cookie}\r\nConnection: close\r\n\r\n",
        studio.address
    );
    assert_eq!(studio.raw(request.as_bytes()).await.0, 200);
    studio.end().await;
}

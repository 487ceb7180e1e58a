//! Listening: addresses and ports, and how many connections there may be.

use crate::limits;
use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The port where none is asked for.
pub const STANDARD_PORT: u16 = 4173;
/// Ports that are tried after it.
const TRIED: u16 = 20;

/// Where to listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// On loopback, at the first free port from the standard one on.
    Loopback,
    /// On loopback, at this port and no other; 0 is any that is free.
    Port(u16),
    /// At this address.
    Address(SocketAddr),
}

impl Where {
    /// Whether nobody but this machine can reach it.
    pub fn is_local(self) -> bool {
        match self {
            Self::Loopback | Self::Port(_) => true,
            Self::Address(address) => address.ip().is_loopback(),
        }
    }
}

/// Listens; the first address is the one to open.
pub async fn bind(place: Where) -> Result<Vec<TcpListener>, String> {
    let first = match place {
        Where::Address(address) => return Ok(vec![listen(address).await.map_err(|e| told(address, &e))?]),
        Where::Port(port) => {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            listen(address).await.map_err(|error| told(address, &error))?
        }
        Where::Loopback => {
            let mut found = None;
            for port in STANDARD_PORT..STANDARD_PORT + TRIED {
                let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
                match listen(address).await {
                    Ok(listener) => {
                        found = Some(listener);
                        break;
                    }
                    Err(error) if error.kind() == ErrorKind::AddrInUse => {}
                    Err(error) => return Err(told(address, &error)),
                }
            }
            found.ok_or_else(|| {
                let last = STANDARD_PORT + TRIED - 1;
                format!("the ports {STANDARD_PORT} to {last} are all in use: choose another by --port, or any by --port 0")
            })?
        }
    };
    // `localhost` may mean the other loopback as well; a machine without it is no worse.
    let port = first.local_addr().map_or(0, |address| address.port());
    let second = listen(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await.ok();
    Ok(std::iter::once(first).chain(second).collect())
}

async fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    TcpListener::bind(address).await
}

fn told(address: SocketAddr, error: &std::io::Error) -> String {
    let port = address.port();
    match error.kind() {
        ErrorKind::AddrInUse => format!(
            "port {port} of {} is in use: is another studio running? Choose another by --port, or any by --port 0",
            address.ip()
        ),
        ErrorKind::PermissionDenied => {
            format!(
                "port {port} may not be used: ports below 1024 are kept by the system; choose another by --port"
            )
        }
        ErrorKind::AddrNotAvailable => {
            format!("{} is no address of this machine: choose one that is by --listen", address.ip())
        }
        _ => format!("{address} cannot be listened to: {error}"),
    }
}

/// How many connections there are, by address.
#[derive(Default)]
struct Doors {
    open: Mutex<HashMap<IpAddr, usize>>,
}

/// A connection that counts until it is dropped.
struct Door {
    doors: Arc<Doors>,
    address: IpAddr,
}

impl Doors {
    /// Counts a connection, unless there are too many.
    fn enter(self: &Arc<Self>, address: IpAddr) -> Option<Door> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let own = open.get(&address).copied().unwrap_or(0);
        if own >= limits::CONNECTIONS_PER_ADDRESS || open.values().sum::<usize>() >= limits::CONNECTIONS {
            return None;
        }
        open.insert(address, own + 1);
        Some(Door { doors: self.clone(), address })
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        let mut open = self.doors.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

/// Serves every connection until the server ends.
pub async fn serve(listeners: Vec<TcpListener>, routes: Router, ending: watch::Receiver<bool>) {
    let doors = Arc::new(Doors::default());
    let tasks = listeners
        .into_iter()
        .map(|listener| tokio::spawn(accept(listener, routes.clone(), doors.clone(), ending.clone())));
    for task in tasks.collect::<Vec<_>>() {
        let _ = task.await;
    }
}

async fn accept(listener: TcpListener, routes: Router, doors: Arc<Doors>, mut ending: watch::Receiver<bool>) {
    loop {
        let accepted = tokio::select! {
            _ = ending.wait_for(|ends| *ends) => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, address)) = accepted else {
            // Too many open files, most likely: it passes.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        match doors.enter(address.ip().to_canonical()) {
            Some(door) => drop(tokio::spawn(attend(stream, routes.clone(), door, ending.clone()))),
            None => drop(tokio::spawn(refuse(stream))),
        }
    }
}

async fn attend(stream: TcpStream, routes: Router, _door: Door, mut ending: watch::Receiver<bool>) {
    // Frames are small and wanted at once.
    let _ = stream.set_nodelay(true);
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HEAD_TIME)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes))
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ends = async { drop(ending.wait_for(|ends| *ends).await) };
    tokio::select! {
        _ = connection.as_mut() => {}
        () = ends => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(Duration::from_secs(1), connection).await;
        }
    }
}

/// One too many: a sentence, and good-bye.
async fn refuse(mut stream: TcpStream) {
    let body = "{\"error\":{\"message\":\"too many connections: close some pages and try again\"}}";
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = tokio::time::timeout(Duration::from_secs(1), stream.write_all(answer.as_bytes())).await;
}

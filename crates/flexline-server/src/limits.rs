//! What the server takes, and what it refuses.

use std::time::Duration;

/// Largest text message of a client, bytes.
pub const MESSAGE: usize = 1 << 20;
/// Largest mesh file, bytes.
pub const MESH: usize = 64 << 20;
/// Largest body of a new session, bytes: the largest scene file, and what JSON adds to it.
pub const SCENE: usize = 32 << 20;
/// Sessions that are open at a time.
pub const SESSIONS: usize = 16;
/// Sessions that are being opened at a time: each is solved on a thread of its own.
pub const OPENINGS: usize = 4;
/// Time in which the engine of a session that was closed must have ended before it is opened again.
pub const CLOSING: Duration = Duration::from_secs(10);
/// Time in which everything must have ended when the server ends.
pub const ENDING: Duration = Duration::from_secs(5);
/// Clients at a time.
pub const CLIENTS: usize = 64;
/// Connections at a time.
pub const CONNECTIONS: usize = 256;
/// Connections of one address at a time.
pub const CONNECTIONS_PER_ADDRESS: usize = 128;
/// Messages of one client per second; who sends more is read more slowly.
pub const MESSAGES_PER_SECOND: f64 = 1000.0;
/// Messages that may come at once.
pub const MESSAGES_AT_ONCE: f64 = 2000.0;
/// Messages that are not understood before the connection is closed.
pub const MISUNDERSTANDINGS: usize = 100;
/// Time in which the head of a request must have come.
pub const HEAD_TIME: Duration = Duration::from_secs(10);
/// Longest silence within a body.
pub const BODY_SILENCE: Duration = Duration::from_secs(10);
/// Time in which a body must have come.
pub const BODY_TIME: Duration = Duration::from_secs(120);
/// Time in which a client must have taken a message.
pub const SEND_TIME: Duration = Duration::from_secs(20);
/// A client is asked for a sign of life this often, and closed after three of them without any.
pub const ALIVE: Duration = Duration::from_secs(15);

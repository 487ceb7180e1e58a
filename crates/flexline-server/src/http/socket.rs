//! The WebSocket of a page: one task reads and asks the engine, one writes what is newest.

use super::App;
use super::answer::{Refusal, bad, conflict, missing};
use crate::engine::Listening;
use crate::limits;
use crate::request::{Op, Request};
use crate::sessions::Seat;
use crate::wire::{Answered, Nothing, Reply, ServerEvent};
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Query, State};
use axum::response::Response;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

/// Answers that may wait to be written; who does not take them is not read any further.
const ANSWERS: usize = 32;

/// `GET /ws?session=S`.
pub async fn open(
    State(app): State<Arc<App>>,
    Query(asked): Query<HashMap<String, String>>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Refusal> {
    let name = asked.get("session").ok_or_else(|| bad("`session` is missing: expected /ws?session=NAME"))?;
    let live = app.sessions.open(name, None).await.map_err(missing)?;
    let seat = app.sessions.sit(live).map_err(conflict)?;
    let client = app.next_client.fetch_add(1, Ordering::Relaxed);
    let ending = app.ending.clone();
    Ok(upgrade
        .max_message_size(limits::MESSAGE)
        .max_frame_size(limits::MESSAGE)
        .on_upgrade(move |socket| attend(ending, socket, seat, client)))
}

/// Serves one client until it goes. `ending` is dropped last: who waits for that finds the session closed.
async fn attend(ending: watch::Receiver<bool>, socket: WebSocket, seat: Seat, client: u32) {
    let engine = &seat.live.engine;
    let listening = engine.listen();
    if engine.join(client).is_err() {
        return;
    }
    let (sink, stream) = socket.split();
    let (answers, answered) = mpsc::channel(ANSWERS);
    let welcome =
        ServerEvent::Welcome { client, session: seat.live.name.clone(), version: env!("CARGO_PKG_VERSION") };
    let notices = seat.live.notices.iter().map(|message| ServerEvent::Notice { message: message.clone() });
    let greetings = std::iter::once(welcome).chain(notices).map(|event| event.text()).collect();
    let writing = write(sink, listening, answered, greetings, ending.clone());
    let reading = read(stream, &seat, client, answers);
    tokio::select! {
        () = writing => {}
        () = reading => {}
    }
    engine.leave(client).await;
}

/// What is written besides events and frames.
enum Out {
    Text(Utf8Bytes),
    Close(u16, &'static str),
}

/// Writes answers, events and the newest frame, as fast as the client takes them.
async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    mut listening: Listening,
    mut answers: mpsc::Receiver<Out>,
    greetings: Vec<Utf8Bytes>,
    mut ending: watch::Receiver<bool>,
) {
    // Welcome first, then the scene, then what there is to know.
    let mut first = greetings.into_iter();
    let scene = listening.scene.borrow_and_update().clone();
    for text in first.next().into_iter().chain([scene]).chain(first) {
        if !put(&mut sink, Message::Text(text)).await {
            return;
        }
    }
    loop {
        // Events come before frames: a frame is drawn with the scene it belongs to.
        let message = tokio::select! {
            biased;
            _ = ending.wait_for(|ends| *ends) => closing(close_code::AWAY, "the studio was ended"),
            answer = answers.recv() => match answer {
                Some(Out::Text(text)) => Message::Text(text),
                Some(Out::Close(code, reason)) => closing(code, reason),
                None => return,
            },
            event = listening.events.recv() => match event {
                Ok(text) => Message::Text(text),
                Err(RecvError::Lagged(_)) => {
                    listening.frames.mark_changed();
                    Message::Text(listening.scene.borrow_and_update().clone())
                }
                Err(RecvError::Closed) => closing(close_code::RESTART, "the session was closed"),
            },
            changed = listening.frames.changed() => match changed {
                Ok(()) => Message::Binary(listening.frames.borrow_and_update().clone()),
                Err(_) => closing(close_code::RESTART, "the engine of the session has stopped"),
            },
            () = sleep(limits::ALIVE) => Message::Ping(bytes::Bytes::new()),
        };
        let ends = matches!(message, Message::Close(_));
        if !put(&mut sink, message).await || ends {
            return;
        }
    }
}

/// Sends a message; `false` when the client is gone or takes nothing.
async fn put(sink: &mut SplitSink<WebSocket, Message>, message: Message) -> bool {
    matches!(timeout(limits::SEND_TIME, sink.send(message)).await, Ok(Ok(())))
}

fn closing(code: u16, reason: &'static str) -> Message {
    Message::Close(Some(CloseFrame { code, reason: reason.into() }))
}

/// Tokens that refill with time: one per message.
struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl Bucket {
    /// Takes one, after waiting for it where there is none.
    async fn take(&mut self) {
        let now = Instant::now();
        let gained = now.duration_since(self.filled).as_secs_f64() * limits::MESSAGES_PER_SECOND;
        self.tokens = (self.tokens + gained).min(limits::MESSAGES_AT_ONCE) - 1.0;
        self.filled = now;
        if self.tokens < 0.0 {
            sleep(std::time::Duration::from_secs_f64(-self.tokens / limits::MESSAGES_PER_SECOND)).await;
        }
    }
}

/// What a client says, in order. What comes while something else is waited for is kept, so that a client who goes is
/// noticed at once.
struct Heard {
    stream: SplitStream<WebSocket>,
    kept: VecDeque<Message>,
    /// Bytes of what is kept.
    size: usize,
}

/// Nothing more is read from this client.
enum Silence {
    Gone,
    Broken,
}

impl Heard {
    async fn read(&mut self) -> Result<Message, Silence> {
        match self.stream.next().await {
            Some(Ok(Message::Close(_))) | None => Err(Silence::Gone),
            Some(Ok(message)) => Ok(message),
            Some(Err(_)) => Err(Silence::Broken),
        }
    }

    /// The next message.
    async fn next(&mut self) -> Result<Message, Silence> {
        match self.kept.pop_front() {
            Some(message) => {
                self.size -= weight(&message);
                Ok(message)
            }
            None => self.read().await,
        }
    }

    /// Waits for something else, while the client is there.
    async fn during<T>(&mut self, wait: impl Future<Output = T>) -> Result<T, Silence> {
        let mut wait = std::pin::pin!(wait);
        loop {
            // Who says more than this meanwhile is not read any further.
            let room = self.size < limits::MESSAGE;
            tokio::select! {
                biased;
                done = &mut wait => return Ok(done),
                message = self.read(), if room => {
                    let message = message?;
                    self.size += weight(&message);
                    self.kept.push_back(message);
                }
            }
        }
    }
}

/// Memory that a message takes, about.
fn weight(message: &Message) -> usize {
    let own = match message {
        Message::Text(text) => text.len(),
        Message::Binary(bytes) | Message::Ping(bytes) | Message::Pong(bytes) => bytes.len(),
        Message::Close(_) => 0,
    };
    size_of::<Message>() + own
}

/// Reads requests, one after the other, until the client goes.
async fn read(stream: SplitStream<WebSocket>, seat: &Seat, client: u32, answers: mpsc::Sender<Out>) {
    let mut bucket = Bucket { tokens: limits::MESSAGES_AT_ONCE, filled: Instant::now() };
    let mut misunderstandings = 0;
    let mut heard = Heard { stream, kept: VecDeque::new(), size: 0 };
    let broken = || close(&answers, close_code::SIZE, "a message was too large or broken");
    loop {
        let message = match timeout(3 * limits::ALIVE, heard.next()).await {
            Ok(Ok(message)) => message,
            Ok(Err(Silence::Broken)) => return broken().await,
            Ok(Err(Silence::Gone)) => return,
            Err(_) => return close(&answers, close_code::POLICY, "there was no sign of life").await,
        };
        bucket.take().await;
        let request = match &message {
            Message::Text(text) => Request::read(text),
            Message::Binary(_) => Request::read("binary"),
            Message::Ping(_) | Message::Pong(_) | Message::Close(_) => continue,
        };
        let answer = match request {
            Ok(Request { op: Op::Drag(drag), .. }) => {
                seat.live.engine.drag(client, drag);
                continue;
            }
            Ok(Request { id, op }) => {
                let result = match op {
                    Op::Ping => Ok(Answered::Nothing(Nothing {})),
                    op => match heard.during(seat.live.engine.ask(client, op)).await {
                        Ok(answer) => answer,
                        Err(Silence::Broken) => return broken().await,
                        Err(Silence::Gone) => return,
                    },
                };
                if id.is_none() && result.is_ok() {
                    continue;
                }
                Reply::new(id.unwrap_or(Value::Null), result)
            }
            Err(error) => {
                misunderstandings += 1;
                if misunderstandings > limits::MISUNDERSTANDINGS {
                    return close(&answers, close_code::POLICY, "too many messages were not understood")
                        .await;
                }
                Reply::new(error.id.unwrap_or(Value::Null), Err(error.message))
            }
        };
        if answers.send(Out::Text(answer.text())).await.is_err() {
            return;
        }
    }
}

/// Asks the writer to close, and waits until it has.
async fn close(answers: &mpsc::Sender<Out>, code: u16, reason: &'static str) {
    let _ = answers.send(Out::Close(code, reason)).await;
    let _ = timeout(limits::SEND_TIME, answers.closed()).await;
}

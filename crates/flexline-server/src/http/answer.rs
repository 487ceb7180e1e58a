//! Answers: JSON, and errors as a sentence for a person.

use crate::wire::{Failure, Mistake};
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// An error as an answer.
pub fn refuse(status: StatusCode, message: &str) -> Response {
    let error = Mistake { message: message.to_owned() };
    (status, Json(Failure { error })).into_response()
}

/// What a handler gives instead of an answer.
pub struct Refusal(pub StatusCode, pub String);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        refuse(self.0, &self.1)
    }
}

/// The person asked for something that cannot be.
pub fn bad(message: impl Into<String>) -> Refusal {
    Refusal(StatusCode::BAD_REQUEST, message.into())
}

/// There is no such thing.
pub fn missing(message: impl Into<String>) -> Refusal {
    Refusal(StatusCode::NOT_FOUND, message.into())
}

/// It does not go together with what there is.
pub fn conflict(message: impl Into<String>) -> Refusal {
    Refusal(StatusCode::CONFLICT, message.into())
}

//! The server as a page sees it: real connections to a studio on a free port.

mod protocol;
mod security;
mod support;

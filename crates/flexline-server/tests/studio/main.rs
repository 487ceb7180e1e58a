//! The server as a page sees it: real connections to a studio on a free port.

mod bounds;
mod keeping;
mod protocol;
mod security;
mod support;

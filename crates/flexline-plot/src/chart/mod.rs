//! Charts: axes with round numbers, lines with few points, limits and slopes.

mod axes;
mod line;
mod panel;
mod slope;
mod thin;
mod ticks;

pub use line::{Axis, Chart, Guide, Marker, Series};
pub(crate) use panel::{Bound, Curve, Panel, Run};
pub use ticks::{Ticks, linear_ticks, log_ticks, nice_step};

//! The few colours and sizes that every picture shares.

use super::Colour;

/// Titles and values.
pub(crate) const INK: Colour = Colour::hex(0x1f2933);
/// Axis numbers and secondary text.
pub(crate) const MUTED: Colour = Colour::hex(0x5f6b7a);
/// Axis lines.
pub(crate) const AXIS: Colour = Colour::hex(0x9aa5b1);
/// Grid lines.
pub(crate) const GRID: Colour = Colour::hex(0xe4e8ec);
/// Frames around panes.
pub(crate) const FRAME: Colour = Colour::hex(0xd3d9df);
/// Data lines.
pub(crate) const LINE: Colour = Colour::hex(0x2463a6);
/// Second data line.
pub(crate) const LINE_TWO: Colour = Colour::hex(0xc2701c);
/// Limits and violations.
pub(crate) const BAD: Colour = Colour::hex(0xc0342b);
/// Close to a limit.
pub(crate) const WARN: Colour = Colour::hex(0xe3a21a);
/// Within limits.
pub(crate) const GOOD: Colour = Colour::hex(0x2f8f5b);
/// Loads.
pub(crate) const LOAD: Colour = Colour::hex(0x8c2f7a);
/// Clamps and pins.
pub(crate) const STEEL: Colour = Colour::hex(0xaab4bf);
/// A tube without colour scale.
pub(crate) const RUBBER: Colour = Colour::hex(0x4d6a8a);

/// Series on a chart, distinct in hue and in brightness.
pub(crate) const SERIES: [Colour; 7] = [
    Colour::hex(0x2463a6),
    Colour::hex(0xd9822b),
    Colour::hex(0x2f8f5b),
    Colour::hex(0xa63d40),
    Colour::hex(0x7b5ea7),
    Colour::hex(0x4aa3b8),
    Colour::hex(0x6b7280),
];

/// Axis numbers, px.
pub(crate) const SMALL: f64 = 10.5;
/// Labels, px.
pub(crate) const NORMAL: f64 = 12.0;
/// Titles of panes, px.
pub(crate) const HEADING: f64 = 13.0;

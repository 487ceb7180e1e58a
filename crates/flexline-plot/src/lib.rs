//! Pictures of slender flexible parts, as SVG and PNG.
//!
//! The crate knows nothing of the engine: a [`Cable`] is plain numbers along the arc length, SI units,
//! z up, quaternions (w, x, y, z) from material to world with d3 the tangent.
//!
//! - [`report`]: one page with views, charts and key numbers.
//! - [`perspective`] and [`three_views`]: the tube in space, shaded, with a stripe that shows twist.
//! - [`along`]: curvature, twist, tension, shear and moment along the arc length.
//! - [`Chart`]: any lines, linear or logarithmic, for convergence and timing curves.
//!
//! Each gives a [`Drawing`], which writes itself with [`Drawing::to_svg`] and [`Drawing::to_png`].
//!
//! ```
//! use flexline_plot::{Axis, Chart, Series};
//!
//! let points = vec![[25.0, 4.0e-3], [50.0, 1.0e-3], [100.0, 2.5e-4]];
//! let chart = Chart {
//!     title: "Convergence".into(),
//!     x: Axis::log("segments n"),
//!     y: Axis::log("error / L"),
//!     series: vec![Series::new("mixed", points).with_slope(-2.0)],
//!     ..Chart::default()
//! };
//! let drawing = chart.drawing(480.0, 360.0)?;
//! assert!(drawing.to_svg().starts_with("<svg"));
//! # Ok::<(), flexline_plot::PlotError>(())
//! ```

mod along;
mod cable;
mod chart;
mod colour_map;
mod drawing;
mod error;
mod facts;
mod quantity;
mod report;
mod subject;
mod view;

pub use along::along;
pub use cable::{Cable, ColourBy, Limits, Station};
pub use chart::{Axis, Chart, Guide, Marker, Series, Ticks, linear_ticks, log_ticks, nice_step};
pub use colour_map::{ColourMap, ColourScale};
pub use drawing::{Anchor, Colour, Drawing, Item, Label, Path, Rect, Script, Segment, Shape, Stroke};
pub use error::PlotError;
pub use facts::{Fact, Tone};
pub use quantity::{Quantity, Unit, short};
pub use report::{ReportOptions, report};
pub use subject::{End, Load, LoadKind, Paint, Solid, Subject, Tube};
pub use view::{Plane, ViewOptions, orthographic, perspective, three_views};

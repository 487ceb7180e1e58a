//! The PNG writer: the same drawing rasterised with anti-aliasing.

use super::{Anchor, Colour, Drawing, HALO, Item, Label, Path, Segment, Shape, font};
use crate::error::PlotError;
use tiny_skia::{FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, StrokeDash, Transform};

/// Smallest and largest side of a PNG, px.
const SIDES: [f64; 2] = [16.0, 16_384.0];

pub(super) fn png(drawing: &Drawing, width_px: u32) -> Result<Vec<u8>, PlotError> {
    let scale = f64::from(width_px) / drawing.width;
    let (width, height) = (f64::from(width_px), (drawing.height * scale).round());
    let [least, most] = SIDES;
    let size_error = PlotError::Size { width, height, least, most };
    if !(least..=most).contains(&width) || !(least..=most).contains(&height) {
        return Err(size_error);
    }
    let mut pixmap = Pixmap::new(width_px, height as u32).ok_or(size_error)?;
    pixmap.fill(tiny_skia::Color::WHITE);
    let world = Transform::from_scale(scale as f32, scale as f32);
    for item in &drawing.items {
        match item {
            Item::Shape(shape) => draw_shape(&mut pixmap, shape, world),
            Item::Label(label) => draw_label(&mut pixmap, label, world),
        }
    }
    pixmap.encode_png().map_err(|e| PlotError::Encode(e.to_string()))
}

fn draw_shape(pixmap: &mut Pixmap, shape: &Shape, world: Transform) {
    let Some(path) = convert(&shape.path) else { return };
    if let Some(fill) = shape.fill {
        pixmap.fill_path(&path, &paint(fill), FillRule::Winding, world, None);
    }
    if let Some(stroke) = shape.stroke {
        let (line_cap, line_join) =
            if stroke.round { (LineCap::Round, LineJoin::Round) } else { (LineCap::Butt, LineJoin::Miter) };
        let dash = stroke.dash.and_then(|[d, g]| StrokeDash::new(vec![d as f32, g as f32], 0.0));
        let pen =
            tiny_skia::Stroke { width: stroke.width as f32, line_cap, line_join, dash, ..Default::default() };
        pixmap.stroke_path(&path, &paint(stroke.colour), &pen, world, None);
    }
}

fn draw_label(pixmap: &mut Pixmap, label: &Label, world: Transform) {
    let Some(path) = convert(&font::outline(label)) else { return };
    let shift = match label.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -0.5 * label.width(),
        Anchor::End => -label.width(),
    };
    let [x, y] = label.at.map(|c| c as f32);
    let turn = if label.upward { -90.0 } else { 0.0 };
    let place = Transform::from_translate(shift as f32, 0.0).post_rotate(turn).post_translate(x, y);
    let place = place.post_concat(world);
    if label.halo {
        let (width, line_join) = (2.0 * HALO as f32, LineJoin::Round);
        let pen = tiny_skia::Stroke { width, line_join, ..Default::default() };
        pixmap.stroke_path(&path, &paint(Colour::WHITE), &pen, place, None);
    }
    pixmap.fill_path(&path, &paint(label.colour), FillRule::Winding, place, None);
}

fn paint(colour: Colour) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(colour.r, colour.g, colour.b, colour.a);
    paint
}

fn convert(path: &Path) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    for segment in &path.segments {
        let f = |p: [f64; 2]| p.map(|c| c as f32);
        match *segment {
            Segment::Move(p) => builder.move_to(f(p)[0], f(p)[1]),
            Segment::Line(p) => builder.line_to(f(p)[0], f(p)[1]),
            Segment::Cubic(a, b, p) => {
                let [[ax, ay], [bx, by], [x, y]] = [f(a), f(b), f(p)];
                builder.cubic_to(ax, ay, bx, by, x, y);
            }
            Segment::Close => builder.close(),
        }
    }
    builder.finish()
}

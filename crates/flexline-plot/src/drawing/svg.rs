//! The SVG writer: deterministic, compact, coordinates to a tenth of a pixel.

use super::font::{SCRIPT_SIZE, script_drop};
use super::{Anchor, Colour, Drawing, HALO, Item, Label, Path, Script, Segment, Shape};
use std::fmt::Write;

const FONTS: &str = "'Noto Sans','Segoe UI',Helvetica,Arial,sans-serif";

/// Steps per pixel on which coordinates are rounded.
const STEPS: f64 = 10.0;

pub(super) fn write(drawing: &Drawing) -> String {
    let (w, h) = (number(drawing.width), number(drawing.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
         role=\"img\" aria-labelledby=\"title desc\" font-family=\"{FONTS}\" fill=\"none\" \
         stroke-linecap=\"round\" stroke-linejoin=\"round\">\n"
    );
    let (title, description) = (escape(&drawing.title), escape(&drawing.description));
    push(&mut out, format_args!("<title id=\"title\">{title}</title>\n"));
    push(&mut out, format_args!("<desc id=\"desc\">{description}</desc>\n"));
    push(&mut out, format_args!("<rect width=\"{w}\" height=\"{h}\" fill=\"#fff\"/>\n"));
    for item in &drawing.items {
        match item {
            Item::Shape(shape) => write_shape(&mut out, shape),
            Item::Label(label) => write_label(&mut out, label),
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Writing into a `String` cannot fail.
fn push(out: &mut String, args: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(args);
}

fn write_shape(out: &mut String, shape: &Shape) {
    push(out, format_args!("<path d=\"{}\"", path_data(&shape.path)));
    if let Some(fill) = shape.fill {
        paint(out, "fill", fill);
    }
    if let Some(stroke) = shape.stroke {
        paint(out, "stroke", stroke.colour);
        if stroke.width != 1.0 {
            push(out, format_args!(" stroke-width=\"{}\"", number(stroke.width)));
        }
        if let Some([dash, gap]) = stroke.dash {
            push(out, format_args!(" stroke-dasharray=\"{} {}\"", number(dash), number(gap)));
        }
        if !stroke.round {
            out.push_str(" stroke-linecap=\"butt\" stroke-linejoin=\"miter\"");
        }
    }
    out.push_str("/>\n");
}

fn paint(out: &mut String, what: &str, colour: Colour) {
    push(out, format_args!(" {what}=\"{}\"", hex(colour)));
    if colour.a != 255 {
        push(out, format_args!(" {what}-opacity=\"{}\"", number(colour.opacity())));
    }
}

fn write_label(out: &mut String, label: &Label) {
    let [x, y] = label.at.map(number);
    if label.upward {
        push(out, format_args!("<text transform=\"translate({x} {y}) rotate(-90)\""));
    } else {
        push(out, format_args!("<text x=\"{x}\" y=\"{y}\""));
    }
    push(out, format_args!(" font-size=\"{}\"", number(label.size)));
    paint(out, "fill", label.colour);
    match label.anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str(" text-anchor=\"middle\""),
        Anchor::End => out.push_str(" text-anchor=\"end\""),
    }
    if label.bold {
        out.push_str(" font-weight=\"700\"");
    }
    if label.halo {
        let width = number(2.0 * HALO);
        push(out, format_args!(" stroke=\"#fff\" stroke-width=\"{width}\" paint-order=\"stroke\""));
    }
    out.push('>');
    let mut drop = 0.0;
    for (text, script) in &label.runs {
        let wanted = script_drop(*script) * label.size;
        let (shift, text) = (number(wanted - drop), escape(text));
        match (*script, shift.as_str()) {
            (Script::Normal, "0") => out.push_str(&text),
            (Script::Normal, _) => push(out, format_args!("<tspan dy=\"{shift}\">{text}</tspan>")),
            _ => {
                let size = number(label.size * SCRIPT_SIZE);
                push(out, format_args!("<tspan dy=\"{shift}\" font-size=\"{size}\">{text}</tspan>"));
            }
        }
        drop = wanted;
    }
    out.push_str("</text>\n");
}

/// Path data in relative coordinates; steps are between rounded points, so errors do not add up.
fn path_data(path: &Path) -> String {
    let mut out = String::new();
    let (mut at, mut start, mut command) = ([0_i64; 2], [0_i64; 2], ' ');
    for segment in &path.segments {
        let (letter, points) = match *segment {
            Segment::Move(p) => ('M', vec![p]),
            Segment::Line(p) => ('l', vec![p]),
            Segment::Cubic(a, b, p) => ('c', vec![a, b, p]),
            Segment::Close => {
                out.push('z');
                (at, command) = (start, 'z');
                continue;
            }
        };
        if letter != command || letter == 'M' {
            out.push(letter);
        }
        command = letter;
        let base = if letter == 'M' { [0; 2] } else { at };
        for point in points {
            at = point.map(|c| (c * STEPS).round() as i64);
            for i in 0..2 {
                append(&mut out, at[i] - base[i]);
            }
        }
        if letter == 'M' {
            start = at;
        }
    }
    out
}

/// Appends a number given in steps, with a space only where one is needed.
fn append(out: &mut String, steps: i64) {
    let text = number(steps as f64 / STEPS);
    let after_number = out.ends_with(|c: char| c.is_ascii_digit());
    let after_fraction = out.rfind(|c: char| !c.is_ascii_digit()).is_some_and(|i| out.as_bytes()[i] == b'.');
    let joined = text.starts_with('-') || (text.starts_with('.') && after_fraction);
    if after_number && !joined {
        out.push(' ');
    }
    out.push_str(&text);
}

/// A number to two decimals without superfluous zeros.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "" | "-0" | "0" => "0".into(),
        _ if text.starts_with("0.") => text[1..].into(),
        _ if text.starts_with("-0.") => format!("-{}", &text[2..]),
        _ => text.into(),
    }
}

fn hex(c: Colour) -> String {
    let short = [c.r, c.g, c.b].iter().all(|v| v >> 4 == v & 15);
    if short {
        format!("#{:x}{:x}{:x}", c.r & 15, c.g & 15, c.b & 15)
    } else {
        format!("#{:02x}{:02x}{:02x}", c.r, c.g, c.b)
    }
}

/// Text safe in XML; control characters, which XML forbids, become spaces.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => out.push(' '),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [(0.0, "0"), (-0.001, "0"), (0.5, ".5"), (-0.25, "-.25"), (12.0, "12"), (100.0, "100")];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!(number(2.34567), "2.35");
    }

    #[test]
    fn path_data_is_relative_and_packed() {
        let path = Path::polygon(&[[10.0, 20.0], [10.5, 20.5], [9.5, 20.5]]);
        assert_eq!(path_data(&path), "M10 20l.5.5-1 0z");
    }

    #[test]
    fn rounding_does_not_accumulate() {
        let points: Vec<_> = (0..1000).map(|i| [f64::from(i) * 0.333_333, 0.0]).collect();
        let data = path_data(&Path::polyline(&points));
        let steps = data.split_once('l').unwrap().1;
        let total: f64 = steps.split(' ').step_by(2).map(|t| t.parse::<f64>().unwrap()).sum();
        assert!((total - 332.999_667).abs() < 0.051, "{total}");
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("a<b & \"c\"\u{1}"), "a&lt;b &amp; \"c\" ");
    }

    #[test]
    fn short_colours() {
        assert_eq!(hex(Colour::hex(0xffffff)), "#fff");
        assert_eq!(hex(Colour::hex(0x1a2b3c)), "#1a2b3c");
    }
}

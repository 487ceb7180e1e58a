//! The embedded font (Noto Sans, SIL Open Font Licence): widths, outlines and sub- and superscripts.

use super::{Label, Path, Script, Segment};
use std::sync::LazyLock;
use ttf_parser::{Face, OutlineBuilder};

static REGULAR: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| Face::parse(notosans::REGULAR_TTF, 0).ok());
static BOLD: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(notosans::BOLD_TTF, 0).ok());

/// Size of a script relative to the line it belongs to.
pub(super) const SCRIPT_SIZE: f64 = 0.72;

/// How far below the baseline a run sits, relative to the size of the line.
pub(super) fn script_drop(script: Script) -> f64 {
    match script {
        Script::Normal => 0.0,
        Script::Sub => 0.18,
        Script::Super => -0.36,
    }
}

/// Splits `κ_1` and `m^{-1}` into runs; a hyphen before a digit in a script becomes a minus sign.
pub(super) fn markup(text: &str) -> Vec<(String, Script)> {
    let mut runs: Vec<(String, Script)> = vec![(String::new(), Script::Normal)];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let script = match c {
            '_' => Script::Sub,
            '^' => Script::Super,
            _ => {
                push(&mut runs, c, Script::Normal);
                continue;
            }
        };
        if chars.next_if_eq(&'{').is_some() {
            while let Some(c) = chars.next_if(|c| *c != '}') {
                push(&mut runs, if c == '-' { '−' } else { c }, script);
            }
            chars.next();
        } else if let Some(c) = chars.next() {
            push(&mut runs, c, script);
        }
    }
    runs.retain(|(text, _)| !text.is_empty());
    runs
}

fn push(runs: &mut Vec<(String, Script)>, c: char, script: Script) {
    match runs.last_mut() {
        Some((text, last)) if *last == script => text.push(c),
        _ => runs.push((c.to_string(), script)),
    }
}

fn face(bold: bool) -> Option<&'static Face<'static>> {
    if bold { BOLD.as_ref() } else { REGULAR.as_ref() }
}

/// Width of one character at size 1.
fn advance(face: &Face<'_>, c: char) -> f64 {
    let glyph = face.glyph_index(c).unwrap_or_default();
    f64::from(face.glyph_hor_advance(glyph).unwrap_or(0)) / f64::from(face.units_per_em())
}

fn run_size(label: &Label, script: Script) -> f64 {
    if script == Script::Normal { label.size } else { label.size * SCRIPT_SIZE }
}

/// Width of a label, px.
pub(super) fn width(label: &Label) -> f64 {
    let Some(face) = face(label.bold) else { return 0.0 };
    let run = |(text, script): &(String, Script)| {
        text.chars().map(|c| advance(face, c)).sum::<f64>() * run_size(label, *script)
    };
    label.runs.iter().map(run).sum()
}

/// Outline of a label set from the origin to the right, y down, px.
pub(super) fn outline(label: &Label) -> Path {
    let mut pen = Pen { path: Path::new(), x: 0.0, y: 0.0, scale: 1.0, last: [0.0; 2] };
    let Some(face) = face(label.bold) else { return pen.path };
    for (text, script) in &label.runs {
        let size = run_size(label, *script);
        pen.scale = size / f64::from(face.units_per_em());
        pen.y = script_drop(*script) * label.size;
        for c in text.chars() {
            let glyph = face.glyph_index(c).unwrap_or_default();
            face.outline_glyph(glyph, &mut pen);
            pen.x += advance(face, c) * size;
        }
    }
    pen.path
}

/// Collects glyph outlines, placed and scaled; font units have y up.
struct Pen {
    path: Path,
    x: f64,
    y: f64,
    scale: f64,
    last: [f64; 2],
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> [f64; 2] {
        [self.x + f64::from(x) * self.scale, self.y - f64::from(y) * self.scale]
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.last = self.place(x, y);
        self.path.segments.push(Segment::Move(self.last));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.last = self.place(x, y);
        self.path.segments.push(Segment::Line(self.last));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (from, handle, to) = (self.last, self.place(x1, y1), self.place(x, y));
        let toward = |end: [f64; 2]| [0, 1].map(|i| end[i] + (handle[i] - end[i]) * (2.0 / 3.0));
        self.path.segments.push(Segment::Cubic(toward(from), toward(to), to));
        self.last = to;
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let segment = Segment::Cubic(self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.last = self.place(x, y);
        self.path.segments.push(segment);
    }

    fn close(&mut self) {
        self.path.segments.push(Segment::Close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::Colour;

    fn label(text: &str) -> Label {
        Label::marked([0.0; 2], 10.0, Colour::hex(0), text)
    }

    #[test]
    fn markup_splits_scripts() {
        let runs = markup("κ_1 in m^{-1}, 10^6");
        let expected = [
            ("κ", Script::Normal),
            ("1", Script::Sub),
            (" in m", Script::Normal),
            ("−1", Script::Super),
            (", 10", Script::Normal),
            ("6", Script::Super),
        ];
        assert_eq!(runs, expected.map(|(t, s)| (t.to_string(), s)));
        assert_eq!(markup("end_").len(), 1);
        assert_eq!(markup("open^{ab").len(), 2);
    }

    #[test]
    fn every_character_the_pictures_use_has_a_glyph() {
        for bold in [false, true] {
            let face = face(bold).unwrap();
            for c in "abcxyzKLMNRST0123456789κτµ·−–×≥≤°Ø±|%()/".chars() {
                assert!(face.glyph_index(c).is_some(), "{c}");
            }
        }
    }

    #[test]
    fn outlines_stay_within_the_measured_width() {
        let label = label("Tension 12.5 N");
        let (width, path) = (label.width(), outline(&label));
        let right = path.points().map(|p| p[0]).fold(0.0, f64::max);
        assert!(width > 50.0 && width < 100.0, "{width}");
        assert!(right > 0.95 * width && right <= width, "{right} {width}");
    }

    #[test]
    fn subscripts_are_small_and_low() {
        assert!(label("κ_1").width() < label("κ1").width());
        let bottom = outline(&label("κ_1")).points().map(|p| p[1]).fold(f64::MIN, f64::max);
        assert!(bottom > 1.0, "{bottom}");
    }
}

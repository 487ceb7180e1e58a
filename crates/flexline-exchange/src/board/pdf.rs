//! The sheet as PDF at 1:1: on one page as large as it is, or in tiles with crop marks to be put together.

use super::Sheet;
use super::sheet::{Layer, Mark};
use std::fmt::Write;

/// What it is printed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    /// 297 mm by 210 mm.
    A4,
    /// 420 mm by 297 mm.
    A3,
    /// One page as large as the sheet.
    One,
}

/// Points in a millimetre.
const POINT: f64 = 72.0 / 25.4;
/// Space around the tile on its page, mm, which printers leave white.
const MARGIN: f64 = 12.0;
/// No side of a page is longer than this, mm (14400 points).
pub const LONGEST: f64 = 5080.0;

impl Paper {
    /// Width and height of a page, mm.
    fn size(self, sheet: &Sheet) -> [f64; 2] {
        match self {
            Self::A4 => [297.0, 210.0],
            Self::A3 => [420.0, 297.0],
            Self::One => [sheet.width, sheet.height],
        }
    }
}

impl Sheet {
    /// How many pages it takes: across and up.
    pub fn pages(&self, paper: Paper) -> [usize; 2] {
        if paper == Paper::One {
            return [1, 1];
        }
        let [w, h] = paper.size(self).map(|side| side - 2.0 * MARGIN);
        [(self.width / w).ceil().max(1.0) as usize, (self.height / h).ceil().max(1.0) as usize]
    }

    /// The file; `None` where one page cannot be as large as the sheet.
    pub fn to_pdf(&self, paper: Paper) -> Option<Vec<u8>> {
        if paper == Paper::One && self.width.max(self.height) > LONGEST {
            return None;
        }
        let [across, up] = self.pages(paper);
        let [w, h] = paper.size(self);
        let margin = if paper == Paper::One { 0.0 } else { MARGIN };
        let tile = [w - 2.0 * margin, h - 2.0 * margin];
        // 1 catalogue, 2 pages, 3 font, 4 the drawing, then page and content by turns.
        let mut file = File::default();
        let kids: Vec<String> = (0..across * up).map(|i| format!("{} 0 R", 5 + 2 * i)).collect();
        file.object("<< /Type /Catalog /Pages 2 0 R >>");
        file.object(&format!("<< /Type /Pages /Count {} /Kids [{}] >>", across * up, kids.join(" ")));
        file.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
        let form = format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 {:.4} {:.4}] /Resources << /Font << /F 3 0 R >> >>",
            self.width, self.height
        );
        file.stream(&form, &self.content());
        for row in 0..up {
            for column in 0..across {
                let page = file.count + 1;
                file.object(&format!(
                    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {:.5} {:.5}] /Resources << /XObject << /D 4 0 R >> /Font << /F 3 0 R >> >> /Contents {} 0 R >>",
                    w * POINT,
                    h * POINT,
                    page + 1
                ));
                let [x, y] = [column as f64 * tile[0], row as f64 * tile[1]];
                let mut text = format!(
                    "{POINT:.8} 0 0 {POINT:.8} 0 0 cm\nq\n{margin} {margin} {:.4} {:.4} re W n\n1 0 0 1 {:.5} {:.5} cm\n/D Do\nQ\n",
                    tile[0],
                    tile[1],
                    margin - x,
                    margin - y
                );
                if paper != Paper::One {
                    crop_marks(&mut text, [w, h]);
                    let label = format!(
                        "{} – sheet {} of {}: column {}, row {} from below",
                        self.title,
                        row * across + column + 1,
                        across * up,
                        column + 1,
                        row + 1
                    );
                    let _ = writeln!(
                        text,
                        "BT /F 2.5 Tf {:.2} 3.5 Td ({}) Tj ET",
                        MARGIN + 12.0,
                        encoded(&label)
                    );
                }
                file.stream("", &text);
            }
        }
        Some(file.finish())
    }

    /// Everything that is on the sheet, in millimetres.
    fn content(&self) -> String {
        let mut out = String::from("1 J 1 j\n");
        for layer in Layer::ALL {
            let ([r, g, b], _) = layer.colour();
            let _ = writeln!(out, "{r} {g} {b} RG {r} {g} {b} rg {} w", layer.width());
            for (_, mark) in self.marks.iter().filter(|own| own.0 == layer) {
                match mark {
                    Mark::Line { points, .. } => {
                        for (i, p) in points.iter().enumerate() {
                            let _ =
                                write!(out, "{:.4} {:.4} {} ", p[0], p[1], if i == 0 { "m" } else { "l" });
                        }
                        out.push_str("S\n");
                    }
                    Mark::Circle { centre: [x, y], radius } => {
                        // Four cubics; their handles are 0.5523 r long.
                        let k = 0.552_284_75 * radius;
                        let _ = write!(out, "{:.4} {y:.4} m ", x + radius);
                        for q in 0..4 {
                            let turn = |u: f64, v: f64| match q {
                                0 => [x + u, y + v],
                                1 => [x - v, y + u],
                                2 => [x - u, y - v],
                                _ => [x + v, y - u],
                            };
                            let [a, b, c] = [turn(*radius, k), turn(k, *radius), turn(0.0, *radius)];
                            let _ = write!(
                                out,
                                "{:.4} {:.4} {:.4} {:.4} {:.4} {:.4} c ",
                                a[0], a[1], b[0], b[1], c[0], c[1]
                            );
                        }
                        out.push_str("S\n");
                    }
                    Mark::Letters { at, height, angle, text } => {
                        let (sin, cos) = angle.to_radians().sin_cos();
                        let _ = writeln!(
                            out,
                            "BT /F {:.3} Tf {cos:.6} {sin:.6} {:.6} {cos:.6} {:.3} {:.3} Tm ({}) Tj ET",
                            height * 1.4,
                            -sin,
                            at[0],
                            at[1],
                            encoded(text)
                        );
                    }
                }
            }
        }
        out
    }
}

/// Lines at the corners of the tile, in the margin.
fn crop_marks(text: &mut String, [w, h]: [f64; 2]) {
    text.push_str("0 0 0 RG 0 0 0 rg 0.1 w\n");
    for x in [MARGIN, w - MARGIN] {
        for (from, to) in [(2.0, MARGIN - 2.0), (h - MARGIN + 2.0, h - 2.0)] {
            let _ = writeln!(text, "{x} {from} m {x} {to} l S");
        }
    }
    for y in [MARGIN, h - MARGIN] {
        for (from, to) in [(2.0, MARGIN - 2.0), (w - MARGIN + 2.0, w - 2.0)] {
            let _ = writeln!(text, "{from} {y} m {to} {y} l S");
        }
    }
}

/// A string of PDF: WinAnsi, which has what western languages need; anything else becomes a question mark.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '(' | ')' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            '–' => out.push_str("\\226"),
            '\u{a1}'..='\u{ff}' => {
                let _ = write!(out, "\\{:03o}", u32::from(c));
            }
            _ => out.push('?'),
        }
    }
    out
}

/// A file of objects with their places.
#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    places: Vec<usize>,
    count: usize,
}

impl File {
    fn begin(&mut self) {
        if self.bytes.is_empty() {
            self.bytes.extend(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n");
        }
        self.count += 1;
        self.places.push(self.bytes.len());
        self.bytes.extend(format!("{} 0 obj\n", self.count).bytes());
    }

    fn object(&mut self, text: &str) {
        self.begin();
        self.bytes.extend(text.bytes());
        self.bytes.extend(b"\nendobj\n");
    }

    fn stream(&mut self, keys: &str, text: &str) {
        self.begin();
        self.bytes.extend(format!("<< {keys} /Length {} >>\nstream\n", text.len()).bytes());
        self.bytes.extend(text.bytes());
        self.bytes.extend(b"\nendstream\nendobj\n");
    }

    fn finish(mut self) -> Vec<u8> {
        let at = self.bytes.len();
        let mut tail = format!("xref\n0 {}\n0000000000 65535 f \n", self.count + 1);
        for place in &self.places {
            let _ = writeln!(tail, "{place:010} 00000 n ");
        }
        let _ = write!(tail, "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{at}\n%%EOF\n", self.count + 1);
        self.bytes.extend(tail.bytes());
        self.bytes
    }
}

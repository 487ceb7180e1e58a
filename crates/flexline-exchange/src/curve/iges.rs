//! IGES, fixed form: arcs (100), composite curves (102), lines (110), rational B-splines (126), moved by matrices (124), named by
//! properties (406).

use super::{Curve, CurveError, Curves, Format, Left, MOST_CURVES, Nurbs};
use crate::mesh::{At, shown};
use flexline::{Mat3, Vec3};
use std::collections::{HashMap, HashSet};

/// Composite curves and matrices within each other.
const DEEPEST: usize = 32;

/// An entity: the line of the directory that names it, what it is, and its parameters.
struct Entity {
    line: usize,
    kind: u32,
    form: u32,
    matrix: usize,
    words: Vec<String>,
}

struct File {
    entities: HashMap<usize, Entity>,
    order: Vec<usize>,
}

pub(super) fn read(text: &str) -> Result<Curves, CurveError> {
    let mut sections: HashMap<u8, Vec<(usize, String)>> = HashMap::new();
    for (i, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let bytes = line.as_bytes();
        let letter = bytes.get(72).copied().unwrap_or(b' ');
        match letter {
            b'S' | b'G' | b'D' | b'P' => {
                let own = bytes[..72].iter().map(|b| *b as char).collect();
                sections.entry(letter).or_default().push((i + 1, own));
            }
            b'T' => break,
            b'C' | b'B' => {
                return Err(CurveError::new(
                    At::Line(i + 1),
                    "this is IGES in compressed or binary form: expected fixed lines of 80 columns; export it so",
                ));
            }
            _ => {
                return Err(CurveError::new(
                    At::Line(i + 1),
                    format!("column 73 has '{}': expected S, G, D, P or T", letter as char),
                ));
            }
        }
    }
    let part = |letter: u8| sections.get(&letter).map_or(&[][..], Vec::as_slice);
    let (unit, marks) = global(part(b'G'))?;
    let file = File::new(part(b'D'), part(b'P'), marks)?;
    let mut left = Left::default();
    let mut curves = Vec::new();
    let mut within = HashSet::new();
    for own in file.entities.values().filter(|own| own.kind == 102) {
        within.extend(own.words.iter().skip(1).filter_map(|w| w.trim().parse::<usize>().ok()));
    }
    for id in &file.order {
        let own = &file.entities[id];
        let at = At::Line(own.line);
        match own.kind {
            // Only what is in a circle is in nothing that is taken.
            102 if within.contains(id) => drop(file.pieces(*id, 0)?),
            100 | 110 | 126 if within.contains(id) => {}
            100 | 102 | 110 | 126 => {
                if curves.len() == MOST_CURVES {
                    return Err(CurveError::new(at, format!("more than {MOST_CURVES} curves")));
                }
                curves.push(Curve::new(file.name(own), file.pieces(*id, 0)?));
            }
            124 | 406 | 314 | 0 | 402 | 404 | 410 => {}
            kind => left.out(format!("entity {kind}: only 100, 102, 110 and 126 are taken"), at),
        }
    }
    Ok(Curves { format: Format::Iges, curves, unit, left_out: left.0 })
}

/// The unit, and the characters between and after parameters.
fn global(lines: &[(usize, String)]) -> Result<(Option<f64>, [char; 2]), CurveError> {
    let text: String = lines.iter().map(|own| own.1.as_str()).collect();
    let mut marks = [',', ';'];
    // The first two parameters are these characters themselves, as 1H, and 1H;
    if let Some(own) = text.strip_prefix("1H").and_then(|rest| rest.chars().next()) {
        marks[0] = own;
        let rest = &text[3 + own.len_utf8().saturating_sub(1)..];
        let rest = rest.strip_prefix(own).unwrap_or(rest);
        marks[1] = rest.strip_prefix("1H").and_then(|rest| rest.chars().next()).unwrap_or(';');
    }
    let words = parameters(&text, marks);
    let unit = match words.get(13).map(|w| w.trim()) {
        Some("1") => Some(0.0254),
        Some("2") => Some(1e-3),
        Some("4") => Some(0.3048),
        Some("5") => Some(1609.344),
        Some("6") => Some(1.0),
        Some("7") => Some(1000.0),
        Some("8") => Some(0.0254e-3),
        Some("9") => Some(1e-6),
        Some("10") => Some(0.01),
        Some("11") => Some(0.0254e-6),
        Some("3") => match words.get(14).map(|w| w.trim().to_uppercase()).as_deref() {
            Some("MM") => Some(1e-3),
            Some("M") => Some(1.0),
            Some("CM") => Some(0.01),
            Some("IN" | "INCH") => Some(0.0254),
            Some("FT") => Some(0.3048),
            _ => None,
        },
        // Inches by the standard, where nothing is said.
        Some("") => Some(0.0254),
        _ => None,
    };
    Ok((unit, marks))
}

/// Parameters of a text, strings as their characters.
fn parameters(text: &str, [between, after]: [char; 2]) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut words = vec![String::new()];
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        let last = words.len() - 1;
        if c == 'H' && !words[last].is_empty() && words[last].trim().chars().all(|c| c.is_ascii_digit()) {
            let count: usize = words[last].trim().parse().unwrap_or(0);
            words[last] = chars[i + 1..].iter().take(count).collect();
            i += 1 + count;
            continue;
        }
        if c == after {
            break;
        }
        if c == between {
            words.push(String::new())
        } else {
            words[last].push(c)
        }
        i += 1;
    }
    words
}

impl File {
    fn new(
        directory: &[(usize, String)],
        data: &[(usize, String)],
        marks: [char; 2],
    ) -> Result<Self, CurveError> {
        // Parameters by the line of the directory they belong to, which stands in columns 65 to 72.
        let mut texts: HashMap<usize, String> = HashMap::new();
        for (line, own) in data {
            let chars: Vec<char> = own.chars().collect();
            let id: String = chars[64..].iter().collect();
            let id = id.trim().parse::<usize>().map_err(|_| {
                CurveError::new(
                    At::Line(*line),
                    format!("'{}' in columns 65 to 72: expected a line of the directory", shown(id.trim())),
                )
            })?;
            texts.entry(id).or_default().extend(&chars[..64]);
        }
        let mut file = Self { entities: HashMap::new(), order: Vec::new() };
        for (k, two) in directory.chunks(2).enumerate() {
            let [(line, first), (_, second)] = two else {
                return Err(CurveError::new(
                    At::Line(two[0].0),
                    "an entry of the directory without its second line: the file is cut short",
                ));
            };
            let field = |text: &str, i: usize| -> Result<usize, CurveError> {
                let word: String = text.chars().skip(8 * i).take(8).collect();
                match word.trim() {
                    "" => Ok(0),
                    word => word.parse::<i64>().map(|x| x.max(0) as usize).map_err(|_| {
                        CurveError::new(
                            At::Line(*line),
                            format!("'{}' in the directory: expected a whole number", shown(word)),
                        )
                    }),
                }
            };
            let id = 2 * k + 1;
            let text = texts.remove(&id).unwrap_or_default();
            let entity = Entity {
                line: *line,
                kind: field(first, 0)? as u32,
                form: field(second, 4)? as u32,
                matrix: field(first, 6)?,
                words: parameters(&text, marks).split_off(1),
            };
            file.entities.insert(id, entity);
            file.order.push(id);
        }
        Ok(file)
    }

    fn numbers(own: &Entity) -> impl Fn(usize) -> Result<f64, CurveError> {
        |i| {
            let wrong = |message: String| {
                CurveError::new(At::Line(own.line), format!("entity {}: {message}", own.kind))
            };
            let word = own
                .words
                .get(i)
                .ok_or_else(|| wrong(format!("parameter {} is missing: the file is cut short", i + 1)))?;
            let plain = word.trim().replace(['D', 'd'], "E");
            let number = if plain.is_empty() { Some(0.0) } else { plain.parse().ok() };
            number
                .filter(|x: &f64| x.is_finite())
                .ok_or_else(|| wrong(format!("'{}' is no number", shown(word))))
        }
    }

    /// The pieces of a curve, where it is.
    fn pieces(&self, id: usize, depth: usize) -> Result<Vec<Nurbs>, CurveError> {
        let own = self.entities.get(&id).ok_or_else(|| {
            CurveError::new(At::Whole, format!("entity {id} of the directory is named and missing"))
        })?;
        let wrong =
            |message: String| CurveError::new(At::Line(own.line), format!("entity {}: {message}", own.kind));
        if depth > DEEPEST {
            return Err(wrong(format!("curves within curves more than {DEEPEST} deep, or in a circle")));
        }
        let number = Self::numbers(own);
        let point = |i: usize| Ok(Vec3::new(number(i)?, number(i + 1)?, number(i + 2)?));
        let pieces = match own.kind {
            110 => vec![Nurbs::line(point(0)?, point(3)?)],
            100 => {
                let z = number(0)?;
                let flat = |i: usize| Ok::<_, CurveError>(Vec3::new(number(i)?, number(i + 1)?, z));
                let [centre, from, to] = [flat(1)?, flat(3)?, flat(5)?];
                let radius = (from - centre).norm();
                let angle = |p: Vec3| (p.y - centre.y).atan2(p.x - centre.x);
                let (a, mut b) = (angle(from), angle(to));
                // Counterclockwise; the same point twice is a circle.
                while b <= a + 1e-12 {
                    b += std::f64::consts::TAU;
                }
                vec![Nurbs::arc(centre, radius * Vec3::x(), radius * Vec3::y(), [a, b])]
            }
            126 => {
                let whole = |i: usize, most: f64| match number(i)? {
                    x if x.fract() == 0.0 && (1.0..=most).contains(&x) => Ok(x as usize),
                    x => Err(wrong(format!("{x}: expected a whole number from 1 to {most}"))),
                };
                let (last, degree) = (whole(0, 1e7)?, whole(1, 25.0)?);
                if own.words.len() < 6 + 5 * (last + 1) + degree + 1 {
                    return Err(wrong(format!(
                        "{} parameters are too few for {} poles",
                        own.words.len(),
                        last + 1
                    )));
                }
                let knots = (6..8 + last + degree).map(&number).collect::<Result<Vec<f64>, _>>()?;
                let first = 8 + last + degree;
                let weights = (first..=first + last).map(&number).collect::<Result<Vec<f64>, _>>()?;
                let poles = (0..=last)
                    .map(|k| point(first + last + 1 + 3 * k))
                    .collect::<Result<Vec<Vec3>, CurveError>>()?;
                let range = first + 4 * (last + 1);
                let weights = if weights.iter().all(|w| *w == weights[0]) { Vec::new() } else { weights };
                let mut curve = Nurbs::new(degree, knots, poles, weights).map_err(wrong)?;
                if let (Ok(a), Ok(b)) = (number(range), number(range + 1))
                    && a < b
                    && a >= curve.range[0]
                    && b <= curve.range[1]
                {
                    curve.range = [a, b];
                }
                vec![curve]
            }
            102 => {
                let count = number(0)?;
                if !(1.0..=1e5).contains(&count) {
                    return Err(wrong(format!("{count} curves: expected 1 to 100000")));
                }
                let mut all = Vec::new();
                for k in 1..=count as usize {
                    if all.len() > MOST_CURVES {
                        return Err(wrong(format!("more than {MOST_CURVES} pieces")));
                    }
                    all.extend(self.pieces(number(k)?.max(0.0) as usize, depth + 1)?);
                }
                all
            }
            kind => {
                return Err(wrong(format!(
                    "entity {kind} in a composite curve: expected 100, 102, 110 or 126"
                )));
            }
        };
        let moved = self.matrix(own.matrix, 0)?;
        Ok(match moved {
            None => pieces,
            Some((turn, shift)) => pieces.into_iter().map(|own| own.moved(&|p| turn * p + shift)).collect(),
        })
    }

    /// A matrix of the directory, which may be moved by another.
    fn matrix(&self, id: usize, depth: usize) -> Result<Option<(Mat3, Vec3)>, CurveError> {
        let Some(own) = self.entities.get(&id).filter(|own| own.kind == 124 && id > 0) else {
            return Ok(None);
        };
        if depth > DEEPEST {
            return Err(CurveError::new(At::Line(own.line), "matrices in a circle"));
        }
        let number = Self::numbers(own);
        let mut m = [0.0; 12];
        for (i, x) in m.iter_mut().enumerate() {
            *x = number(i)?;
        }
        let turn = Mat3::new(m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]);
        let shift = Vec3::new(m[3], m[7], m[11]);
        Ok(Some(match self.matrix(own.matrix, depth + 1)? {
            None => (turn, shift),
            Some((outer, by)) => (outer * turn, outer * shift + by),
        }))
    }

    /// The name that a property (406, form 15) gives, or none.
    fn name(&self, own: &Entity) -> String {
        let named = |word: &String| {
            let id: usize = word.trim().parse().ok()?;
            let property = self.entities.get(&id).filter(|own| own.kind == 406 && own.form == 15)?;
            property.words.get(1).cloned()
        };
        // Pointers stand after the numbers of the curve.
        own.words.iter().rev().take(8).find_map(named).unwrap_or_default()
    }
}

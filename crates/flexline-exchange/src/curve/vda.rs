//! VDA-FS (DIN 66301): `CURVE`, pieces of polynomials. Records of 72 columns, numbered or not, short ones too; small letters are
//! letters.

use super::{Curve, CurveError, Curves, Format, Left, MOST_CURVES, Nurbs};
use crate::mesh::{At, shown};
use flexline::Vec3;

/// Columns of text in a record.
const COLUMNS: usize = 72;

/// A statement: name, what it is, and the words of its parameters.
struct Statement<'a> {
    line: usize,
    name: String,
    kind: String,
    text: Vec<&'a str>,
}

pub(super) fn read(text: &str) -> Result<Curves, CurveError> {
    let mut left = Left::default();
    let mut curves = Vec::new();
    let (all, ended, unit) = statements(text)?;
    for own in &all {
        match own.kind.as_str() {
            "CURVE" => {
                if curves.len() == MOST_CURVES {
                    return Err(CurveError::new(
                        At::Line(own.line),
                        format!("more than {MOST_CURVES} curves"),
                    ));
                }
                let name = own.name.clone();
                curves.push(Curve::new(name, pieces(own)?));
            }
            "HEADER" | "END" | "BEGINSET" | "ENDSET" | "GROUP" => {}
            kind => left.out(format!("{}: only CURVE is taken", shown(kind)), At::Line(own.line)),
        }
    }
    if !ended {
        left.out("END is missing: the file may be cut short", At::Line(text.lines().count()));
    }
    Ok(Curves { format: Format::Vda, curves, unit: Some(unit), left_out: left.0 })
}

/// The statements of a file, whether it has an end, and what its header says is one unit.
fn statements(text: &str) -> Result<(Vec<Statement<'_>>, bool, f64), CurveError> {
    let mut all: Vec<Statement<'_>> = Vec::new();
    let mut skip = 0_usize;
    let mut unit = 1e-3;
    for (i, line) in text.lines().enumerate() {
        let numbered = line.is_char_boundary(COLUMNS)
            && line.len() > COLUMNS
            && line[COLUMNS..].trim().chars().all(|c| c.is_ascii_digit());
        let line = if numbered { &line[..COLUMNS] } else { line };
        if skip > 0 {
            skip -= 1;
            let upper = line.to_ascii_uppercase();
            if let Some((word, value)) = upper.split_once(':')
                && word.trim() == "UNIT"
            {
                unit = match value.trim() {
                    "IN" | "INCH" => 0.0254,
                    "M" => 1.0,
                    "CM" => 0.01,
                    _ => 1e-3,
                };
            }
            continue;
        }
        if line.trim().is_empty() || line.trim_start().starts_with("$$") {
            continue;
        }
        match line.split_once('=') {
            Some((name, rest)) => {
                let (kind, words) = rest.split_once('/').unwrap_or((rest, ""));
                let kind = kind.trim().to_ascii_uppercase();
                if kind == "HEADER" {
                    skip = words.trim().parse().map_err(|_| {
                        CurveError::new(
                            At::Line(i + 1),
                            format!("HEADER / {}: expected how many records it has", shown(words.trim())),
                        )
                    })?;
                }
                if kind.split_whitespace().next() == Some("END") {
                    return Ok((all, true, unit));
                }
                let name = name.trim().to_ascii_uppercase();
                all.push(Statement { line: i + 1, name, kind, text: vec![words] });
            }
            None => match all.last_mut() {
                Some(own) => own.text.push(line),
                None => {
                    return Err(CurveError::new(
                        At::Line(i + 1),
                        format!("'{}': expected NAME = WORD / values", shown(line.trim())),
                    ));
                }
            },
        }
    }
    Ok((all, false, unit))
}

/// The pieces of a `CURVE`: their number, one parameter more than that, and of each its order and as many powers of x, y and z.
fn pieces(own: &Statement) -> Result<Vec<Nurbs>, CurveError> {
    let at = At::Line(own.line);
    let wrong = |message: String| CurveError::new(at, format!("CURVE {}: {message}", shown(&own.name)));
    let words = own.text.iter().flat_map(|line| line.split([',', ' ', '\t'])).filter(|w| !w.is_empty());
    let mut numbers = words.map(|word| {
        let plain = word.replace(['D', 'd'], "E");
        plain
            .parse::<f64>()
            .ok()
            .filter(|x| x.is_finite())
            .ok_or_else(|| wrong(format!("'{}' is no number: expected a finite one", shown(word))))
    });
    let mut next =
        |what: &str| numbers.next().unwrap_or_else(|| Err(wrong(format!("cut short: {what} is missing"))));
    let whole = |x: f64, what: &str, most: f64| match x.fract() == 0.0 && (1.0..=most).contains(&x) {
        true => Ok(x as usize),
        false => Err(wrong(format!("{x} as {what}: expected a whole number from 1 to {most}"))),
    };
    let count = whole(next("the number of pieces")?, "the number of pieces", 1e6)?;
    let mut last = f64::NEG_INFINITY;
    for _ in 0..=count {
        let parameter = next("a parameter")?;
        if parameter <= last {
            return Err(wrong(format!("parameter {parameter} after {last}: expected them to increase")));
        }
        last = parameter;
    }
    let mut pieces = Vec::new();
    for _ in 0..count {
        let order = whole(next("the order of a piece")?, "the order of a piece", 26.0)?;
        let mut powers = vec![Vec3::zeros(); order];
        for axis in 0..3 {
            for power in &mut powers {
                power[axis] = next("a coefficient")?;
            }
        }
        pieces.push(Nurbs::polynomial(&powers).map_err(wrong)?);
    }
    if let Some(more) = numbers.next() {
        let word = more.map_or_else(|error| error.message, |x| x.to_string());
        return Err(wrong(format!("'{}' after its last piece: expected another statement", shown(&word))));
    }
    Ok(pieces)
}

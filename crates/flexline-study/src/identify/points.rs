//! Measured points: tables of places in space, or of places in a photograph.

use super::camera::Camera;
use crate::base::StudyError;
use flexline::Vec3;
use flexline_scene::units::{Dimension, parse};
use flexline_scene::words::offer;
use std::sync::Arc;

/// What a line of a table says where something is.
#[derive(Clone, Debug)]
pub enum Measured {
    /// A place in space, m.
    Space(Vec3),
    /// A place in a photograph, px.
    Image([f64; 2], Arc<Camera>),
}

/// A measured point.
#[derive(Clone, Debug)]
pub struct Point {
    /// What was measured.
    pub at: Measured,
    /// Its arc length where that is known, m.
    pub arc: Option<f64>,
    /// Its own standard deviation in every direction where the table says one, m or px.
    pub sigma: Option<f64>,
    /// The cable that it is of; none of the only one.
    pub cable: Option<String>,
    /// Where it stands: the file, and the line of it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
}

impl Point {
    /// Whether it is of a photograph.
    pub fn is_of_photograph(&self) -> bool {
        matches!(self.at, Measured::Image(..))
    }
}

/// All columns that a table may have.
const COLUMNS: [&str; 8] = ["x", "y", "z", "u", "v", "s", "sigma", "cable"];

/// A head with what its unit is in SI.
struct Column {
    what: &'static str,
    unit: f64,
}

/// Reads a table: a line of heads, then a line for every point, separated by commas, semicolons, tabs or blanks. Heads are `x`, `y`, `z`
/// in metres or as in `x [mm]`, or `u` and `v` in pixels; beside them `s`, the arc length, `sigma`, and `cable`. Without heads there are
/// x, y and z in metres.
pub fn read(text: &str, name: &str, camera: Option<&Arc<Camera>>) -> Result<Vec<Point>, StudyError> {
    let file: Arc<str> = name.into();
    let wrong = |line: usize, why: String| StudyError::Input(format!("{name}, line {line}: {why}"));
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let used = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let mut lines =
        text.lines().enumerate().map(|(i, line)| (i + 1, line)).filter(|(_, line)| used(line)).peekable();
    let Some(&(at, first)) = lines.peek() else {
        return Err(StudyError::Input(format!(
            "{name}: there is no point in it; expected a line of heads such as \"x [mm],y [mm],z [mm]\", then a line for every point"
        )));
    };
    let separator = [';', '\t', ','].into_iter().find(|c| first.contains(*c));
    let cells = |line: &str| -> Vec<String> {
        match separator {
            Some(mark) => line.split(mark).map(|cell| cell.trim().trim_matches('"').to_owned()).collect(),
            None => line.split_whitespace().map(str::to_owned).collect(),
        }
    };
    let has_heads = cells(first).iter().any(|cell| cell.parse::<f64>().is_err());
    let columns = match has_heads {
        true => {
            lines.next();
            heads(&cells(first)).map_err(|why| wrong(at, why))?
        }
        false => {
            let count = cells(first).len();
            if count != 3 {
                let why = format!(
                    "{count} numbers without a line of heads: expected x, y and z, or heads that name them"
                );
                return Err(wrong(at, why));
            }
            ["x", "y", "z"].map(|what| Column { what, unit: 1.0 }).into()
        }
    };
    let column = |what: &str| columns.iter().position(|own| own.what == what);
    let space = ["x", "y", "z"].map(column);
    let image = ["u", "v"].map(column);
    let mut points = Vec::new();
    for (line, text) in lines {
        let row = cells(text);
        if row.len() != columns.len() {
            return Err(wrong(
                line,
                format!("{} values, expected {} as in the line of heads", row.len(), columns.len()),
            ));
        }
        let number = |k: usize| match row[k].parse::<f64>() {
            Ok(own) if own.is_finite() && own.abs() <= 1e15 => Ok(own * columns[k].unit),
            _ => Err(wrong(line, format!("{} is \"{}\": expected a finite number", columns[k].what, row[k]))),
        };
        let at = match (space, image) {
            ([Some(x), Some(y), Some(z)], _) => {
                Measured::Space(Vec3::new(number(x)?, number(y)?, number(z)?))
            }
            (_, [Some(u), Some(v)]) => match camera {
                Some(camera) => Measured::Image([number(u)?, number(v)?], camera.clone()),
                None => {
                    return Err(wrong(
                        line,
                        "u and v are places in a photograph, and no camera is known: say --camera FILE"
                            .into(),
                    ));
                }
            },
            _ => return Err(wrong(line, "no place".into())),
        };
        let arc = column("s").map(number).transpose()?;
        let sigma = column("sigma").map(number).transpose()?;
        if let Some(sigma) = sigma.filter(|own| *own <= 0.0) {
            return Err(wrong(line, format!("sigma is {sigma}: expected a standard deviation above zero")));
        }
        let cable = column("cable").map(|k| row[k].clone());
        points.push(Point { at, arc, sigma, cable, file: file.clone(), line });
    }
    match points.is_empty() {
        true => Err(StudyError::Input(format!("{name}: no point below the line of heads"))),
        false => Ok(points),
    }
}

/// What the heads say.
fn heads(words: &[String]) -> Result<Vec<Column>, String> {
    // Where blanks part the columns they also part a head from its unit.
    let mut whole: Vec<String> = Vec::new();
    for word in words {
        match whole.last_mut().filter(|_| word.starts_with('[')) {
            Some(last) => *last += word,
            None => whole.push(word.clone()),
        }
    }
    let mut found: Vec<Column> = Vec::new();
    for head in &whole {
        let (word, unit) = match head.strip_suffix(']').and_then(|head| head.split_once('[')) {
            Some((word, unit)) => (word.trim(), Some(unit.trim())),
            None => (head.as_str(), None),
        };
        let Some(what) = COLUMNS.into_iter().find(|own| *own == word) else {
            let known = offer(word, COLUMNS.into_iter());
            return Err(format!("\"{word}\" is no column of measured points; {known}"));
        };
        if found.iter().any(|own| own.what == what) {
            return Err(format!("\"{what}\" is there twice"));
        }
        let unit = match unit {
            None => 1.0,
            Some("px") if matches!(what, "u" | "v" | "sigma") => 1.0,
            Some(_) if matches!(what, "u" | "v" | "cable") => {
                return Err(format!("\"{head}\" has a unit that it cannot have: expected {what}"));
            }
            Some(unit) => parse(&format!("1 {unit}"), Dimension::Length)
                .map_err(|_| format!("\"{head}\": \"{unit}\" is no unit of length, such as mm"))?,
        };
        found.push(Column { what, unit });
    }
    let has = |all: &[&str]| all.iter().all(|what| found.iter().any(|own| own.what == *what));
    match (has(&["x", "y", "z"]), has(&["u", "v"])) {
        (true, false) | (false, true) => Ok(found),
        (true, true) => Err("a point is in space (x, y, z) or in a photograph (u, v), not both".into()),
        (false, false) => Err("expected the columns x, y and z, or u and v".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        read(text, "points.csv", None).expect_err("refused").to_string()
    }

    #[test]
    fn tables_are_read_with_units() {
        let points =
            read("# a scan\nx [mm];y [mm];z [mm];s [mm]\n1;2;3;4\n", "a.csv", None).expect("a table");
        assert!(
            matches!(points[0].at, Measured::Space(at) if (at - Vec3::new(1e-3, 2e-3, 3e-3)).norm() < 1e-15)
        );
        assert_eq!((points[0].arc, points[0].line), (Some(4e-3), 3));
        assert_eq!(read("0 1 2\n3 4 5\n", "a.xyz", None).expect("bare numbers").len(), 2);
        assert_eq!(read("x [mm] y [mm] z [mm]\n3 4 5\n", "a.txt", None).expect("blanks").len(), 1);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, told) in [
            ("", "there is no point in it"),
            ("x,y,z\n", "no point below"),
            ("x,y,z\n1,2,nan\n", "points.csv, line 2: z is \"nan\": expected a finite number"),
            ("x,y,z\n1,2\n", "line 2: 2 values, expected 3"),
            ("x,y,z,sigm\n1,2,3,4\n", "did you mean \"sigma\"?"),
            ("x,y\n1,2\n", "expected the columns x, y and z"),
            ("x [kg],y,z\n1,2,3\n", "is no unit of length"),
            ("x,y,z,sigma\n1,2,3,0\n", "above zero"),
            ("u,v\n1,2\n", "say --camera FILE"),
            ("x,x,z\n1,2,3\n", "there twice"),
            ("1 2\n", "2 numbers without a line of heads"),
        ] {
            let found = refused(text);
            assert!(found.contains(told), "{text:?}: {found}");
        }
    }
}

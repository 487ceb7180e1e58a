//! Tables and point files: x, y, z, and perhaps radius and arc length, in any of the usual separators, with a header or without.

use super::nurbs::FARTHEST;
use super::{Curve, CurveError, Curves, Format, Left, MOST_CURVES, MOST_NUMBERS, Nurbs};
use crate::mesh::{At, shown};
use flexline::Vec3;

/// What stands between numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Semicolon,
    Tab,
    Comma,
    Space,
}

impl Separator {
    /// Of a line: semicolons and tabs tell themselves; commas are separators unless words between spaces are numbers with them.
    fn of(line: &str) -> Self {
        match () {
            () if line.contains(';') => Separator::Semicolon,
            () if line.contains('\t') => Separator::Tab,
            () if line.contains(',') => {
                let words: Vec<&str> = line.split_whitespace().collect();
                let number = |w: &&str| !w.ends_with(',') && w.replacen(',', ".", 1).parse::<f64>().is_ok();
                match words.len() >= 3 && words.iter().all(number) {
                    true => Separator::Space,
                    false => Separator::Comma,
                }
            }
            () => Separator::Space,
        }
    }

    fn words(self, line: &str) -> Vec<&str> {
        let trimmed = |w: &str| -> bool { !w.is_empty() };
        let mut words: Vec<&str> = match self {
            Separator::Space => return line.split_whitespace().filter(|w| trimmed(w)).collect(),
            Separator::Semicolon => line.split(';').map(str::trim).collect(),
            Separator::Tab => line.split('\t').map(str::trim).collect(),
            Separator::Comma => line.split(',').map(str::trim).collect(),
        };
        while words.last() == Some(&"") {
            words.pop();
        }
        words
    }

    /// A number, with a decimal comma too where commas part nothing.
    fn number(self, word: &str) -> Option<f64> {
        match self {
            Self::Comma => word.parse().ok(),
            _ => word.replacen(',', ".", 1).parse().ok(),
        }
    }
}

/// Which column is what.
#[derive(Clone, Debug)]
struct Columns {
    place: [usize; 3],
    radius: Option<usize>,
    /// What a value of that column is in radii: a half of a diameter.
    share: f64,
    arc: Option<usize>,
    name: Option<usize>,
}

impl Columns {
    /// Of a table without a header: x, y, z, radius, arc length, by their number.
    fn plain(count: usize) -> Self {
        Self {
            place: [0, 1, 2],
            radius: (count > 3).then_some(3),
            share: 1.0,
            arc: (count > 4).then_some(4),
            name: None,
        }
    }

    /// Of a header, with the unit of x, y and z where it says one; `None` where it does not name them.
    fn named(words: &[&str]) -> Option<(Self, Option<f64>)> {
        // A unit in brackets belongs to the word before it, with a space between them too.
        let mut whole: Vec<String> = Vec::new();
        for word in words {
            match whole.last_mut().filter(|_| word.starts_with(['[', '('])) {
                Some(last) => last.push_str(word),
                None => whole.push((*word).to_owned()),
            }
        }
        let parts: Vec<(String, Option<f64>)> = whole.iter().map(|w| name_and_unit(w)).collect();
        let column = |names: &[&str]| parts.iter().position(|p| names.contains(&p.0.as_str()));
        let place = [column(&["x"])?, column(&["y"])?, column(&["z"])?];
        let radius = column(&["radius", "r", "section_radius"]);
        let diameter = column(&["diameter", "d"]);
        let own = Self {
            place,
            radius: radius.or(diameter),
            share: if radius.is_some() { 1.0 } else { 0.5 },
            arc: column(&["s", "arc", "arclength", "arc_length"]),
            name: column(&["cable", "name"]),
        };
        let unit = parts[place[0]].1.filter(|unit| place.iter().all(|k| parts[*k].1 == Some(*unit)));
        Some((own, unit))
    }
}

/// A word of a header such as `x`, `x_m`, `X [mm]`, `y(mm)` or `z/mm`.
fn name_and_unit(word: &str) -> (String, Option<f64>) {
    let word = word.trim_matches('"').trim().to_lowercase();
    for cut in ['[', '(', '/', '_', ' '] {
        if let Some((name, rest)) = word.rsplit_once(cut)
            && let Some(unit) = unit_of(rest.trim_matches([']', ')', ' ']))
        {
            return (name.trim().to_owned(), Some(unit));
        }
    }
    (word, None)
}

fn unit_of(word: &str) -> Option<f64> {
    Some(match word {
        "m" => 1.0,
        "dm" => 0.1,
        "cm" => 0.01,
        "mm" => 1e-3,
        "in" | "inch" => 0.0254,
        "ft" => 0.3048,
        _ => return None,
    })
}

/// Rows of one curve.
#[derive(Default)]
struct Block {
    name: String,
    first: usize,
    points: Vec<Vec3>,
    radii: Vec<f64>,
    arcs: Vec<f64>,
}

pub(super) fn read(text: &str) -> Result<Curves, CurveError> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut style: Option<Separator> = None;
    let mut columns: Option<Columns> = None;
    let mut unit = None;
    let mut next: Option<String> = None;
    let mut count = 0;
    for (i, line) in text.lines().enumerate() {
        let at = At::Line(i + 1);
        let wrong = |message: String| CurveError::new(at, message);
        let line = line.trim();
        let comment = ["#", "//", "%", "!"].iter().find_map(|mark| line.strip_prefix(mark));
        if line.is_empty() || comment.is_some() {
            let said = comment.unwrap_or_default().trim();
            // As this program writes it: what the columns are, and the unit after a comma.
            if let Some((names, word)) = said.rsplit_once(',')
                && let Some((own, _)) = Columns::named(&names.split_whitespace().collect::<Vec<_>>())
            {
                unit = unit.or(unit_of(word.trim()));
                columns = columns.or(Some(own));
            } else if comment.is_some() || !blocks.is_empty() {
                next = Some(said.to_owned());
            }
            continue;
        }
        let own = *style.get_or_insert_with(|| Separator::of(line));
        let words = own.words(line);
        let numbers: Vec<Option<f64>> = words.iter().map(|w| own.number(w)).collect();
        let few = numbers.iter().flatten().count() < 3;
        if few
            && blocks.is_empty()
            && columns.is_none()
            && words.iter().any(|w| w.chars().any(char::is_alphabetic))
        {
            let Some((own, said)) = Columns::named(&words) else {
                return Err(wrong(format!(
                    "'{}': expected a header with x, y and z, or three numbers in a line",
                    shown(line)
                )));
            };
            columns = Some(own);
            unit = unit.or(said);
            // Numbers may be written otherwise than their header.
            style = None;
            continue;
        }
        let own = columns.get_or_insert_with(|| Columns::plain(words.len()));
        let value = |k: usize| -> Result<f64, CurveError> {
            let word = words.get(k).ok_or_else(|| {
                wrong(format!("{} values: expected at least {} in a line", words.len(), k + 1))
            })?;
            numbers[k].filter(|x| x.abs() <= FARTHEST).ok_or_else(|| {
                wrong(format!(
                    "'{}' is no number, or beyond {FARTHEST:.0e}: expected a finite one",
                    shown(word)
                ))
            })
        };
        let [x, y, z] = own.place;
        let point = Vec3::new(value(x)?, value(y)?, value(z)?);
        let name = own.name.map(|k| words.get(k).copied().unwrap_or_default().trim_matches('"').to_owned());
        let fresh =
            next.take().or_else(|| name.clone().filter(|own| blocks.last().is_none_or(|b| b.name != *own)));
        if blocks.is_empty() || fresh.is_some() {
            if blocks.len() == MOST_CURVES {
                return Err(wrong(format!("more than {MOST_CURVES} curves: divide the file")));
            }
            let name = name.or(fresh).unwrap_or_default();
            blocks.push(Block { name, first: i + 1, ..Block::default() });
        }
        count += 1;
        if count > MOST_NUMBERS / 4 {
            return Err(wrong(format!("more than {} points: divide the file", MOST_NUMBERS / 4)));
        }
        let Some(block) = blocks.last_mut() else { continue };
        block.points.push(point);
        if let Some(k) = own.radius {
            let radius = own.share * value(k)?;
            if radius <= 0.0 {
                return Err(wrong(format!("a radius of {radius}: expected one above zero")));
            }
            block.radii.push(radius);
        }
        if let Some(k) = own.arc {
            block.arcs.push(value(k)?);
        }
    }
    // Empty lines between all rows part nothing.
    if blocks.len() > 1 && blocks.iter().all(|b| b.points.len() == 1 && b.name.is_empty()) {
        let mut all = Block { first: blocks[0].first, ..Block::default() };
        for b in blocks {
            all.points.extend(b.points);
            all.radii.extend(b.radii);
            all.arcs.extend(b.arcs);
        }
        blocks = vec![all];
    }
    let mut left = Left::default();
    let mut curves = Vec::new();
    for block in blocks {
        curves.extend(curve(block, &mut left)?);
    }
    Ok(Curves { format: Format::Table, curves, unit, left_out: left.0 })
}

/// A smooth curve through the points of a block.
fn curve(block: Block, left: &mut Left) -> Result<Option<Curve>, CurveError> {
    let at = At::Line(block.first);
    let mut arc = vec![0.0];
    let mut points: Vec<Vec3> = Vec::new();
    let mut kept = Vec::new();
    for (i, x) in block.points.iter().enumerate() {
        match points.last().map(|last| (x - last).norm()) {
            // Where a cable was cut there are two places.
            Some(0.0) => left.out("points that are the same as the one before", at),
            Some(step) => {
                arc.push(arc[arc.len() - 1] + step);
                points.push(*x);
                kept.push(i);
            }
            None => {
                points.push(*x);
                kept.push(i);
            }
        }
    }
    if points.len() < 2 {
        left.out("points alone", at);
        return Ok(None);
    }
    let total = arc[arc.len() - 1];
    let said: Vec<f64> = kept.iter().filter_map(|i| block.arcs.get(*i).copied()).collect();
    // Arc lengths that are said are at least chords, and no more than their double.
    let fits = said.len() == arc.len()
        && said.windows(2).zip(arc.windows(2)).all(|(s, c)| {
            let (s, c) = (s[1] - s[0], c[1] - c[0]);
            s > 0.99 * c && s < 2.0 * c
        });
    let over = if fits { &said } else { &arc };
    if !fits && !said.is_empty() {
        left.out("arc lengths that do not go with the points: chords count instead", at);
    }
    let nurbs = Nurbs::through(&points, over).map_err(|message| CurveError::new(at, message))?;
    let mut curve = Curve { points: block.points, ..Curve::new(block.name, vec![nurbs]) };
    let radii: Vec<f64> = kept.iter().filter_map(|i| block.radii.get(*i).copied()).collect();
    curve.radii = match radii.first() {
        Some(first) if radii.iter().all(|r| r == first) => vec![(0.0, *first)],
        Some(_) => arc.iter().map(|s| s / total).zip(radii).collect(),
        None => Vec::new(),
    };
    Ok(Some(curve))
}

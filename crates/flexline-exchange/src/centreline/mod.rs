//! Centrelines for other programs: STEP, IGES, VDA-FS, tables and point files. Curves are cubic B-splines that keep to the
//! centreline within a tolerance that is asked for, and say what they reached; a tube is swept around them where a solid is wanted.

mod frame;
mod iges;
mod spline;
mod step;
mod table;
#[cfg(test)]
mod tests;
mod vda;

use flexline::Vec3;
use spline::{Spline, fit};

/// The centreline of a cable, SI.
#[derive(Clone, Debug, PartialEq)]
pub struct Centreline {
    /// Name of the cable.
    pub name: String,
    /// Places along it, from its start on.
    pub points: Vec<Point>,
}

/// A place of a centreline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Arc length, m.
    pub s: f64,
    /// Position, m.
    pub position: Vec3,
    /// Unit tangent.
    pub tangent: Vec3,
    /// Radius of the cable, m.
    pub radius: f64,
    /// Curvature, 1/m; `None` without equilibrium.
    pub curvature: Option<f64>,
    /// Twist, rad/m; `None` without equilibrium.
    pub twist: Option<f64>,
    /// Tension, N; `None` without equilibrium.
    pub tension: Option<f64>,
    /// Distance to the nearest obstacle, m; `None` where there is none.
    pub clearance: Option<f64>,
}

/// A format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// STEP, ISO 10303-21.
    Step(Schema),
    /// IGES 5.3.
    Iges,
    /// VDA-FS 2.0.
    Vda,
    /// A table of commas, SI.
    Csv,
    /// x, y, z, radius and arc length in a line, in millimetres.
    Points,
}

/// The schema of a STEP file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schema {
    /// AP242, edition 2.
    #[default]
    Ap242,
    /// AP214.
    Ap214,
}

impl Written {
    /// The format of an ending.
    pub fn of(ending: &str) -> Option<Self> {
        Some(match ending.to_ascii_lowercase().as_str() {
            "step" | "stp" | "p21" => Self::Step(Schema::default()),
            "iges" | "igs" => Self::Iges,
            "vda" | "vdafs" => Self::Vda,
            "csv" => Self::Csv,
            "pts" | "txt" | "xyz" => Self::Points,
            _ => return None,
        })
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step(Schema::Ap242) => "STEP AP242",
            Self::Step(Schema::Ap214) => "STEP AP214",
            Self::Iges => "IGES 5.3",
            Self::Vda => "VDA-FS",
            Self::Csv => "CSV",
            Self::Points => "points",
        }
    }
}

/// How a file is to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Wishes {
    /// How far a curve may be off, m.
    pub tolerance: f64,
    /// Whether a tube is swept around every centreline as a solid; STEP alone.
    pub solid: bool,
    /// Red, green and blue of the tube, 0 to 1.
    pub colour: [f64; 3],
    /// What the file is called in itself.
    pub title: String,
    /// When it is written, as in `2026-01-31T12:00:00`.
    pub date: String,
}

/// A file, and what became of the centrelines in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The file.
    pub bytes: Vec<u8>,
    /// Every curve; none in tables.
    pub curves: Vec<Curve>,
}

/// What a curve reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the cable.
    pub name: String,
    /// Its length, m.
    pub length: f64,
    /// How far it is off at most, m.
    pub reached: f64,
    /// How many poles it has.
    pub poles: usize,
    /// How far its tube is off at most, m, where there is one.
    pub tube: Option<f64>,
}

/// Why a file cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct ExportError(String);

/// A centreline with its curve.
struct Fitted<'a> {
    line: &'a Centreline,
    spline: Spline,
    reached: f64,
}

/// Writes centrelines.
pub fn write(lines: &[Centreline], format: Written, wishes: &Wishes) -> Result<Made, ExportError> {
    for line in lines {
        check(line)?;
    }
    match format {
        Written::Csv => return Ok(Made { bytes: table::csv(lines).into_bytes(), curves: Vec::new() }),
        Written::Points => return Ok(Made { bytes: table::points(lines).into_bytes(), curves: Vec::new() }),
        _ => {}
    }
    if wishes.solid && !matches!(format, Written::Step(_)) {
        return Err(ExportError(format!(
            "{} has no solids here: leave --solid out, or write STEP",
            format.name()
        )));
    }
    let mut fitted = Vec::new();
    for line in lines {
        let (spline, reached) = fit_line(line, wishes.tolerance)?;
        fitted.push(Fitted { line, spline, reached });
    }
    let mut tubes = vec![None; lines.len()];
    let bytes = match format {
        Written::Step(schema) => step::write(&fitted, schema, wishes, &mut tubes)?,
        Written::Iges => iges::write(&fitted, wishes),
        _ => vda::write(&fitted, wishes),
    };
    let curve = |(own, tube): (&Fitted, Option<f64>)| Curve {
        name: own.line.name.clone(),
        length: own.spline.length(),
        reached: own.reached,
        poles: own.spline.poles.len(),
        tube,
    };
    Ok(Made { bytes, curves: fitted.iter().zip(tubes).map(curve).collect() })
}

fn check(line: &Centreline) -> Result<(), ExportError> {
    let name = &line.name;
    let sound = line
        .points
        .iter()
        .all(|p| p.position.iter().chain(p.tangent.iter()).chain([&p.s, &p.radius]).all(|x| x.is_finite()));
    let length = line.points.last().zip(line.points.first()).map_or(0.0, |(b, a)| b.s - a.s);
    if !sound
        || line.points.len() < 2
        || length <= 0.0
        || line.points.windows(2).any(|w| w[1].s < w[0].s - 1e-9 * length)
    {
        return Err(ExportError(format!(
            "the centreline of '{name}' has no length, or places that are no numbers"
        )));
    }
    Ok(())
}

/// A stretch of a centreline without kinks: places with increasing arc lengths.
fn stretches(line: &Centreline) -> Vec<Vec<Point>> {
    let mut all: Vec<Vec<Point>> = vec![Vec::new()];
    for point in &line.points {
        let own = all.last_mut().filter(|own| !own.is_empty());
        match own {
            Some(own) => {
                let last = own[own.len() - 1];
                if point.s > last.s {
                    own.push(*point);
                } else if point.tangent.dot(&last.tangent) < 1.0 - 1e-9 && own.len() > 1 {
                    // Where a cable was cut there are two places: with one tangent they are one.
                    all.push(vec![*point]);
                }
            }
            None => all.last_mut().into_iter().for_each(|own| own.push(*point)),
        }
    }
    all.retain(|own| own.len() > 1);
    all
}

/// The position on a stretch at an arc length: between two places the cubic with their positions and tangents.
fn along(points: &[Point], s: f64) -> Vec3 {
    let k = points.partition_point(|p| p.s <= s).clamp(1, points.len() - 1);
    let (a, b) = (&points[k - 1], &points[k]);
    let h = b.s - a.s;
    let v = ((s - a.s) / h).clamp(0.0, 1.0);
    let u = 1.0 - v;
    a.position * (u * u * (1.0 + 2.0 * v))
        + a.tangent * (h * v * u * u)
        + b.position * (v * v * (3.0 - 2.0 * v))
        - b.tangent * (h * v * v * u)
}

/// The curve of a centreline, and how far it is off at most.
fn fit_line(line: &Centreline, tolerance: f64) -> Result<(Spline, f64), ExportError> {
    let mut whole: Option<Spline> = None;
    let mut worst: f64 = 0.0;
    for stretch in stretches(line) {
        let range = [stretch[0].s, stretch[stretch.len() - 1].s];
        let place = |s: f64| along(&stretch, s);
        // An interval turns by a fifth of a radian at most on average: lengths and bends are then those of the cable, whatever the
        // tolerance on positions.
        let turning: f64 = stretch.windows(2).map(|w| w[0].tangent.angle(&w[1].tangent)).sum();
        let sizes = [stretch.len(), (5.0 * turning).ceil() as usize];
        let (own, reached) = fit(&place, range, sizes, tolerance).ok_or_else(|| {
            ExportError(format!(
                "the centreline of '{}' cannot be met within {:.3e} mm: ask for a larger --tolerance",
                line.name,
                1e3 * tolerance
            ))
        })?;
        worst = worst.max(reached);
        whole = Some(match whole {
            None => own,
            Some(before) => before.joined(own),
        });
    }
    let whole =
        whole.ok_or_else(|| ExportError(format!("the centreline of '{}' has no length", line.name)))?;
    Ok((whole, worst))
}

/// So many seconds after the beginning of 1970 by the calendar, without a zone (Hinnant's days from civil, backwards).
pub fn date(seconds: u64) -> String {
    let (days, rest) = ((seconds / 86_400) as i64 + 719_468, seconds % 86_400);
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

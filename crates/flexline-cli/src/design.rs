//! `flexline design`: values of parameters for which rules are kept and something is as good as may be.

use crate::failure::{Failure, GOOD, NO, write_file};
use crate::output::{Table, number, print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use crate::solved::SceneArgs;
use clap::Args;
use flexline::solver::Status;
use flexline_plot::{
    Axis, Chart, ColourMap, ColourScale, End as TubeEnd, Marker, Paint, Quantity, Series, Subject, Tube,
    ViewOptions, perspective,
};
use flexline_scene::check::Verdict;
use flexline_session::session::Solved;
use flexline_study::design::{Design, DesignFile, End, Found, Front, Kept, Rule, Wish};
use flexline_study::picture::in_perspective;
use flexline_study::{Base, Range};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Number of the format of `--json`.
const FORMAT: u32 = 1;

/// Find values of parameters that keep rules and make something as good as may be: least bent, passing here, clear of that
#[derive(Args)]
#[command(
    after_help = "Example: flexline design scenes/brake-hose.toml --vary 'cable.length=300 mm..500 mm' --minimise length --so-that 'bend_radius>=60mm'"
)]
pub struct DesignArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// A parameter and its range, as in "cable.length=400 mm..600 mm"; once for each, or several with commas between them
    #[arg(long, value_name = "NAME=FROM..TO", allow_hyphen_values = true, value_delimiter = ',')]
    vary: Vec<String>,
    /// What is to be as small as may be: a quantity as `find` has them, or one as in "cable.curvature @ 50 %", "energy"
    #[arg(long, value_name = "QUANTITY", conflicts_with = "maximise")]
    minimise: Option<String>,
    /// What is to be as large as may be, as in bend_radius
    #[arg(long, value_name = "QUANTITY")]
    maximise: Option<String>,
    /// A rule to keep, as in "bend_radius>=30mm", "end.reaction.z<=12", "cable.position.z @ 50 % = -40 mm"; any number of them
    #[arg(long, value_name = "RULE", allow_hyphen_values = true)]
    so_that: Vec<String>,
    /// A point that a cable is to pass through, as in "cable=120 mm,0 mm,80 mm within 2 mm" (1 mm unless told)
    #[arg(long, value_name = "CABLE=X,Y,Z", allow_hyphen_values = true)]
    pass: Vec<String>,
    /// Do not ask for the limits of the parts, as `check` does
    #[arg(long)]
    without_limits: bool,
    /// A second quantity to be small (or large, with a leading -): a front of alternatives between both is looked for
    #[arg(long, value_name = "QUANTITY", allow_hyphen_values = true)]
    against: Option<String>,
    /// Alternatives on the front
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(3..=200))]
    alternatives: u32,
    /// Places of the ranges to begin from, besides that of the scene
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    starts: u32,
    /// What these depend on
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Scene file to write with the values found, .toml
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Picture of before (pale) and after to write, .svg or .png
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Picture of the front to write, .svg or .png
    #[arg(long, value_name = "FILE", requires = "against")]
    front: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &DesignArgs) -> Result<u8, Failure> {
    let kind = |option: &str, path: &Option<PathBuf>| {
        path.as_deref().map(Picture::of).transpose().map_err(|error| match error {
            Failure::Input(text) => Failure::Input(text.replacen("--out", option, 1)),
            other => other,
        })
    };
    let kinds = [kind("--picture", &args.picture)?, kind("--front", &args.front)?];
    let (base, asked) = asked(args)?;
    let ranges = asked.vary.iter().map(|text| Range::parse(text)).collect::<Result<Vec<_>, _>>()?;
    if ranges.is_empty() {
        return Err(Failure::Input(
            "nothing may be varied: say --vary NAME=FROM..TO, as in --vary 'cable.length=400 mm..600 mm'"
                .into(),
        ));
    }
    let now = base.solve(&base.text)?;
    let wish = match (&asked.minimise, &asked.maximise) {
        (Some(_), Some(_)) => {
            return Err(Failure::Input("minimise and maximise are both given: say one".into()));
        }
        (Some(text), None) => Some(Wish::parse(text, false, &now)?),
        (None, Some(text)) => Some(Wish::parse(text, true, &now)?),
        (None, None) => None,
    };
    let rules = asked.so_that.iter().map(|text| Rule::parse(text, &now));
    let passes = asked.pass.iter().map(|text| Rule::pass(text, &now));
    let mut rules = rules.chain(passes).collect::<Result<Vec<_>, _>>()?;
    if !args.without_limits {
        rules.extend(Rule::check(&now));
    }
    if wish.is_none() && rules.is_empty() {
        return Err(Failure::Input(
            "nothing is asked for: say --minimise or --maximise QUANTITY, --so-that RULE or --pass CABLE=X,Y,Z".into(),
        ));
    }
    let starts = args.starts as usize;
    let design = Design { base: &base, ranges: &ranges, wish, rules, starts, seed: args.seed };
    let progress = Progress::new(u64::from(args.starts) + 4, "searches");
    if let Some(text) = &asked.against {
        let other = match text.strip_prefix('-') {
            Some(text) => Wish::parse(text, true, &now)?,
            None => Wish::parse(text, false, &now)?,
        };
        progress.set(0, (u64::from(args.starts) + 4) * u64::from(args.alternatives));
        let front = Front::run(&design, &other, args.alternatives as usize, &mut || progress.step())?;
        progress.finish();
        if let (Some(path), Some(kind)) = (&args.front, kinds[1]) {
            draw_front(&design, &other, &front, path, kind)?;
        }
        match args.json {
            true => print_json(&json!({
                "format": FORMAT,
                "scene": base.name,
                "wishes": [design.wish.as_ref().map(|own| &own.text), Some(&other.text)],
                "parameters": ranges.iter().map(|own| json!({ "name": own.name, "unit": own.unit })).collect::<Vec<_>>(),
                "alternatives": front.alternatives.iter().map(|own| own.row()).collect::<Vec<_>>(),
                "left_out": front.left_out,
            })),
            false => tell_front(&design, &other, &front),
        }
        return Ok(if front.alternatives.is_empty() { NO } else { GOOD });
    }
    let found = design.run(&mut || progress.step())?;
    progress.finish();
    if let Some(path) = &args.out {
        write_file(path, found.text.as_bytes())?;
    }
    if let (Some(path), Some(kind)) = (&args.picture, kinds[0]) {
        draw(&now, &found, &base.name, path, kind)?;
    }
    let checked = found.solved.compiled.check(&found.solved.solution);
    match args.json {
        true => print_json(&json!({
            "format": FORMAT,
            "scene": base.name,
            "wish": design.wish.as_ref().map(|own| &own.text),
            "found": found.for_machines(&ranges),
            "check": checked.overall(),
        })),
        false => tell(&design, &found, checked.overall()),
    }
    Ok(if found.is_good() { GOOD } else { NO })
}

/// The scene and what is asked, from the options or from a design file.
fn asked(args: &DesignArgs) -> Result<(Base, DesignFile), Failure> {
    let path = &args.scene.scene;
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))?;
    let is_design = toml_has_scene(&text);
    let mut own = DesignFile::default();
    let mut scene = args.scene.clone();
    if is_design {
        own = DesignFile::read(&text, &path.display().to_string())?;
        scene.scene = path.parent().unwrap_or(Path::new("")).join(&own.scene);
    }
    own.vary.extend(args.vary.iter().cloned());
    own.so_that.extend(args.so_that.iter().cloned());
    own.pass.extend(args.pass.iter().cloned());
    if args.minimise.is_some() || args.maximise.is_some() {
        (own.minimise, own.maximise) = (args.minimise.clone(), args.maximise.clone());
    }
    own.against = args.against.clone().or(own.against);
    Ok((scene.base()?, own))
}

/// Whether a file names a scene instead of being one.
fn toml_has_scene(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .any(|line| line.strip_prefix("scene").is_some_and(|rest| rest.trim_start().starts_with('=')))
}

fn tell(design: &Design<'_>, found: &Found, checked: Verdict) {
    for (range, value) in design.ranges.iter().zip(&found.values) {
        let unit = range.unit.as_deref().map_or_else(String::new, |unit| format!(" {unit}"));
        let [low, high] = [range.ends[0].min(range.ends[1]), range.ends[0].max(range.ends[1])];
        let near = 1e-6 * (high - low);
        let at = if *value - low < near || high - *value < near { ", an end of its range" } else { "" };
        print(&format!("{} = {value}{unit}{at}\n", range.name));
    }
    if let (Some(wish), Some(value)) = (&design.wish, found.wish) {
        print(&format!("there {} is {} (SI)\n", wish.text, number(value)));
    }
    print("\n");
    let mut table = Table::new(&["rule", "value", "limit", "", "missed by"]);
    for Kept { rule, value, limit, kept, missed, binding } in &found.rules {
        table.row(&[
            rule.clone(),
            value.map_or_else(|| "none".into(), number),
            number(*limit),
            match (kept, binding) {
                (true, true) => "kept, nothing to spare".into(),
                (true, false) => "kept".into(),
                (false, _) => "MISSED".into(),
            },
            if *kept { String::new() } else { number(*missed) },
        ]);
    }
    if !found.rules.is_empty() {
        table.print();
        print("\n");
    }
    if !found.is_good() {
        print(
            "No design that was found keeps all rules; this one misses least, each as a share of its limit.\n",
        );
    }
    let how = match found.end {
        End::Stationary => "no small change makes it better",
        End::Short => "steps became too short to go on: at a kink of what is asked, or beside a snap",
        End::Steps => "the search was ended after its last step: it may not be the best",
    };
    print(&format!("solved anew: {}; check: {}; {how}\n", anew(found), verdict(checked)));
    print(&format!(
        "looked at {} equilibria; a better design elsewhere in the ranges is not excluded: more --starts look closer\n",
        found.looked
    ));
}

fn anew(found: &Found) -> String {
    let ending = found.solved.compiled.ending(&found.solved.solution.report);
    match (found.solved.status(), found.same) {
        (Status::Converged, true) => format!("the same ({ending})"),
        (Status::Converged, false) => format!("ANOTHER SHAPE ({ending}): the values above are its own"),
        _ => ending,
    }
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fail => "fail",
        Verdict::Warn => "warn",
        _ => "pass",
    }
}

fn tell_front(design: &Design<'_>, other: &Wish, front: &Front) {
    let first = design.wish.as_ref().map_or("", |own| own.text.as_str());
    let heads = design.ranges.iter().map(Range::head);
    let heads: Vec<String> = heads.chain([format!("{first} [SI]"), format!("{} [SI]", other.text)]).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let mut table = Table::new(&heads);
    for own in &front.alternatives {
        let row = own.row();
        let cells: Vec<String> = row.values.iter().chain(&row.wishes).map(|value| number(*value)).collect();
        table.row(&cells);
    }
    table.print();
    print(&format!(
        "\n{} alternatives, none better in both than another; {} more were no better, or broke a rule\n",
        front.alternatives.len(),
        front.left_out
    ));
}

fn draw_front(
    design: &Design<'_>,
    other: &Wish,
    front: &Front,
    path: &Path,
    kind: Picture,
) -> Result<(), Failure> {
    let points: Vec<[f64; 2]> = front.alternatives.iter().map(|own| own.wishes).collect();
    if points.is_empty() {
        return Err(Failure::Input("there is no front to draw: no design keeps all rules".into()));
    }
    let title = |wish: &Wish| {
        let way = if wish.most { "more is better" } else { "less is better" };
        format!("{} [SI], {way}", wish.text.replace('_', " "))
    };
    let series = Series { marker: Some(Marker::Circle), ..Series::new("", points) };
    let chart = Chart {
        title: format!("{}: alternatives", design.base.name),
        x: Axis::linear(design.wish.as_ref().map_or_else(String::new, title)),
        y: Axis::linear(title(other)),
        series: vec![series],
        ..Chart::default()
    };
    kind.write(&chart.drawing(760.0, 560.0)?, path, 1600)
}

/// Before and after in one picture.
fn draw(now: &Solved, found: &Found, name: &str, path: &Path, kind: Picture) -> Result<(), Failure> {
    if now.status() != Status::Converged {
        return kind.write(&in_perspective(&found.solved, format!("{name}, designed"))?, path, 1600);
    }
    let mut tubes = Vec::new();
    for (solved, share) in [(now, 0.0), (&found.solved, 1.0)] {
        for profile in &solved.solution.profiles {
            let frames = profile.samples.iter().map(|own| own.frame);
            tubes.push(Tube {
                centre: profile.samples.iter().map(|own| own.position.into()).collect(),
                frames: frames.map(|own| [own.w, own.i, own.j, own.k]).collect(),
                radius: profile.samples.iter().map(|own| own.radius).collect(),
                paint: Paint::Values(vec![share; profile.samples.len()]),
                stripe: false,
                ends: [TubeEnd::Free; 2],
            });
        }
    }
    let subject = Subject {
        title: format!("{name}: before and after"),
        tubes,
        solids: Vec::new(),
        loads: Vec::new(),
        scale: Some(ColourScale {
            map: ColourMap::Sequential,
            range: [0.0, 1.0],
            title: "0 before, 1 after".into(),
            quantity: Quantity::Ratio,
        }),
    };
    kind.write(&perspective(&subject, &ViewOptions::default())?, path, 1600)
}

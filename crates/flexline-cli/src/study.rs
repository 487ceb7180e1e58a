//! `flexline study`: a scene whose parameters are spread, many times.

use crate::failure::{Failure, GOOD, NO, write_file};
use crate::output::{Table, number, print, print_json};
use crate::progress::Progress;
use clap::Args;
use flexline_study::study::{Row, Run, RunError, Study, Summary, csv, html};
use std::path::PathBuf;

/// Spread the parameters of a scene and tell how its responses spread: quantiles, failure rates, sensitivities
#[derive(Args)]
pub struct StudyArgs {
    /// Study file (TOML; docs/guide/studies.md describes it)
    study: PathBuf,
    /// Folder for rows, results and report (default: the study's name with .out, here); a run that was ended goes on there
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Begin anew where the folder has rows already
    #[arg(long)]
    anew: bool,
    /// Threads (default: one for every core); the results are the same whatever their number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Input(error) => error.into(),
            RunError::Output { path, error } => Self::Output { path, error },
        }
    }
}

/// Runs the command.
pub fn run(args: &StudyArgs) -> Result<u8, Failure> {
    let study = Study::load(&args.study)?;
    let folder = args.out.clone().unwrap_or_else(|| {
        PathBuf::from(args.study.file_name().unwrap_or("study".as_ref())).with_extension("out")
    });
    let mut own = Run::open(&study, &folder, args.anew)?;
    let progress = Progress::new((study.rows() - own.done()) as u64, "rows");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0) as usize).build();
    let pool = pool.map_err(|error| Failure::Input(format!("--threads: {error}")))?;
    pool.install(|| own.go_on(&study, &|count| (0..count).for_each(|_| progress.step())))?;
    progress.finish();
    let rows: Vec<Row> = own.rows.into_iter().flatten().collect();
    let summary = Summary::new(&study, &rows);
    write_file(&folder.join("results.csv"), csv(&study, &rows).as_bytes())?;
    write_file(&folder.join("report.html"), html(&study, &rows, &summary)?.as_bytes())?;
    let value = serde_json::to_value(&summary).map_err(|error| Failure::Input(error.to_string()))?;
    let text = serde_json::to_string_pretty(&value).unwrap_or_default() + "\n";
    write_file(&folder.join("summary.json"), text.as_bytes())?;
    match args.json {
        true => print_json(&value),
        false => tell(&summary, &folder.display().to_string()),
    }
    let none = summary.responses.iter().any(|own| own.count == 0);
    Ok(if none { NO } else { GOOD })
}

fn tell(summary: &Summary, folder: &str) {
    let ends: Vec<String> =
        summary.statuses.iter().map(|(status, count)| format!("{count} {status}")).collect();
    print(&format!("{} rows: {}\n\n", summary.rows, ends.join(", ")));
    let mut table =
        Table::new(&["response (SI)", "mean", "deviation", "1 %", "median", "99 %", "limit", "broken"]);
    for own in &summary.responses {
        let quantile = |share: f64| {
            let found = own.quantiles.iter().find(|known| known.0 == share);
            found.map_or_else(|| "-".to_owned(), |known| number(known.1.value))
        };
        let broken = own.failure.map_or_else(String::new, |own| {
            let [low, high] = own.interval.map(|end| 100.0 * end);
            format!("{:.2} % ({low:.2} to {high:.2})", 100.0 * own.value)
        });
        table.row(&[
            own.quantity.clone(),
            number(own.mean),
            number(own.deviation),
            quantile(0.01),
            quantile(0.5),
            quantile(0.99),
            own.limit.clone().unwrap_or_default(),
            broken,
        ]);
    }
    table.print();
    for own in &summary.responses {
        if let Some(indices) = &own.indices {
            print(&format!("\nSobol's indices of {}\n", own.quantity));
            let mut table = Table::new(&["parameter", "first order", "total"]);
            for (name, own) in summary.parameters.iter().zip(indices) {
                let [first, total] = [&own.first, &own.total]
                    .map(|own| format!("{:.3} ± {:.3}", own.value, own.interval[1] - own.value));
                table.row(&[name.clone(), first, total]);
            }
            table.print();
        } else if let Some(plane) = &own.regression {
            print(&format!(
                "\n{}, by a plane that explains {:.1} %\n",
                own.quantity,
                100.0 * plane.explained
            ));
            let mut table = Table::new(&["parameter", "slope", "share of deviations"]);
            for (p, name) in summary.parameters.iter().enumerate() {
                table.row(&[name.clone(), number(plane.slopes[p]), format!("{:.3}", plane.standardised[p])]);
            }
            table.print();
        }
    }
    print(&format!("\nrows, results.csv, summary.json and report.html are in {folder}\n"));
}

//! Runs the reference set and prints every case with all its resolutions:
//! `cargo run --release -p flexline-validation --example validate_all [FILTER]`.

use flexline_validation::{CaseStatus, Options, embedded, run};

fn main() {
    let options = Options { filter: std::env::args().nth(1), ..Options::default() };
    let summary = run(&embedded(), &options, &|_, _, _| {});
    for case in summary.cases.iter().filter(|c| c.status != CaseStatus::Unsupported) {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.2e}"));
        let order = case.order.map_or("-".to_owned(), |p| format!("{p:.2}"));
        let n = case.n.map_or("-".to_owned(), |n| n.to_string());
        let quantity = case.quantity.as_deref().unwrap_or("-");
        println!(
            "{:<20} {:<30} {:?} n {n} error {} of {} order {order} ({quantity}) {}",
            case.group,
            case.id,
            case.status,
            number(case.error),
            number(case.tolerance),
            case.why
        );
        for attempt in &case.attempts {
            let text = match &attempt.outcome {
                Ok(list) => {
                    list.iter().map(|q| format!("{} {:.2e}", q.name, q.error)).collect::<Vec<_>>().join(", ")
                }
                Err(why) => why.clone(),
            };
            println!("    n {:>3}: {text}", attempt.n);
        }
    }
    println!("{} passed, {} missed, {} unsupported", summary.passed, summary.missed, summary.unsupported);
}

//! The report of a study: one HTML file that needs no other.

use super::{Row, Study, Summary};
use flexline_plot::{Axis, Chart, PlotError, Series};
use flexline_scene::words::digits;

/// A curve is drawn through at most this many values.
const DRAWN: usize = 400;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1c2126}\
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;border-bottom:1px solid #d5dade;text-align:right}\
td:first-child,th:first-child{text-align:left}.bad{color:#b3261e}figure{margin:1em 0}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn percent(share: f64) -> String {
    format!("{} %", digits((1e6 * share).round() / 1e4))
}

/// The report.
pub fn html(study: &Study, rows: &[Row], summary: &Summary) -> Result<String, PlotError> {
    let mut out = String::new();
    let title = escaped(&summary.scene);
    out += &format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style>"
    );
    out += &format!(
        "<h1>{title}</h1><p>{} rows, seed {}; {} count for quantiles and rates. Intervals are at 95 % and take rows for \
         independent: those of Latin hypercubes and Sobol's sequence are narrower in truth.</p>",
        summary.rows, summary.seed, summary.counted
    );
    out += "<table><tr><th>how rows ended</th><th>rows</th></tr>";
    for (status, count) in &summary.statuses {
        out += &format!("<tr><td>{}</td><td>{count}</td></tr>", escaped(status));
    }
    out += "</table><h2>Parameters</h2><table><tr><th>parameter</th><th>unit</th><th>spread</th></tr>";
    for own in &study.parameters {
        let unit = own.unit.as_deref().unwrap_or("SI");
        out += &format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&own.name),
            escaped(unit),
            escaped(&format!("{:?}", own.distribution))
        );
    }
    out += "</table>";
    for (k, own) in summary.responses.iter().enumerate() {
        out += &format!("<h2>{}</h2>", escaped(&own.quantity));
        if own.count == 0 {
            out += "<p class=\"bad\">No row has a value.</p>";
            continue;
        }
        out += &format!(
            "<p>{} values: mean {}, deviation {}, from {} to {} (SI).</p>",
            own.count,
            digits(own.mean),
            digits(own.deviation),
            digits(own.least),
            digits(own.largest)
        );
        if let (Some(limit), Some(failure)) = (&own.limit, &own.failure) {
            let [low, high] = failure.interval;
            out += &format!(
                "<p>{} is broken, or there is no value, in <b>{}</b> of the rows ({} to {}).</p>",
                escaped(limit),
                percent(failure.value),
                percent(low),
                percent(high)
            );
        }
        out += "<table><tr><th>quantile</th><th>value</th><th>from</th><th>to</th></tr>";
        for (share, own) in &own.quantiles {
            let [value, low, high] = [own.value, own.interval[0], own.interval[1]].map(digits);
            out += &format!(
                "<tr><td>{}</td><td>{value}</td><td>{low}</td><td>{high}</td></tr>",
                percent(*share)
            );
        }
        out += "</table>";
        out += &format!("<figure>{}</figure>", distribution(rows, summary, k)?);
        if let Some(plane) = &own.regression {
            out += "<table><tr><th>parameter</th><th>slope</th><th>share of deviations</th></tr>";
            for (p, name) in summary.parameters.iter().enumerate() {
                out += &format!(
                    "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
                    escaped(name),
                    digits(plane.slopes[p]),
                    digits((1e4 * plane.standardised[p]).round() / 1e4)
                );
            }
            out +=
                &format!("</table><p>The plane explains {} of the variance.</p>", percent(plane.explained));
        }
        if let Some(all) = &own.indices {
            out += "<table><tr><th>parameter</th><th>first order</th><th>total</th></tr>";
            let shown = |own: &super::statistics::Estimate| {
                format!("{:.3} ± {:.3}", own.value, own.interval[1] - own.value)
            };
            for (name, own) in summary.parameters.iter().zip(all) {
                out += &format!(
                    "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
                    escaped(name),
                    shown(&own.first),
                    shown(&own.total)
                );
            }
            out += &format!(
                "</table><p>Sobol's indices; {} samples left out for want of a value.</p>",
                own.left_out
            );
        }
    }
    out += "</html>\n";
    Ok(out)
}

/// The share of rows below a value, as a curve.
fn distribution(rows: &[Row], summary: &Summary, k: usize) -> Result<String, PlotError> {
    let own = &summary.responses[k];
    let mut values: Vec<f64> = rows[..summary.counted]
        .iter()
        .filter_map(|row| row.values[k].filter(|own| own.is_finite()))
        .collect();
    values.sort_by(f64::total_cmp);
    let count = values.len().min(DRAWN);
    let place = |k: usize| k * (values.len() - 1) / (count.max(2) - 1);
    let point = |k: usize| [values[place(k)], (place(k) as f64 + 0.5) / values.len() as f64];
    let mut points: Vec<[f64; 2]> = (0..count).map(point).collect();
    if count == 1 {
        points.push(points[0]);
    }
    let chart = Chart {
        title: format!("Share of rows below, {}", own.quantity),
        x: Axis::linear(format!("{} (SI)", own.quantity)),
        y: Axis::linear("share"),
        series: vec![Series::new(own.quantity.clone(), points)],
        ..Chart::default()
    };
    Ok(chart.drawing(720.0, 360.0)?.to_svg())
}

//! Small pictures of the scenes of the gallery: their cables in equilibrium, seen from the side and a little above.

use crate::engine::CancelOnDrop;
use crate::gallery;
use flexline::Vec3;
use flexline::solver::{Budget, Cancel};
use flexline_scene::Folder;
use flexline_session::session::{Session, Solved, Solving};
use std::collections::BTreeMap;
use std::fmt::Write;
use tokio::sync::Mutex;

/// Size of a picture, and the room around what it shows.
const SIZE: [f64; 2] = [240.0, 120.0];
const MARGIN: f64 = 10.0;
/// Colours of the cables, one after the other; they can be told on light and dark.
const COLOURS: [&str; 4] = ["#2f8fe0", "#d98a1f", "#2aa37a", "#c2577d"];
/// The view: right and up on the picture, world axes.
const RIGHT: Vec3 = Vec3::new(0.80, 0.60, 0.0);
const UP: Vec3 = Vec3::new(0.21, -0.28, 0.936);

/// The picture of a scene as SVG; `None` where the gallery has none of that name, or it cannot be solved. Drawn once.
pub async fn svg(name: &str) -> Option<String> {
    static DRAWN: Mutex<BTreeMap<String, String>> = Mutex::const_new(BTreeMap::new());
    let text = gallery::text(name)?;
    // One at a time: a page asks for all of them at once, and somebody may be dragging.
    let mut drawn = DRAWN.lock().await;
    if let Some(known) = drawn.get(name) {
        return Some(known.clone());
    }
    let title = name.to_owned();
    let asker = CancelOnDrop(Cancel::default());
    let wanted = Budget::until(&asker.0);
    let files = Folder::default().with(gallery::files());
    let open = move || wanted.around(|| Session::open_in(&text, &title, &files, Solving::Always));
    let solve = move || draw(open().ok()?.solution()?).into();
    let picture: String = tokio::task::spawn_blocking(solve).await.ok().flatten()?;
    drawn.insert(name.to_owned(), picture.clone());
    Some(picture)
}

/// Every cable as points of the picture's plane, and its radius, m.
fn lines(solved: &Solved) -> Vec<(Vec<[f64; 2]>, f64)> {
    let line = |samples: &[flexline::solver::Sample]| {
        let points = samples.iter().map(|s| [s.position.dot(&RIGHT), -s.position.dot(&UP)]).collect();
        (points, samples.first().map_or(0.0, |s| s.radius))
    };
    solved.solution.profiles.iter().map(|profile| line(&profile.samples)).collect()
}

fn draw(solved: &Solved) -> String {
    let lines = lines(solved);
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for point in lines.iter().flat_map(|(points, _)| points) {
        for axis in 0..2 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    let room = |axis: usize| (SIZE[axis] - 2.0 * MARGIN) / (high[axis] - low[axis]).max(1e-9);
    let scale = room(0).min(room(1));
    let place = |point: &[f64; 2]| {
        [0, 1].map(|axis| 0.5 * SIZE[axis] + (point[axis] - 0.5 * (low[axis] + high[axis])) * scale)
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" fill=\"none\" stroke-linecap=\"round\" \
         stroke-linejoin=\"round\">",
        SIZE[0], SIZE[1]
    );
    for (i, (points, radius)) in lines.iter().enumerate() {
        let width = (2.0 * radius * scale).clamp(1.5, 9.0);
        let colour = COLOURS[i % COLOURS.len()];
        let _ = write!(out, "<path stroke=\"{colour}\" stroke-width=\"{width:.1}\" d=\"");
        for (k, point) in points.iter().enumerate() {
            let [x, y] = place(point);
            let _ = write!(out, "{}{x:.1} {y:.1}", if k == 0 { "M" } else { "L" });
        }
        out += "\"/>";
    }
    out + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn scenes_have_pictures_inside_their_frame() {
        for name in ["brake-hose", "door-harness", "ring", "cantilever"] {
            let drawn = svg(name).await.expect(name);
            let numbers = drawn.split("d=\"").skip(1).flat_map(|d| {
                let path = d.split('"').next().unwrap_or_default();
                path.split(['M', 'L']).filter(|p| !p.is_empty()).map(|p| {
                    let (x, y) = p.split_once(' ').expect("two numbers");
                    [x.parse::<f64>().expect("a number"), y.parse::<f64>().expect("a number")]
                })
            });
            let points: Vec<[f64; 2]> = numbers.collect();
            assert!(points.len() > 20, "{name}");
            assert!(points.iter().all(|p| (0..2).all(|a| (0.0..=SIZE[a]).contains(&p[a]))), "{name}");
            // It fills its frame one way at least.
            let extent = |axis: usize| {
                let all = || points.iter().map(|p| p[axis]);
                all().fold(f64::MIN, f64::max) - all().fold(f64::MAX, f64::min)
            };
            assert!((0..2).any(|axis| extent(axis) > SIZE[axis] - 2.0 * MARGIN - 1.0), "{name}");
        }
        assert!(svg("no such scene").await.is_none());
        assert!(
            (RIGHT.norm() - 1.0).abs() < 1e-3
                && (UP.norm() - 1.0).abs() < 2e-2
                && RIGHT.dot(&UP).abs() < 1e-3
        );
    }
}

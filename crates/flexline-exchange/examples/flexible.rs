//! `flexible FILE METRES_PER_UNIT [SCENE]`: cables of a mesh, as JSON; with a third word as a scene of that title.
#![allow(clippy::print_stdout)]

use flexline::Vec3;
use flexline_exchange::{drawing::Drawing, flexible};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("which file?")?;
    let scale: f64 = args.next().map_or(Ok(0.001), |s| s.parse())?;
    let drawing = Drawing::read(&std::fs::read(path)?)?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for part in &drawing.parts {
        let first = vertices.len() as u32;
        vertices.extend(part.vertices.iter().map(|p| scale * Vec3::new(p[0], p[1], p[2])));
        triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    let begun = std::time::Instant::now();
    let flexible = flexible::cables(&vertices, &triangles);
    match args.next() {
        Some(title) => {
            let scene = flexible.to_scene(&title, "epdm-70", flexible::Rest::Drawn);
            println!("{}", scene.ok_or_else(|| flexible.refused.unwrap_or_default())?);
        }
        None => println!("{}", flexible.to_json(begun.elapsed().as_secs_f64())),
    }
    Ok(())
}

//! `flexible FILE UNIT`: cables of a mesh, as JSON. UNIT is metres per unit of the file.
#![allow(clippy::print_stdout)]

use flexline::Vec3;
use flexline_exchange::{flexible, mesh::Mesh};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("which file?")?;
    let scale: f64 = args.next().map_or(Ok(0.001), |s| s.parse())?;
    let mesh = Mesh::read(&std::fs::read(path)?, scale)?;
    let vertices: Vec<Vec3> =
        mesh.vertices.iter().map(|p| Vec3::from_iterator(p.iter().map(|x| f64::from(*x)))).collect();
    let begun = std::time::Instant::now();
    let flexible = flexible::cables(&vertices, &mesh.triangles);
    println!("{}", flexible.to_json(begun.elapsed().as_secs_f64()));
    Ok(())
}

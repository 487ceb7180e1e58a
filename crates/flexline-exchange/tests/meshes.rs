//! The seeds of the fuzzer, whole and damaged: every one is read, none of its ruins panics, and what is read is sound.

use flexline_exchange::drawing::{Drawing, Format, health};
use flexline_exchange::mesh::Mesh;
use proptest::prelude::*;
use std::path::Path;
use std::sync::LazyLock;

static SEEDS: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/meshes");
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())
    };
    let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().map(read).collect();
    all.sort();
    all
});

/// Vertices that are finite, triangles of vertices that are there.
fn assert_sound(drawing: &Drawing) {
    for part in &drawing.parts {
        assert!(part.vertices.iter().flatten().all(|x| x.is_finite()));
        assert!(part.triangles.iter().flatten().all(|i| (*i as usize) < part.vertices.len()));
        assert!(!part.triangles.is_empty());
    }
    assert!(drawing.lines.iter().all(|line| line.points.len() > 1));
    if let Ok(mesh) = drawing.mesh(1e-3) {
        assert_eq!(Mesh::from_bytes(&mesh.to_bytes()), Some(mesh));
    }
    let _ = health(&drawing.parts);
}

#[test]
fn seeds_are_read() {
    let mut formats = Vec::new();
    for (name, bytes) in SEEDS.iter() {
        let drawing = Drawing::read(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(drawing.triangles() > 0, "{name}");
        assert_sound(&drawing);
        assert!(name.ends_with(drawing.format.ending()), "{name}");
        formats.push(drawing.format);
    }
    for format in [
        Format::StlAscii,
        Format::Obj,
        Format::Ply,
        Format::Gltf,
        Format::Glb,
        Format::InventorAscii,
        Format::InventorBinary,
        Format::Vrml1,
        Format::Vrml97,
        Format::Urdf,
        Format::Sdf,
    ] {
        assert!(formats.contains(&format), "there is a seed of {}", format.name());
    }
}

#[test]
fn cut_seeds_are_refused_or_sound() {
    for (_, bytes) in SEEDS.iter() {
        for end in 0..bytes.len() {
            if let Ok(drawing) = Drawing::read(&bytes[..end]) {
                assert_sound(&drawing);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn damaged_seeds_are_refused_or_sound(
        seed in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3usize), 1..6),
    ) {
        let mut bytes = seed.get(&SEEDS).1.clone();
        for (place, value, how) in damage {
            let at = place.index(bytes.len());
            match how {
                0 => bytes[at] = value,
                1 => bytes.insert(at, value),
                _ => { let end = (at + usize::from(value) % 8).min(bytes.len()); bytes.drain(at..end); }
            }
            if bytes.is_empty() {
                break;
            }
        }
        match Drawing::read(&bytes) {
            Ok(drawing) => assert_sound(&drawing),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

//! The scenes that come with Flexline, and the parts of its library.

use crate::wire::{GalleryEntry, Material};
use flexline::section::{Part, parts};
use flexline_scene::{Folder, Scene};
use rust_embed::RustEmbed;
use std::borrow::Cow;
use std::sync::OnceLock;

#[derive(RustEmbed)]
#[folder = "../../scenes"]
#[include = "*.toml"]
#[exclude = "*/*"]
struct Scenes;

/// Scenes with obstacles, in a folder of their own with their meshes.
#[derive(RustEmbed)]
#[folder = "../../scenes/contact"]
#[include = "*.toml"]
#[exclude = "*/*"]
struct ContactScenes;

/// Mesh files that scenes of the gallery name.
#[derive(RustEmbed)]
#[folder = "../../scenes/contact/meshes"]
#[prefix = "meshes/"]
#[include = "*.stl"]
#[include = "*.obj"]
struct MeshFiles;

/// The mesh files of the gallery, as its scenes name them.
pub fn files() -> impl Iterator<Item = (String, Cow<'static, [u8]>)> {
    MeshFiles::iter().filter_map(|name| Some((name.to_string(), MeshFiles::get(&name)?.data)))
}

/// Guided tours, and the scenes they begin with.
const TOURS: [(&str, &str); 6] = [
    ("brake-hose", "brake-hose"),
    ("control-unit", "control-unit"),
    ("twisted-ring", "ring"),
    ("hose-pushed-aside", "push-aside"),
    ("cable-through-an-aperture", "thread"),
    ("cable-pulled-through-a-conduit", "pull"),
];

/// The text of a scene of the gallery.
pub fn text(name: &str) -> Option<String> {
    let file = format!("{name}.toml");
    let file = Scenes::get(&file).or_else(|| ContactScenes::get(&file))?;
    String::from_utf8(file.data.into_owned()).ok()
}

/// Names that are there.
pub fn names() -> Vec<String> {
    let files = Scenes::iter().chain(ContactScenes::iter());
    files.filter_map(|file| Some(file.strip_suffix(".toml")?.to_owned())).collect()
}

/// What `GET /api/gallery` answers.
pub fn list() -> &'static [GalleryEntry] {
    static LIST: OnceLock<Vec<GalleryEntry>> = OnceLock::new();
    LIST.get_or_init(|| {
        let mut names = names();
        names.sort();
        names.iter().filter_map(|name| entry(name)).collect()
    })
}

fn entry(name: &str) -> Option<GalleryEntry> {
    let text = text(name)?;
    let Scene { title, description, cables, .. } =
        Scene::parse_in(&text, name, &Folder::default().with(files())).ok()?;
    let tour = TOURS.iter().find(|(scene, _)| *scene == name).map(|(_, tour)| *tour);
    Some(GalleryEntry {
        name: name.to_owned(),
        title: title.unwrap_or_else(|| name.to_owned()),
        description: description.unwrap_or_else(|| opening(&text)),
        cables: cables.len(),
        tour,
    })
}

/// The first paragraph of the comment that a scene file opens with.
fn opening(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix('#').map(str::trim));
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// What `GET /api/materials` answers.
pub fn materials() -> Vec<Material> {
    let entry = |part: &Part| {
        let section = &part.section;
        Material {
            name: part.id,
            title: part.name,
            kind: part.kind,
            diameter: part.outer_diameter,
            bend: section.stiffness.x,
            twist: section.stiffness.z,
            mass_per_length: section.mass_per_length,
            bend_static: section.limits.bend_static,
            bend_dynamic: section.limits.bend_dynamic,
            source: part.source,
        }
    };
    parts().iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_is_in_the_gallery() {
        let list = list();
        assert_eq!(list.len(), names().len(), "every scene can be read");
        assert!(list.len() > 30);
        let hose = list.iter().find(|entry| entry.name == "brake-hose").unwrap();
        assert_eq!(hose.title, "Brake hose, front left");
        assert!(hose.description.starts_with("A brake hose from the bracket"));
        for (scene, tour) in TOURS {
            assert!(list.iter().any(|entry| entry.name == scene && entry.tour == Some(tour)));
        }
        assert_eq!(materials().len(), parts().len());
    }
}

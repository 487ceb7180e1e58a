//! Obstacles of a scene, and how they are made for the engine: sizes as they are, meshes from their files.

use crate::diagnostic::Code;
use crate::folder::Folder;
use crate::model::Orientation;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Mesh, MeshHealth, Obstacle, Shape};
use flexline::solver::Pose;

/// Mesh files larger than this are refused before they are read, in bytes.
pub const LARGEST_MESH: u64 = 1 << 29;

/// Something that cables cannot enter.
#[derive(Clone, Debug, PartialEq)]
pub struct ObstacleSpec {
    /// Name, for tables and messages.
    pub name: String,
    /// What it is, in its own axes.
    pub form: Form,
    /// The part that it is on and goes with: its pose is in the axes of that.
    pub on: Option<String>,
    /// Where its origin is, m.
    pub position: Vec3,
    /// How it is turned; `None` leaves its axes those of the world. A tangent is its own z.
    pub orientation: Option<Orientation>,
    /// Coulomb's coefficient of friction of cables on it.
    pub friction: f64,
}

/// What an obstacle is; lengths in m. Bars and bores run along its own z, a plane is open to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Everything below z = 0.
    Plane,
    /// A ball.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A round bar with flat ends, or without end.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its whole length; `None` is endless.
        length: Option<f64>,
    },
    /// A round bar with round ends.
    Capsule {
        /// Its radius.
        radius: f64,
        /// The length of its straight part.
        length: f64,
    },
    /// A block.
    Box {
        /// Its whole lengths along x, y and z.
        size: Vec3,
    },
    /// A bore without end that cables are led in.
    Tube {
        /// Its radius.
        radius: f64,
    },
    /// A mesh of triangles.
    Mesh(MeshFile),
}

/// A mesh in a file of its own, of any format that is read.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// Its path, from the folder of the scene.
    pub path: String,
    /// What one unit of the file is, m.
    pub unit: f64,
    /// Which axis of the file points up.
    pub up: UpAxis,
    /// The fingerprint of its triangles when the scene was saved.
    pub fingerprint: Option<u64>,
}

/// An axis of a file that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// y, as in most programs for pictures.
    Y,
    /// z, as in scenes and in most CAD programs.
    #[default]
    Z,
}

/// An obstacle made for the engine.
#[derive(Clone, Debug)]
pub struct Made {
    /// The obstacle.
    pub obstacle: Obstacle,
    /// What is to know of its mesh, where it has one.
    pub health: Option<MeshHealth>,
    /// Whether its mesh is another than when the scene was saved.
    pub changed: bool,
}

/// Why an obstacle cannot be made: the key it lies with, what is wrong, what to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake {
    /// The kind of mistake.
    pub code: Code,
    /// The key of the obstacle.
    pub key: &'static str,
    /// What is wrong, with the value.
    pub message: String,
    /// What was expected and how to mend it.
    pub help: String,
}

impl ObstacleSpec {
    /// The obstacle for the engine; meshes are looked for in the folder of the scene.
    pub fn make(&self, folder: &Folder) -> Result<Made, Mistake> {
        let mut changed = false;
        let (shape, health) = match &self.form {
            Form::Plane => (Shape::Plane, None),
            Form::Sphere { radius } => (Shape::Sphere { radius: *radius }, None),
            Form::Cylinder { radius, length } => {
                (Shape::Cylinder { radius: *radius, half_length: length.map(|l| 0.5 * l) }, None)
            }
            Form::Capsule { radius, length } => {
                (Shape::Capsule { radius: *radius, half_length: 0.5 * length }, None)
            }
            Form::Box { size } => (Shape::Box { half: 0.5 * size }, None),
            Form::Tube { radius } => (Shape::Tube { radius: *radius }, None),
            Form::Mesh(file) => {
                let (mesh, health) = folder.mesh(file)?;
                changed = file.fingerprint.is_some_and(|saved| saved != fingerprint(&mesh));
                (Shape::Mesh(mesh), Some(health))
            }
        };
        let orientation = self.orientation.map_or(rotation::identity(), Orientation::frame);
        let pose = Pose { position: self.position, orientation };
        let obstacle = Obstacle { shape, pose, friction: self.friction };
        // The reader lets nothing through that fails here; a spec made by hand may.
        obstacle.check().map_err(|error| Mistake {
            code: Code::OutOfRange,
            key: "name",
            message: error.to_string(),
            help: "give it a size, a place and a friction that can be".into(),
        })?;
        Ok(Made { obstacle, health, changed })
    }
}

/// A number of the vertices and triangles of a mesh, another for another mesh (FNV-1a, 64 bit).
pub fn fingerprint(mesh: &Mesh) -> u64 {
    let words = mesh.vertices().iter().flat_map(|v| [v.x.to_bits(), v.y.to_bits(), v.z.to_bits()]);
    let corners = mesh.triangles().iter().flatten().map(|v| u64::from(*v));
    words
        .chain(corners)
        .fold(0xcbf2_9ce4_8422_2325, |check, word| (check ^ word).wrapping_mul(0x0100_0000_01b3))
}

impl UpAxis {
    /// A vertex of the file with z up.
    pub(crate) fn turned(self, [x, y, z]: [f64; 3]) -> Vec3 {
        match self {
            Self::Y => Vec3::new(x, -z, y),
            Self::Z => Vec3::new(x, y, z),
        }
    }

    /// Whether it is y.
    pub(crate) fn is_y(self) -> bool {
        self == Self::Y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron as OBJ.
    const OBJ: &str = "v 0 0 0\nv 10 0 0\nv 0 20 0\nv 0 0 30\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

    fn mesh(path: &str, unit: f64, up: UpAxis) -> ObstacleSpec {
        ObstacleSpec {
            name: "bracket".into(),
            form: Form::Mesh(MeshFile { path: path.into(), unit, up, fingerprint: None }),
            on: None,
            position: Vec3::new(1.0, 0.0, 0.0),
            orientation: None,
            friction: 0.3,
        }
    }

    /// A folder of its own that is gone afterwards.
    struct Scratch(std::path::PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("flexline-{name}-{}", std::process::id()));
            std::fs::create_dir_all(path.join("meshes")).unwrap();
            std::fs::write(path.join("meshes/bracket.obj"), OBJ).unwrap();
            std::fs::write(path.join("notes.stl"), "no mesh").unwrap();
            Self(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn meshes_come_in_metres_and_upright() {
        let own = Scratch::new("upright");
        let folder = Folder::new(&own.0);
        let made = mesh("meshes/bracket.obj", 1e-3, UpAxis::Z).make(&folder).unwrap();
        let health = made.health.unwrap();
        assert!(health.closed && (health.volume - 1e-6).abs() < 1e-12, "{health:?}");
        assert_eq!((made.obstacle.pose.position.x, made.obstacle.friction), (1.0, 0.3));
        let made = mesh("./meshes/bracket.obj", 0.01, UpAxis::Y).make(&folder).unwrap();
        let Shape::Mesh(turned) = &made.obstacle.shape else { panic!("a mesh") };
        let [low, high] = turned.extent();
        assert!(
            (low - Vec3::new(0.0, -0.3, 0.0)).norm() < 1e-7
                && (high - Vec3::new(0.1, 0.0, 0.2)).norm() < 1e-7
        );
        assert!((made.health.unwrap().volume - 1e-3).abs() < 1e-9);
    }

    #[test]
    fn files_that_cannot_be_are_told_with_a_remedy() {
        let own = Scratch::new("refused");
        let folder = Folder::new(&own.0);
        let refused = |path: &str| mesh(path, 1e-3, UpAxis::Z).make(&folder).unwrap_err();
        let missing = refused("meshes/braket.obj");
        assert_eq!((missing.code, missing.key), (Code::Unreadable, "mesh"));
        assert_eq!(missing.help, "did you mean \"bracket.obj\"?");
        assert!(refused("meshes").message.contains("cannot read"));
        assert!(refused("notes.stl").message.contains("expected STL, OBJ, PLY, glTF"));
        for outside in ["../bracket.obj", "/etc/passwd", "meshes/../../x.stl", ""] {
            assert!(refused(outside).message.contains("no file in the folder of the scene"), "{outside}");
        }
        let far = mesh("meshes/bracket.obj", 1e300, UpAxis::Z).make(&folder).unwrap_err();
        assert!(far.message.contains("too large in this unit"), "{far:?}");
    }

    #[test]
    fn a_mesh_that_was_changed_since_is_told() {
        let own = Scratch::new("changed");
        let folder = Folder::new(&own.0);
        let plain = mesh("meshes/bracket.obj", 1e-3, UpAxis::Z);
        let made = plain.make(&folder).unwrap();
        let Shape::Mesh(now) = &made.obstacle.shape else { panic!("a mesh") };
        let saved = Some(fingerprint(now));
        let mut spec = plain.clone();
        let Form::Mesh(file) = &mut spec.form else { panic!("a mesh") };
        file.fingerprint = saved;
        assert!(!made.changed && !spec.make(&folder).unwrap().changed);
        std::fs::write(own.0.join("meshes/bracket.obj"), OBJ.replace("v 0 0 30", "v 0 0 30.125")).unwrap();
        assert!(spec.make(&Folder::new(&own.0)).unwrap().changed);
        assert!(!plain.make(&Folder::new(&own.0)).unwrap().changed);
    }

    #[test]
    fn sizes_are_halved_where_the_engine_counts_from_the_middle() {
        let made = |form| {
            let spec = ObstacleSpec { form, ..mesh("", 1.0, UpAxis::Z) };
            spec.make(&Folder::default()).map(|made| made.obstacle.shape)
        };
        let size = Vec3::new(1.0, 2.0, 3.0);
        assert!(matches!(made(Form::Box { size }), Ok(Shape::Box { half }) if half == 0.5 * size));
        let bar = made(Form::Cylinder { radius: 0.1, length: Some(4.0) });
        assert!(matches!(bar, Ok(Shape::Cylinder { radius: 0.1, half_length: Some(2.0) })));
        let round = made(Form::Capsule { radius: 0.1, length: 4.0 });
        assert!(matches!(round, Ok(Shape::Capsule { radius: 0.1, half_length: 2.0 })));
        assert!(made(Form::Sphere { radius: -1.0 }).unwrap_err().message.contains("-1 m"));
    }
}

//! Through the nodes of a scene from left to right, with the state that they hand on: where things are, and the points that
//! shapes are made of.

use super::node::{Node, Value};
use crate::drawing::{Builder, Transform};
use crate::mesh::{At, MeshError};
use flexline::Vec3;
use std::collections::HashMap;
use std::rc::Rc;

/// No more nodes than this are visited, those that are used again counted again.
const MOST_VISITS: usize = 2_000_000;
/// No more copies than this by one node.
const MOST_COPIES: f64 = 100_000.0;

/// What the words of `Units` are, m.
pub(super) const UNITS: [(&str, f64); 14] = [
    ("METERS", 1.0),
    ("CENTIMETERS", 1e-2),
    ("MILLIMETERS", 1e-3),
    ("MICROMETERS", 1e-6),
    ("MICRONS", 1e-6),
    ("NANOMETERS", 1e-9),
    ("ANGSTROMS", 1e-10),
    ("KILOMETERS", 1e3),
    ("FEET", 0.3048),
    ("INCHES", 0.0254),
    ("POINTS", 0.0254 / 72.0),
    ("YARDS", 0.9144),
    ("MILES", 1609.344),
    ("NAUTICAL_MILES", 1852.0),
];

/// Nodes that mean nothing for shapes.
const SILENT: &str = "Material BaseColor PackedColor MaterialBinding Normal NormalBinding LightModel DrawStyle Complexity \
    Texture2 Texture3 Texture2Transform TextureCoordinate2 TextureCoordinate3 TextureCoordinateBinding TextureCoordinatePlane \
    TextureCoordinateEnvironment TextureCoordinateDefault TextureCoordinateFunction PerspectiveCamera OrthographicCamera Info \
    DirectionalLight PointLight SpotLight Environment PickStyle ClipPlane Font FontStyle PolygonOffset TransparencyType \
    ProfileCoordinate2 ProfileCoordinate3 LinearProfile NurbsProfile EventCallback Callback WorldInfo NavigationInfo Viewpoint \
    Background Fog TimeSensor TouchSensor PlaneSensor SphereSensor CylinderSensor ProximitySensor VisibilitySensor Script Sound \
    AudioClip PositionInterpolator OrientationInterpolator ColorInterpolator ScalarInterpolator CoordinateInterpolator \
    NormalInterpolator ColorIndex AppearanceKit AntiSquish";

/// What nodes hand on to those after them.
#[derive(Clone)]
pub(super) struct State {
    pub(super) transform: Transform,
    /// The node that has the points.
    pub(super) points: Option<Rc<Node>>,
    /// Whether faces are written clockwise.
    pub(super) clockwise: bool,
    /// The unit that holds, m.
    unit: f64,
    /// The child that a Switch shows which asks for that of another, and the copy that is made.
    chosen: f64,
    /// The last label, which names the shapes after it.
    label: Option<String>,
}

pub(super) fn walk(nodes: &[Rc<Node>], vrml97: bool, builder: &mut Builder) -> Result<(), MeshError> {
    let mut walker = Walker { builder, vrml97, visits: 0, entered: HashMap::new() };
    let mut state = State {
        transform: Transform::identity(),
        points: None,
        clockwise: false,
        unit: 1.0,
        chosen: -1.0,
        label: None,
    };
    nodes.iter().try_for_each(|node| walker.node(node, &mut state, ""))
}

pub(super) struct Walker<'a> {
    pub(super) builder: &'a mut Builder,
    vrml97: bool,
    visits: usize,
    /// How often every path was entered: what is used again is another part.
    entered: HashMap<String, usize>,
}

impl Walker<'_> {
    fn node(&mut self, node: &Rc<Node>, state: &mut State, above: &str) -> Result<(), MeshError> {
        self.visit(1, node.at)?;
        let path = self.path(node, above);
        let kind = node.kind();
        if (self.vrml97 || node.is_vrml97()) && self.vrml97_node(node, state, &path)? {
            return Ok(());
        }
        match kind {
            "Separator" | "Annotation" | "Selection" | "LocateHighlight" | "WWWAnchor" | "Anchor" => {
                self.children(&node.children, &mut state.clone(), &path)?;
            }
            "TransformSeparator" => {
                let (kept, unit) = (state.transform, state.unit);
                self.children(&node.children, state, &path)?;
                (state.transform, state.unit) = (kept, unit);
            }
            "Group" | "PathSwitch" => self.children(&node.children, state, &path)?,
            "Switch" => {
                let kept = state.chosen;
                let own = node.number("whichChild").unwrap_or(-1.0);
                let inherited = if kept >= 0.0 { kept % (node.children.len().max(1) as f64) } else { kept };
                state.chosen = if own == -2.0 { inherited } else { own };
                match state.chosen {
                    -3.0 => self.children(&node.children, state, &path)?,
                    i if i >= 0.0 => {
                        if let Some(child) = node.children.get(i as usize) {
                            self.node(child, state, &path)?;
                        }
                    }
                    _ => self.builder.leave_out("children of a Switch that shows none", node.at),
                }
                state.chosen = kept;
            }
            "LOD" | "LevelOfDetail" | "Blinker" => {
                if let Some(child) = node.children.first() {
                    self.node(child, &mut state.clone(), &path)?;
                }
            }
            "Array" => self.array(node, state, &path)?,
            "MultipleCopy" => {
                let all = node.numbers("matrix").unwrap_or_default();
                for (i, matrix) in all.chunks_exact(16).enumerate() {
                    let mut own = State { chosen: i as f64, ..state.clone() };
                    own.transform = own.transform.then(&self.matrix(matrix, node.at)?);
                    self.children(&node.children, &mut own, &path)?;
                }
            }
            "NodeKitListPart" => self.children(node.nodes("containerNode"), state, &path)?,
            kind if kind.ends_with("Kit") && kind != "AppearanceKit" => {
                let mut own = state.clone();
                for part in ["units", "transform", "childList", "coordinate3", "localTransform", "shape"] {
                    self.children(node.nodes(part), &mut own, &path)?;
                }
            }
            "Coordinate3" | "Coordinate4" | "Coordinate" => state.points = Some(node.clone()),
            "VertexProperty" => {
                if node.numbers("vertex").is_some() {
                    state.points = Some(node.clone());
                }
            }
            "ShapeHints" => {
                if let Some(word) = node.word("vertexOrdering") {
                    state.clockwise = word == "CLOCKWISE";
                }
            }
            "Label" => state.label = node.word("label").map(|name| name.replace('/', "-")),
            "Units" => {
                let word = node.word("units").unwrap_or("METERS");
                let unit = UNITS.iter().find(|(own, _)| *own == word).map_or(1.0, |(_, unit)| *unit);
                self.builder.says_unit(1.0);
                let factor = unit / state.unit;
                state.transform = state.transform.then(&Transform::scale(Vec3::repeat(factor)));
                state.unit = unit;
            }
            "ResetTransform" => {
                let what = node.words("whatToReset");
                if node.value("whatToReset").is_none() || what.iter().any(|word| word == "TRANSFORM") {
                    state.transform = Transform::identity();
                    state.unit = 1.0;
                }
            }
            _ if self.moves(node, state)? => {}
            _ if self.shape(node, state, &path)? => {}
            "File" | "Inline" | "WWWInline" => self.named_file(node),
            _ if SILENT.split_whitespace().any(|own| own == kind) => {}
            _ => {
                self.builder.leave_out(
                    &format!("nodes '{}', which are not known", crate::mesh::shown(kind)),
                    node.at,
                );
                self.children(&node.children, &mut state.clone(), &path)?;
            }
        }
        Ok(())
    }

    /// Counts what is done, since a few lines can use each other without end.
    pub(super) fn visit(&mut self, work: usize, at: At) -> Result<(), MeshError> {
        self.visits = self.visits.saturating_add(work);
        if self.visits > MOST_VISITS {
            let message = format!(
                "there is work for more than {MOST_VISITS} nodes, those that are used again counted again: divide the file"
            );
            return Err(MeshError::new(at, message));
        }
        Ok(())
    }

    pub(super) fn children(
        &mut self,
        all: &[Rc<Node>],
        state: &mut State,
        path: &str,
    ) -> Result<(), MeshError> {
        all.iter().try_for_each(|child| self.node(child, state, path))
    }

    /// The path of a node: that above and its own name, with a number where it was there before.
    fn path(&mut self, node: &Node, above: &str) -> String {
        let Some(name) = node.given_name() else { return above.to_owned() };
        let name = name.replace('/', "-");
        let path = if above.is_empty() { name } else { format!("{above}/{name}") };
        let times = self.entered.entry(path.clone()).or_default();
        *times += 1;
        if *times == 1 { path } else { format!("{path} ({times})") }
    }

    /// The part that a shape belongs to.
    pub(super) fn part(&mut self, state: &State, path: &str, at: At) -> Result<(), MeshError> {
        match &state.label {
            Some(label) if path.is_empty() => self.builder.part(label, at),
            Some(label) => self.builder.part(&format!("{path}/{label}"), at),
            None => self.builder.part(path, at),
        }
    }

    fn named_file(&mut self, node: &Node) {
        let name = ["name", "url"].iter().find_map(|field| node.word(field)).unwrap_or("?");
        let what =
            format!("the file '{}' that it names: files of files are not followed", crate::mesh::shown(name));
        self.builder.leave_out(&what, node.at);
    }

    fn matrix(&mut self, numbers: &[f64], at: At) -> Result<Transform, MeshError> {
        let matrix = <[f64; 16]>::try_from(numbers).ok();
        matrix.and_then(|own| Transform::matrix(&own)).ok_or_else(|| {
            MeshError::new(
                at,
                "a matrix is no affine map of sixteen finite numbers: expected 0 0 0 1 as its last column",
            )
        })
    }

    /// Nodes that move what comes after them; gives whether it was one.
    fn moves(&mut self, node: &Node, state: &mut State) -> Result<bool, MeshError> {
        let own = match node.kind() {
            "Transform" => transform(node, "scaleFactor"),
            kind if kind.ends_with("Manip") => transform(node, "scaleFactor"),
            "Translation" => Transform::shift(vector(node, "translation", 0.0)),
            "Rotation" | "Rotor" => rotation(node, "rotation"),
            "RotationXYZ" => {
                let axis = match node.word("axis") {
                    Some("Y") => Vec3::y(),
                    Some("Z") => Vec3::z(),
                    _ => Vec3::x(),
                };
                Transform::rotation(axis, node.number("angle").unwrap_or(0.0))
            }
            "Scale" => Transform::scale(vector(node, "scaleFactor", 1.0)),
            "MatrixTransform" => match node.numbers("matrix") {
                Some(numbers) => self.matrix(numbers, node.at)?,
                None => Transform::identity(),
            },
            _ => return Ok(false),
        };
        state.transform = state.transform.then(&own);
        Ok(true)
    }

    fn array(&mut self, node: &Node, state: &State, path: &str) -> Result<(), MeshError> {
        let counts = ["numElements1", "numElements2", "numElements3"]
            .map(|name| node.number(name).unwrap_or(1.0).max(1.0));
        let copies: f64 = counts.iter().product();
        if copies.is_nan() || copies > MOST_COPIES {
            return Err(MeshError::new(
                node.at,
                format!("an Array of {copies} copies: expected at most {MOST_COPIES}"),
            ));
        }
        let steps = [("separation1", Vec3::x()), ("separation2", Vec3::y()), ("separation3", Vec3::z())]
            .map(|(name, default)| node.three(name).map_or(default, Vec3::from));
        let share = match node.word("origin") {
            Some("CENTER") => 0.5,
            Some("LAST") => 1.0,
            _ => 0.0,
        };
        let [a, b, c] = counts.map(|n| n as usize);
        let places = (0..c).flat_map(|k| (0..b).flat_map(move |j| (0..a).map(move |i| (i, j, k))));
        for (copy, (i, j, k)) in places.enumerate() {
            let place = |axis: usize, n: usize| steps[axis] * (n as f64 - share * (counts[axis] - 1.0));
            let mut own = State { chosen: copy as f64, ..state.clone() };
            own.transform = own.transform.then(&Transform::shift(place(0, i) + place(1, j) + place(2, k)));
            self.children(&node.children, &mut own, path)?;
        }
        Ok(())
    }

    /// Nodes that VRML 97 has otherwise; gives whether it was one.
    fn vrml97_node(&mut self, node: &Rc<Node>, state: &State, path: &str) -> Result<bool, MeshError> {
        let mut own = state.clone();
        match node.kind() {
            "Transform" => {
                own.transform = own.transform.then(&transform(node, "scale"));
                self.children(node.nodes("children"), &mut own, path)?;
            }
            "Group" | "Anchor" | "Billboard" | "Collision" => {
                self.children(node.nodes("children"), &mut own, path)?
            }
            "Switch" => {
                let choice = node.number("whichChoice").unwrap_or(-1.0);
                match node.nodes("choice").get(choice.max(0.0) as usize).filter(|_| choice >= 0.0) {
                    Some(child) => self.node(child, &mut own, path)?,
                    None => self.builder.leave_out("children of a Switch that shows none", node.at),
                }
            }
            "LOD" => {
                if let Some(child) = node.nodes("level").first() {
                    self.node(child, &mut own, path)?;
                }
            }
            "Shape" => {
                if let Some(geometry) = node.node("geometry") {
                    let path = &self.path(geometry, path);
                    if !self.shape(geometry, &own, path)? {
                        self.builder.leave_out(
                            &format!("shapes '{}'", crate::mesh::shown(geometry.kind())),
                            geometry.at,
                        );
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn vector(node: &Node, name: &str, default: f64) -> Vec3 {
    node.three(name).map_or(Vec3::repeat(default), Vec3::from)
}

fn rotation(node: &Node, name: &str) -> Transform {
    node.four(name)
        .map_or(Transform::identity(), |[x, y, z, angle]| Transform::rotation(Vec3::new(x, y, z), angle))
}

/// T·C·R·O·S·O⁻¹·C⁻¹, as both standards have it.
fn transform(node: &Node, scale: &str) -> Transform {
    let (shift, center) = (vector(node, "translation", 0.0), vector(node, "center", 0.0));
    let turned = rotation(node, "scaleOrientation");
    let back = node
        .four("scaleOrientation")
        .map_or(Transform::identity(), |[x, y, z, angle]| Transform::rotation(Vec3::new(x, y, z), -angle));
    let by = match node.value(scale) {
        Some(Value::Numbers(all)) if all.len() == 3 => Vec3::new(all[0], all[1], all[2]),
        _ => Vec3::repeat(1.0),
    };
    Transform::shift(shift + center)
        .then(&rotation(node, "rotation"))
        .then(&turned)
        .then(&Transform::scale(by))
        .then(&back)
        .then(&Transform::shift(-center))
}

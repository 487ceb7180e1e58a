//! MJCF in: the cables of MuJoCo 3 (`composite type="cable"` with the plugin `mujoco.elasticity.cable`), as scenes.
//!
//! The plugin takes moduli, `bend` and `twist` in Pa, with the second moments of the geom. A composite that is held (`initial="none"`) has no
//! joint at its clamp but one segment further on: it is a rod that is clamped half a segment later, and becomes that.

use crate::drawing::{Beside, LeftOut};
use crate::mesh::{At, MeshError, shown};
use flexline::algebra::rotation;
use flexline::{Quat, Vec3};
use roxmltree::{Document, Node, ParsingOptions};
use std::f64::consts::PI;
use std::fmt::Write as _;

/// Vertices of a cable at most, and of all of them.
const MOST_VERTICES: usize = 10_000;
const MOST_IN_ALL: usize = 1_000_000;
/// Files at most, those that are included again counted again.
const MOST_FILES: usize = 200;
/// Bodies in each other, and files in each other.
const DEEPEST: usize = 64;
/// Elements of a file at most.
const MOST_ELEMENTS: u32 = 1_000_000;
/// What a geom weighs where nothing says, kg/m³.
const DENSITY: f64 = 1000.0;

/// A model of MuJoCo, as far as it is of cables.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Gravity, m/s².
    pub gravity: Vec3,
    /// Its cables.
    pub cables: Vec<CableIn>,
    /// What was not taken, and why.
    pub left_out: Vec<LeftOut>,
}

/// A cable of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct CableIn {
    /// Its prefix, or `cable`.
    pub name: String,
    /// Its vertices, m, world.
    pub vertices: Vec<Vec3>,
    /// Bending stiffness about the two axes and twisting stiffness, N m².
    pub stiffness: Vec3,
    /// Radius of its geoms, m.
    pub radius: f64,
    /// kg/m.
    pub mass_per_length: f64,
    /// How its first vertex is held.
    pub first: First,
    /// What its last vertex is connected to.
    pub last: Last,
    /// Whether it is straight without loads, whatever it is drawn as.
    pub flat: bool,
}

/// How a cable begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// Clamped.
    Clamped,
    /// Held in place, free to turn.
    Pinned,
    /// Free.
    Free,
}

/// How a cable ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// Free.
    Free,
    /// Connected: in place, but for these world axes.
    Pinned([bool; 3]),
    /// Welded.
    Clamped,
}

/// Whether a file is MJCF by its first element.
pub fn is_mjcf(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(8000)]).into_owned();
    let Some(at) = head.find("<mujoco") else { return false };
    // Nothing but the declaration and comments before it.
    let before = &head[..at];
    let (mut rest, mut clean) = (before.trim_start_matches('\u{feff}').trim(), true);
    while clean && !rest.is_empty() {
        let end = if rest.starts_with("<?") { "?>" } else { "-->" };
        clean = rest.starts_with("<?") || rest.starts_with("<!--");
        rest = rest.split_once(end).map_or("", |(_, after)| after).trim();
    }
    clean
}

/// Reads the cables of a model; what it includes is asked of `beside`.
pub fn read(bytes: &[u8], beside: Beside) -> Result<Model, MeshError> {
    let mut reader = Reader {
        model: Model { gravity: Vec3::new(0.0, 0.0, -9.81), cables: Vec::new(), left_out: Vec::new() },
        degrees: true,
        bodies: Vec::new(),
        files: 0,
        vertices: 0,
        beside,
    };
    reader.file(bytes, 0)?;
    Ok(reader.model)
}

/// A body that something may be connected to.
struct BodyIn {
    name: String,
    /// World axes along which it slides; `None` where it moves otherwise.
    slides: Option<[bool; 3]>,
}

struct Reader<'a> {
    model: Model,
    degrees: bool,
    bodies: Vec<BodyIn>,
    files: usize,
    vertices: usize,
    beside: Beside<'a>,
}

impl Reader<'_> {
    fn file(&mut self, bytes: &[u8], depth: usize) -> Result<(), MeshError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            MeshError::new(At::Byte(error.valid_up_to()), "is not UTF-8 text: save it as that")
        })?;
        let options =
            ParsingOptions { allow_dtd: false, nodes_limit: MOST_ELEMENTS, ..ParsingOptions::default() };
        let document = Document::parse_with_options(text, options).map_err(|error| {
            let message = format!("is no XML that can be read ({error}): expected MJCF");
            MeshError::new(At::Line(error.pos().row as usize), message)
        })?;
        let root = document.root_element();
        if !matches!(root.tag_name().name(), "mujoco" | "mujocoinclude") {
            return Err(wrong(
                root,
                format!("the first element is '{}': expected 'mujoco'", shown(root.tag_name().name())),
            ));
        }
        // What is said of angles holds for all that follows.
        for compiler in elements(root, "compiler") {
            self.degrees = compiler.attribute("angle") != Some("radian");
        }
        for own in root.children().filter(Node::is_element) {
            match own.tag_name().name() {
                "include" => self.include(own, depth)?,
                "option" => {
                    if let Some(text) = own.attribute("gravity") {
                        self.model.gravity = Vec3::from(numbers::<3>(own, "gravity", text)?);
                    }
                }
                "worldbody" => {
                    self.inside(own, Vec3::zeros(), rotation::identity(), Some([false; 3]), depth, 0)?
                }
                "default" => self.leave_out("default classes: only what stands with a cable is taken", own),
                "actuator" | "tendon" | "sensor" | "keyframe" | "deformable" | "contact" => {
                    self.leave_out(&format!("'{}'", own.tag_name().name()), own);
                }
                _ => {}
            }
        }
        for equality in elements(root, "equality") {
            for own in equality.children().filter(Node::is_element) {
                self.equality(own)?;
            }
        }
        Ok(())
    }

    fn include(&mut self, own: Node, depth: usize) -> Result<(), MeshError> {
        let name = own.attribute("file").unwrap_or_default();
        if depth == DEEPEST {
            return Err(wrong(own, format!("files include each other more than {DEEPEST} deep")));
        }
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(wrong(own, format!("more than {MOST_FILES} files are included: make one of them")));
        }
        match (self.beside)(name) {
            Some(bytes) => self.file(&bytes, depth + 1),
            None => {
                self.leave_out(&format!("'{}': no such file in the folder of this one", shown(name)), own);
                Ok(())
            }
        }
    }

    /// What is in a body, or in the world.
    fn inside(
        &mut self,
        body: Node,
        place: Vec3,
        turn: Quat,
        slides: Option<[bool; 3]>,
        files: usize,
        depth: usize,
    ) -> Result<(), MeshError> {
        if depth > 16 * DEEPEST {
            return Err(wrong(body, format!("bodies are more than {} deep in each other", 16 * DEEPEST)));
        }
        for own in body.children().filter(Node::is_element) {
            match own.tag_name().name() {
                "body" | "frame" => {
                    let at = Vec3::from(attribute(own, "pos", [0.0; 3])?);
                    let here = turn * self.turned(own)?;
                    let place = place + rotation::rotate(&turn, &at);
                    let mut free = slides;
                    for joint in own.children().filter(|node| {
                        node.is_element() && matches!(node.tag_name().name(), "joint" | "freejoint")
                    }) {
                        free = self.joint(joint, &here, free)?;
                    }
                    if let Some(name) = own.attribute("name") {
                        self.bodies.push(BodyIn { name: name.to_owned(), slides: free });
                    }
                    self.inside(own, place, here, free, files, depth + 1)?;
                }
                "composite" => self.composite(own, &place, &turn, slides)?,
                "include" => self.include(own, files)?,
                "geom" => self.leave_out("geoms: what cables may touch there; give it as a mesh", own),
                "flexcomp" | "attach" | "replicate" => {
                    self.leave_out(&format!("'{}'", own.tag_name().name()), own);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What a joint frees: world axes, or more than that can say.
    fn joint(
        &mut self,
        joint: Node,
        turn: &Quat,
        free: Option<[bool; 3]>,
    ) -> Result<Option<[bool; 3]>, MeshError> {
        if joint.attribute("type") != Some("slide") {
            return Ok(None);
        }
        let axis = rotation::rotate(turn, &Vec3::from(attribute(joint, "axis", [0.0, 0.0, 1.0])?));
        let length = axis.norm();
        let along = (0..3).find(|k| (axis[*k].abs() - length).abs() < 1e-9 * length);
        Ok(free.zip(along).map(|(mut free, along)| {
            free[along] = true;
            free
        }))
    }

    fn turned(&self, node: Node) -> Result<Quat, MeshError> {
        if let Some(text) = node.attribute("quat") {
            let [w, x, y, z] = numbers::<4>(node, "quat", text)?;
            let q = Quat::new(w, x, y, z);
            let norm = q.norm();
            return match norm > 1e-12 {
                true => Ok(q * (1.0 / norm)),
                false => Err(wrong(node, "quat is zero: expected a rotation".into())),
            };
        }
        let unit = if self.degrees { PI / 180.0 } else { 1.0 };
        if let Some(text) = node.attribute("euler") {
            let [x, y, z] = numbers::<3>(node, "euler", text)?.map(|a| a * unit);
            let about = |k: usize, angle: f64| rotation::exp(&(Vec3::ith(k, 1.0) * angle));
            return Ok(about(0, x) * about(1, y) * about(2, z));
        }
        if let Some(text) = node.attribute("axisangle") {
            let [x, y, z, angle] = numbers::<4>(node, "axisangle", text)?;
            let axis = Vec3::new(x, y, z).try_normalize(1e-12).unwrap_or_default();
            return Ok(rotation::exp(&(axis * (angle * unit))));
        }
        Ok(rotation::identity())
    }

    fn composite(
        &mut self,
        own: Node,
        place: &Vec3,
        turn: &Quat,
        slides: Option<[bool; 3]>,
    ) -> Result<(), MeshError> {
        if own.attribute("type") != Some("cable") {
            self.leave_out("composites that are no cables", own);
            return Ok(());
        }
        let offset = Vec3::from(attribute(own, "offset", [0.0; 3])?);
        let quat = self.turned(own)?;
        let local = vertices(own)?;
        self.vertices += local.len();
        if self.vertices > MOST_IN_ALL {
            return Err(wrong(own, format!("cables have more than {MOST_IN_ALL} vertices: divide the file")));
        }
        let to_world = |v: &Vec3| place + rotation::rotate(turn, &(offset + rotation::rotate(&quat, v)));
        let vertices: Vec<Vec3> = local.iter().map(to_world).collect();
        let length: f64 = vertices.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
        if !(length > 0.0 && length.is_finite()) {
            return Err(wrong(own, "the cable has no length: expected vertices that differ".into()));
        }
        let config = |key: &str| {
            let found = own
                .descendants()
                .find(|node| node.has_tag_name("config") && node.attribute("key") == Some(key));
            found.map(|node| (node, node.attribute("value").unwrap_or_default()))
        };
        let modulus = |key: &str| -> Result<f64, MeshError> {
            let Some((node, text)) = config(key) else {
                return Err(wrong(
                    own,
                    format!(
                        "the cable has no '{key}': expected a plugin mujoco.elasticity.cable with <config key=\"{key}\" value=…/>, in Pa"
                    ),
                ));
            };
            let [value] = numbers::<1>(node, key, text)?;
            match value > 0.0 {
                true => Ok(value),
                false => Err(wrong(node, format!("{key} is {value} Pa: expected a number above 0"))),
            }
        };
        let (bend, twist) = (modulus("bend")?, modulus("twist")?);
        let geom = elements(own, "geom").next();
        let section = Geom::read(own, geom, length / (vertices.len() - 1) as f64)?;
        let name = own.attribute("prefix").filter(|name| !name.is_empty()).unwrap_or("cable");
        if slides.is_none_or(|free| free.contains(&true)) {
            self.leave_out("joints of the body that a cable is in: it is taken as it stands", own);
        }
        self.model.cables.push(CableIn {
            name: name.to_owned(),
            vertices,
            stiffness: Vec3::new(
                bend * section.moments[0],
                bend * section.moments[1],
                twist * section.moments[2],
            ),
            radius: section.radius,
            mass_per_length: section.mass_per_length,
            first: match own.attribute("initial") {
                Some("none") => First::Clamped,
                Some("free") => First::Free,
                _ => First::Pinned,
            },
            last: Last::Free,
            flat: config("flat").is_some_and(|(_, text)| text == "true"),
        });
        Ok(())
    }

    /// What holds the last body of a cable.
    fn equality(&mut self, own: Node) -> Result<(), MeshError> {
        let ends = [own.attribute("body1"), own.attribute("body2")];
        let name_of = |cable: &CableIn| match &*cable.name {
            "cable" => "B_last".to_owned(),
            name => format!("{name}B_last"),
        };
        let found =
            ends.iter().position(|end| self.model.cables.iter().any(|cable| *end == Some(&name_of(cable))));
        let (Some(side), kind @ ("connect" | "weld")) = (found, own.tag_name().name()) else {
            self.leave_out("equalities that do not hold the end of a cable", own);
            return Ok(());
        };
        let other = match ends[1 - side] {
            None | Some("world") => Some([false; 3]),
            Some(name) => self.bodies.iter().find(|body| body.name == name).and_then(|body| body.slides),
        };
        let Some(slides) = other else {
            self.leave_out("ends of cables on bodies that turn or move freely: they are free here", own);
            return Ok(());
        };
        for cable in &mut self.model.cables {
            if ends[side] == Some(&name_of(cable)) {
                cable.last =
                    if kind == "weld" && slides == [false; 3] { Last::Clamped } else { Last::Pinned(slides) };
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, what: &str, node: Node) {
        let first = At::Line(node.document().text_pos_at(node.range().start).row as usize);
        let all = &mut self.model.left_out;
        match all.iter().position(|own| own.what == what) {
            Some(known) => all[known].count += 1,
            None if all.len() < 100 => all.push(LeftOut { what: what.to_owned(), count: 1, first }),
            None => {}
        }
    }
}

/// Vertices of a composite, own axes.
fn vertices(own: Node) -> Result<Vec<Vec3>, MeshError> {
    if let Some(text) = own.attribute("vertex") {
        let values: Vec<f64> = text
            .split_whitespace()
            .map_while(|word| word.parse().ok())
            .filter(|v: &f64| v.is_finite())
            .collect();
        let whole = values.len() == text.split_whitespace().count() && values.len().is_multiple_of(3);
        if !whole || !(3..=MOST_VERTICES).contains(&(values.len() / 3)) {
            return Err(wrong(
                own,
                format!(
                    "'vertex' has {} numbers: expected three for each of 3 to {MOST_VERTICES} vertices",
                    values.len()
                ),
            ));
        }
        return Ok(values.chunks_exact(3).map(|v| Vec3::new(v[0], v[1], v[2])).collect());
    }
    let text = own.attribute("count").unwrap_or_default();
    let count = text.split_whitespace().next().and_then(|word| word.parse::<usize>().ok()).unwrap_or(0);
    if !(3..=MOST_VERTICES).contains(&count) {
        return Err(wrong(
            own,
            format!("count is '{}': expected 3 to {MOST_VERTICES} vertices", shown(text)),
        ));
    }
    let mut size = [1.0, 0.0, 0.0];
    for (slot, word) in size.iter_mut().zip(own.attribute("size").unwrap_or_default().split_whitespace()) {
        [*slot] = numbers::<1>(own, "size", word)?;
    }
    let curve: Vec<&str> = own.attribute("curve").unwrap_or("s").split_whitespace().collect();
    let last = (count - 1) as f64;
    let component = |word: Option<&&str>, k: f64| match word {
        Some(&"s") => Ok(k * size[0] / last),
        Some(&"cos(s)") => Ok(size[1] * (PI * k * size[2] / last).cos()),
        Some(&"sin(s)") => Ok(size[1] * (PI * k * size[2] / last).sin()),
        None | Some(&"0") => Ok(0.0),
        Some(other) => {
            Err(wrong(own, format!("curve has '{}': expected s, cos(s), sin(s) or 0", shown(other))))
        }
    };
    (0..count)
        .map(|k| {
            let k = k as f64;
            Ok(Vec3::new(
                component(curve.first(), k)?,
                component(curve.get(1), k)?,
                component(curve.get(2), k)?,
            ))
        })
        .collect()
}

/// A geom of a cable.
struct Geom {
    radius: f64,
    /// Second moments of area, and the polar one, m⁴.
    moments: [f64; 3],
    mass_per_length: f64,
}

impl Geom {
    fn read(own: Node, geom: Option<Node>, segment: f64) -> Result<Self, MeshError> {
        let Some(geom) = geom else {
            return Err(wrong(own, "the cable has no <geom>: expected its type and size".into()));
        };
        let sizes = numbers_upto(geom, "size", geom.attribute("size").unwrap_or_default())?;
        let size = |k: usize| {
            sizes
                .get(k)
                .copied()
                .filter(|v| *v > 0.0)
                .ok_or_else(|| wrong(geom, "size: expected lengths above 0".into()))
        };
        let kind = geom.attribute("type").unwrap_or("capsule");
        let (radius, moments, volume) = match kind {
            "capsule" | "cylinder" => {
                let r = size(0)?;
                let quarter = PI * r.powi(4) / 4.0;
                let caps = if kind == "capsule" { 4.0 / 3.0 * PI * r.powi(3) } else { 0.0 };
                (r, [quarter, quarter, 2.0 * quarter], PI * r * r * segment + caps)
            }
            "box" => {
                let (a, b) = (2.0 * size(1)?, 2.0 * size(2)?);
                let (first, second) = (a.powi(3) * b / 12.0, b.powi(3) * a / 12.0);
                (0.5 * a.max(b), [first, second, first + second], a * b * segment)
            }
            other => {
                return Err(wrong(
                    geom,
                    format!("a cable of the type '{}': expected capsule, cylinder or box", shown(other)),
                ));
            }
        };
        let mass = match (geom.attribute("mass"), geom.attribute("density")) {
            (Some(text), _) => numbers::<1>(geom, "mass", text)?[0],
            (None, Some(text)) => numbers::<1>(geom, "density", text)?[0] * volume,
            (None, None) => DENSITY * volume,
        };
        match mass >= 0.0 {
            true => Ok(Self { radius, moments, mass_per_length: mass / segment }),
            false => Err(wrong(geom, format!("a mass of {mass} kg: expected 0 or more"))),
        }
    }
}

impl CableIn {
    /// Its length from vertex to vertex, m.
    pub fn length(&self) -> f64 {
        self.vertices.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum()
    }

    fn is_straight(&self) -> bool {
        let (Some(first), Some(last)) = (self.vertices.first(), self.vertices.last()) else { return true };
        (last - first).norm() > self.length() * (1.0 - 1e-9)
    }

    /// A scene of it; why there is none, where there is none.
    pub fn to_scene(&self, title: &str, gravity: &Vec3) -> Result<String, String> {
        if !self.is_straight() && !self.flat {
            return Err("it is bent without loads (its plugin has no flat = true): such a rest shape is not taken from MJCF".into());
        }
        let n = self.vertices.len() - 1;
        let tangent = |k: usize| (self.vertices[k + 1] - self.vertices[k]).normalize();
        // Where there is no joint, half a segment is stiff.
        let stiff = |at: Vec3, along: Vec3, held: bool| if held { 0.5 * along } else { Vec3::zeros() } + at;
        let clamped = [self.first == First::Clamped, self.last == Last::Clamped];
        let first = stiff(self.vertices[0], self.vertices[1] - self.vertices[0], clamped[0]);
        let last = stiff(self.vertices[n], self.vertices[n - 1] - self.vertices[n], clamped[1]);
        let ends =
            [(self.vertices[1] - self.vertices[0]).norm(), (self.vertices[n] - self.vertices[n - 1]).norm()];
        let length = self.length() - (0..2).filter(|k| clamped[*k]).map(|k| 0.5 * ends[k]).sum::<f64>();
        let vector = |v: &Vec3| format!("[{}, {}, {}]", v.x, v.y, v.z);
        let mut text =
            format!("version = 1\ntitle = {}\n\n[world]\ngravity = {}\n\n", quoted(title), vector(gravity));
        let _ = writeln!(
            text,
            "[cable]\nname = {}\nlength = {length}\nsegments = {}",
            quoted(&self.name),
            n.max(4)
        );
        let (k, diameter) = (self.stiffness, 2.0 * self.radius);
        let _ = writeln!(
            text,
            "measured = {{ bend1 = {}, bend2 = {}, twist = {}, mass_per_length = {}, diameter = {diameter} }}\n",
            k.x, k.y, k.z, self.mass_per_length
        );
        text.push_str("[start]\n");
        match self.first {
            First::Clamped => drop(writeln!(
                text,
                "hold = \"clamped\"\nposition = {}\ntangent = {}",
                vector(&first),
                vector(&tangent(0))
            )),
            First::Pinned => drop(writeln!(text, "hold = \"pinned\"\nposition = {}", vector(&first))),
            First::Free => text.push_str("hold = \"free\"\n"),
        }
        text.push_str("\n[end]\n");
        match self.last {
            Last::Free => text.push_str("hold = \"free\"\n"),
            Last::Clamped => drop(writeln!(
                text,
                "hold = \"clamped\"\nposition = {}\ntangent = {}",
                vector(&last),
                vector(&tangent(n - 1))
            )),
            Last::Pinned(slides) => {
                let _ = writeln!(text, "hold = \"pinned\"\nposition = {}", vector(&last));
                let axes: Vec<&str> = ["\"x\"", "\"y\"", "\"z\""]
                    .into_iter()
                    .zip(slides)
                    .filter_map(|(axis, free)| free.then_some(axis))
                    .collect();
                if !axes.is_empty() {
                    let _ = writeln!(text, "slides = [{}]", axes.join(", "));
                }
            }
        }
        Ok(text)
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn elements<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |own| own.is_element() && own.tag_name().name() == name)
}

fn wrong(node: Node, message: String) -> MeshError {
    MeshError::new(At::Line(node.document().text_pos_at(node.range().start).row as usize), message)
}

fn numbers_upto(node: Node, what: &str, text: &str) -> Result<Vec<f64>, MeshError> {
    let parse = |word: &str| word.parse::<f64>().ok().filter(|v| v.is_finite());
    let values: Option<Vec<f64>> = text.split_whitespace().take(8).map(parse).collect();
    values.ok_or_else(|| wrong(node, format!("{what} is '{}': expected numbers", shown(text))))
}

fn numbers<const N: usize>(node: Node, what: &str, text: &str) -> Result<[f64; N], MeshError> {
    let values = numbers_upto(node, what, text)?;
    let expected = |_| wrong(node, format!("{what} is '{}': expected {N} number(s)", shown(text)));
    values.try_into().map_err(expected)
}

fn attribute<const N: usize>(node: Node, name: &str, default: [f64; N]) -> Result<[f64; N], MeshError> {
    node.attribute(name).map_or(Ok(default), |text| numbers(node, name, text))
}

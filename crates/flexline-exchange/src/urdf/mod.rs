//! URDF and SDF in: the shapes of a robot's links, where they are while its joints are at zero. Metres, z up.
//!
//! What a link is touched by (`collision`) is taken, and what it looks like (`visual`) where it has none. Meshes are asked for beside the
//! file: `package://NAME/PATH`, `model://NAME/PATH` and `file://PATH` are PATH there, and what is elsewhere is left out.

#[cfg(test)]
mod tests;

use crate::drawing::{Beside, Builder, Drawing, Format, Transform, Up};
use crate::inventor::solid::{self, Solid};
use crate::mesh::{At, MeshError, shown};
use flexline::Vec3;
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::{BTreeMap, HashMap};
use std::f64::consts::FRAC_PI_2;

/// No deeper than this: links on links, models in models.
const DEEPEST: usize = 256;
/// No more elements than this.
const MOST_ELEMENTS: u32 = 2_000_000;
/// No more other files than this are opened.
const MOST_FILES: usize = 1000;

/// Which of the two a file is by its first element, where it is one of them.
pub(crate) fn format_of(bytes: &[u8]) -> Option<Format> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4000)]).into_owned();
    let mut rest = head.as_str().trim_start_matches('\u{feff}');
    // Past the declaration, comments and white space.
    loop {
        rest = rest.trim_start();
        let end = match () {
            () if rest.starts_with("<?") => "?>",
            () if rest.starts_with("<!--") => "-->",
            () => break,
        };
        rest = rest.split_once(end)?.1;
    }
    let name = rest.strip_prefix('<')?.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next()?;
    match name {
        "robot" => Some(Format::Urdf),
        "sdf" => Some(Format::Sdf),
        _ => None,
    }
}

/// Reads either.
pub(crate) fn read(bytes: &[u8], format: Format, beside: Beside) -> Result<Drawing, MeshError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        MeshError::new(At::Byte(error.valid_up_to()), "is not UTF-8 text: save it as that")
    })?;
    let options =
        ParsingOptions { allow_dtd: false, nodes_limit: MOST_ELEMENTS, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let message = format!("is no XML that can be read ({error}): expected {}", format.name());
        MeshError::new(At::Line(error.pos().row as usize), message)
    })?;
    let mut builder = Builder::new(format);
    builder.says_unit(1.0);
    builder.says_up(Up::Z);
    let mut reader = Reader { document: &document, beside, builder, files: HashMap::new() };
    match format {
        Format::Sdf => {
            for model in document.root_element().children().filter(Node::is_element) {
                reader.model(model, Transform::identity(), "", 0)?;
            }
        }
        _ => reader.robot(document.root_element())?,
    }
    Ok(reader.builder.finish())
}

/// Triangles of a file beside.
type Shape = Vec<([f64; 3], [f64; 3], [f64; 3])>;

struct Reader<'a, 'd> {
    document: &'a Document<'d>,
    beside: Beside<'a>,
    builder: Builder,
    files: HashMap<String, Option<Shape>>,
}

impl Reader<'_, '_> {
    fn at(&self, node: Node) -> At {
        At::Line(self.document.text_pos_at(node.range().start).row as usize)
    }

    fn wrong(&self, node: Node, message: String) -> MeshError {
        MeshError::new(self.at(node), message)
    }

    /// Numbers of a text, exactly as many as there must be.
    fn numbers<const N: usize>(&self, node: Node, what: &str, text: &str) -> Result<[f64; N], MeshError> {
        let values: Vec<f64> =
            text.split_whitespace().take(N + 1).filter_map(|word| word.parse().ok()).collect();
        let finite = values.iter().all(|v| v.is_finite());
        match <[f64; N]>::try_from(values) {
            Ok(values) if finite && text.split_whitespace().count() == N => Ok(values),
            _ => Err(self.wrong(node, format!("{what} is '{}': expected {N} numbers", shown(text)))),
        }
    }

    fn attribute<const N: usize>(
        &self,
        node: Node,
        name: &str,
        default: [f64; N],
    ) -> Result<[f64; N], MeshError> {
        node.attribute(name).map_or(Ok(default), |text| self.numbers(node, name, text))
    }

    fn child_numbers<const N: usize>(&self, node: Node, name: &str) -> Result<Option<[f64; N]>, MeshError> {
        child(node, name).map(|own| self.numbers(own, name, own.text().unwrap_or_default())).transpose()
    }

    /// The `origin` of URDF.
    fn origin(&self, node: Node) -> Result<Transform, MeshError> {
        let Some(origin) = child(node, "origin") else { return Ok(Transform::identity()) };
        let place = self.attribute(origin, "xyz", [0.0; 3])?;
        Ok(placed(place, self.attribute(origin, "rpy", [0.0; 3])?))
    }

    /// The `pose` of SDF.
    fn pose(&mut self, node: Node) -> Result<Transform, MeshError> {
        let Some(pose) = child(node, "pose") else { return Ok(Transform::identity()) };
        if pose.attribute("relative_to").is_some_and(|frame| !frame.is_empty() && frame != "__model__") {
            self.builder
                .leave_out("the frame of a pose (relative_to): taken as of what it is in", self.at(pose));
        }
        let [x, y, z, roll, pitch, yaw] = self.numbers(pose, "pose", pose.text().unwrap_or("0 0 0 0 0 0"))?;
        let turn = if pose.attribute("degrees") == Some("true") {
            [roll, pitch, yaw].map(f64::to_radians)
        } else {
            [roll, pitch, yaw]
        };
        Ok(placed([x, y, z], turn))
    }

    /// Links where their joints put them at zero.
    fn robot(&mut self, robot: Node) -> Result<(), MeshError> {
        let links: BTreeMap<&str, Node> =
            elements(robot, "link").filter_map(|link| Some((link.attribute("name")?, link))).collect();
        let mut above: HashMap<&str, (&str, Transform)> = HashMap::new();
        for joint in elements(robot, "joint") {
            let end = |name: &str| child(joint, name).and_then(|own| own.attribute("link"));
            let (Some(parent), Some(below)) = (end("parent"), end("child")) else {
                return Err(self.wrong(
                    joint,
                    "a joint without parent or child: expected <parent link=…/> and <child link=…/>".into(),
                ));
            };
            for name in [parent, below] {
                if !links.contains_key(name) {
                    return Err(self.wrong(
                        joint,
                        format!("a joint names the link '{}', which there is not", shown(name)),
                    ));
                }
            }
            let origin = self.origin(joint)?;
            if above.insert(below, (parent, origin)).is_some() {
                return Err(self.wrong(
                    joint,
                    format!("the link '{}' hangs on two joints: expected a tree", shown(below)),
                ));
            }
            if !matches!(joint.attribute("type"), Some("fixed")) {
                self.builder.leave_out("joints that move: links are where they are at zero", self.at(joint));
            }
        }
        for (name, link) in &links {
            let (mut to_world, mut own, mut depth) = (Transform::identity(), *name, 0);
            while let Some((parent, origin)) = above.get(own) {
                to_world = origin.then(&to_world);
                own = parent;
                depth += 1;
                if depth > DEEPEST {
                    return Err(self.wrong(
                        *link,
                        format!("links hang on each other in a circle, or more than {DEEPEST} deep"),
                    ));
                }
            }
            self.link(*link, to_world, name)?;
        }
        Ok(())
    }

    /// A model, a world, or what else has links.
    fn model(&mut self, model: Node, outside: Transform, path: &str, depth: usize) -> Result<(), MeshError> {
        if depth > DEEPEST {
            return Err(self.wrong(model, format!("models are more than {DEEPEST} deep in each other")));
        }
        let here = outside.then(&self.pose(model)?);
        let name = model.attribute("name").unwrap_or(model.tag_name().name());
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        for own in model.children().filter(Node::is_element) {
            match own.tag_name().name() {
                "model" | "world" => self.model(own, here, &path, depth + 1)?,
                "link" => {
                    let to_world = here.then(&self.pose(own)?);
                    let link = format!("{path}/{}", own.attribute("name").unwrap_or("link"));
                    self.link(own, to_world, &link)?;
                }
                "include" => self.builder.leave_out("models that are included from elsewhere", self.at(own)),
                "joint" => self.builder.leave_out("joints: links are where their poses say", self.at(own)),
                _ => {}
            }
        }
        Ok(())
    }

    fn link(&mut self, link: Node, to_world: Transform, path: &str) -> Result<(), MeshError> {
        let kind = if child(link, "collision").is_some() { "collision" } else { "visual" };
        if kind == "collision" {
            for own in elements(link, "visual") {
                self.builder
                    .leave_out("what links look like, where they have collision shapes", self.at(own));
            }
        }
        for own in elements(link, kind) {
            let here = match self.document.root_element().tag_name().name() {
                "robot" => self.origin(own)?,
                _ => self.pose(own)?,
            };
            let Some(geometry) = child(own, "geometry") else { continue };
            self.geometry(geometry, to_world.then(&here), path)?;
        }
        Ok(())
    }

    fn geometry(&mut self, geometry: Node, to_world: Transform, path: &str) -> Result<(), MeshError> {
        for shape in geometry.children().filter(Node::is_element) {
            // URDF has sizes as attributes, SDF as elements.
            let size = |own: &Self, name: &str| -> Result<f64, MeshError> {
                let text = shape.attribute(name).or_else(|| child(shape, name).and_then(|node| node.text()));
                let [value] = own.numbers(shape, name, text.unwrap_or_default())?;
                match value > 0.0 {
                    true => Ok(value),
                    false => Err(own.wrong(shape, format!("{name} is {value}: expected a length above 0"))),
                }
            };
            // Round solids are about y, those of robots about z.
            let upright = to_world.then(&Transform::rotation(Vec3::x(), FRAC_PI_2));
            match shape.tag_name().name() {
                "box" => {
                    let text =
                        shape.attribute("size").or_else(|| child(shape, "size").and_then(|node| node.text()));
                    let sides = self.numbers(shape, "size", text.unwrap_or_default())?;
                    self.solid(&solid::block(sides), &to_world, path, shape)?;
                }
                "sphere" => {
                    let radius = size(self, "radius")?;
                    self.solid(&solid::ball(radius), &to_world, path, shape)?;
                }
                "cylinder" => {
                    let (radius, length) = (size(self, "radius")?, size(self, "length")?);
                    self.solid(&solid::round(radius, radius, length, [true; 3]), &upright, path, shape)?;
                }
                "mesh" => self.mesh(shape, &to_world, path)?,
                other => {
                    let what = format!("shapes of the kind '{}'", shown(other));
                    self.builder.leave_out(&what, self.at(shape));
                }
            }
        }
        Ok(())
    }

    fn solid(&mut self, own: &Solid, to_world: &Transform, path: &str, node: Node) -> Result<(), MeshError> {
        let at = self.at(node);
        self.builder.part(path, at)?;
        for triangle in &own.triangles {
            let mut corners = [0; 3];
            for (corner, k) in corners.iter_mut().zip(triangle) {
                *corner = self.builder.vertex(to_world.apply(own.points[*k]), at)?;
            }
            self.builder.triangle(corners, at)?;
        }
        Ok(())
    }

    fn mesh(&mut self, shape: Node, to_world: &Transform, path: &str) -> Result<(), MeshError> {
        let at = self.at(shape);
        let name = shape.attribute("filename").or_else(|| child(shape, "uri").and_then(|uri| uri.text()));
        let name = name.unwrap_or_default().trim().to_owned();
        let scale = match shape.attribute("scale") {
            Some(text) => self.numbers(shape, "scale", text)?,
            None => self.child_numbers(shape, "scale")?.unwrap_or([1.0; 3]),
        };
        let to_world = to_world.then(&Transform::scale(Vec3::from(scale)));
        if !self.files.contains_key(&name) {
            if self.files.len() == MOST_FILES {
                return Err(MeshError::new(at, format!("names more than {MOST_FILES} files: divide it")));
            }
            let read = self.file(&name, at)?;
            self.files.insert(name.clone(), read);
        }
        let Some(Some(triangles)) = self.files.get(&name) else { return Ok(()) };
        self.builder.part(path, at)?;
        for (a, b, c) in triangles {
            let mut corners = [0; 3];
            for (corner, p) in corners.iter_mut().zip([a, b, c]) {
                *corner = self.builder.vertex(to_world.apply(*p), at)?;
            }
            if to_world.mirrors() {
                corners.swap(1, 2);
            }
            self.builder.triangle(corners, at)?;
        }
        Ok(())
    }

    /// The triangles of a file beside; `None` where it is not there or cannot be read, which is told.
    fn file(&mut self, name: &str, at: At) -> Result<Option<Shape>, MeshError> {
        let local = name.strip_prefix("file://").unwrap_or(name);
        let packed = ["package://", "model://"].iter().find_map(|scheme| local.strip_prefix(scheme));
        // The name of a package is that of a folder above, or of one beside.
        let places = match packed.and_then(|own| own.split_once('/').map(|(_, rest)| [rest, own])) {
            Some(places) => places.to_vec(),
            None => vec![local],
        };
        let found = places.iter().find_map(|place| Some((place, (self.beside)(place)?)));
        let Some((place, bytes)) = found else {
            let what = format!("'{}': no such file in the folder of this one", shown(name));
            self.builder.leave_out(&what, at);
            return Ok(None);
        };
        // One robot in another is no mesh.
        if format_of(&bytes).is_some() {
            self.builder.leave_out(&format!("'{}': is a robot, expected a mesh", shown(name)), at);
            return Ok(None);
        }
        match Drawing::read(&bytes) {
            Ok(drawing) => {
                self.builder.followed(place);
                let corner = |part: &crate::drawing::Part, k: u32| part.vertices[k as usize];
                let all = drawing.parts.iter().flat_map(|part| {
                    part.triangles
                        .iter()
                        .map(|t| (corner(part, t[0]), corner(part, t[1]), corner(part, t[2])))
                });
                Ok(Some(all.collect()))
            }
            Err(error) => {
                self.builder.leave_out(&format!("'{}': {error}", shown(name)), at);
                Ok(None)
            }
        }
    }
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|own| own.is_element() && own.tag_name().name() == name)
}

fn elements<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |own| own.is_element() && own.tag_name().name() == name)
}

/// A place, and turns about the fixed axes x, y and z in this order.
fn placed(place: [f64; 3], [roll, pitch, yaw]: [f64; 3]) -> Transform {
    let about = |axis: Vec3, angle: f64| Transform::rotation(axis, angle);
    let turn = about(Vec3::z(), yaw).then(&about(Vec3::y(), pitch)).then(&about(Vec3::x(), roll));
    Transform::shift(Vec3::from(place)).then(&turn)
}

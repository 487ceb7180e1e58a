//! The file itself.

use super::chain::{Body, Chain, Load};
use super::model::{Assembly, Tree, Written, seat};
use super::solid;
use crate::xml::escaped;
use flexline::algebra::rotation;
use flexline::solver::network::{Constraint, Grip, Point};
use flexline::{Quat, Vec3};
use std::fmt::{self, Display, Write as _};

/// Step in time that the file asks for, s.
const STEP: f64 = 1e-3;
/// How long strains lag behind, s: damping over stiffness. Above half a step the implicit damping of MuJoCo keeps hinges of any
/// stiffness stable; equilibria do not depend on it.
const DELAY: f64 = 2e-3;

/// Inertia of every hinge beside that of its body, in units of the mass of a segment times the square of its length: what makes
/// steps stable where segments touch or are welded. Only waves as short as a few segments feel it; equilibria do not.
const ARMATURE: f64 = 30.0;
/// Mass, kg, and inertia, kg m², of what has none and moves: MuJoCo asks for some.
const LEAST: [f64; 2] = [1e-6, 1e-9];
/// Nodes in one numeric: version 3 takes 500 numbers.
const MOST_NODES: usize = 160;
/// How stiff equalities are.
const TIGHT: &str = "solref=\"0.002 1\" solimp=\"0.99 0.99 0.001\"";

/// Writes an assembly along its tree.
pub(super) fn write(own: &Assembly<'_>, tree: &Tree) -> Written {
    let mut out = Out {
        own,
        tree,
        body: String::new(),
        depth: 2,
        assets: String::new(),
        notes: own.notes.clone(),
        qpos: Vec::new(),
        sites: vec![Vec::new(); own.network.anchors.len()],
        loose: Vec::new(),
        equality: Vec::new(),
        motors: Vec::new(),
    };
    out.closures();
    out.solids(None);
    for site in std::mem::take(&mut out.loose) {
        out.line(format_args!("{site}"));
    }
    for root in &tree.roots {
        out.anchor(*root, None);
    }
    let Out { body, assets, notes, qpos, equality, motors, .. } = out;
    let contact = if own.network.obstacles.is_empty() {
        "contype=\"0\" conaffinity=\"0\""
    } else {
        "contype=\"1\" conaffinity=\"2\""
    };
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    let title = escaped(own.title);
    let _ = write!(
        text,
        "<mujoco model=\"{title}\">\n  <!-- Written by Flexline: chains of bodies with three hinges a joint, SI units. Load the keyframe first: it has"
    );
    let _ = write!(
        text,
        "\n       the equilibrium, and with ctrl 1 the loads. Damping is {DELAY} s times stiffness, for stable steps of {STEP} s."
    );
    let _ = write!(
        text,
        "\n       The numerics are what was solved (nodes, m; reactions, N and N m about the anchor; energies, J): load,"
    );
    let _ = write!(
        text,
        "\n       solve qfrc_passive - qfrc_bias + qfrc_actuator = 0 from the keyframe and compare."
    );
    for note in &notes {
        let _ = write!(text, "\n       {}.", comment(note));
    }
    text.push_str(" -->\n");
    let _ = writeln!(text, "  <compiler angle=\"radian\" autolimits=\"true\"/>");
    let g = Numbers(own.network.gravity.iter().copied().collect());
    let _ = writeln!(text, "  <option timestep=\"{STEP}\" integrator=\"implicitfast\" gravity=\"{g}\"/>");
    let _ = writeln!(text, "  <default>\n    <default class=\"cable\">\n      <joint type=\"hinge\"/>");
    let _ = writeln!(
        text,
        "      <geom type=\"capsule\" {contact} condim=\"3\" friction=\"0 0 0\" rgba=\".15 .16 .18 1\"/>\n      <site size=\".001\" group=\"4\"/>\n    </default>\n  </default>"
    );
    if !assets.is_empty() {
        let _ = write!(text, "  <asset>\n{assets}  </asset>\n");
    }
    let _ = write!(
        text,
        "  <worldbody>\n    <light pos=\"0 0 3\" dir=\"0 0 -1\"/>\n    <site name=\"world\"/>\n{body}  </worldbody>\n"
    );
    section(&mut text, "equality", &equality);
    section(&mut text, "actuator", &motors);
    section(&mut text, "custom", &numerics(own, tree));
    let ctrl = match motors.len() {
        0 => String::new(),
        count => format!(" ctrl=\"{}\"", Numbers(vec![1.0; count])),
    };
    let qpos = Numbers(qpos);
    let _ = write!(
        text,
        "  <keyframe>\n    <key name=\"equilibrium\" qpos=\"{qpos}\"{ctrl}/>\n  </keyframe>\n</mujoco>\n"
    );
    Written { text, bodies: tree.chains.iter().map(|chain| chain.bodies.len()).sum(), notes }
}

fn section(text: &mut String, name: &str, lines: &[String]) {
    if !lines.is_empty() {
        let _ = writeln!(text, "  <{name}>");
        for line in lines {
            let _ = writeln!(text, "    {line}");
        }
        let _ = writeln!(text, "  </{name}>");
    }
}

/// What was solved, for whoever compares.
fn numerics(own: &Assembly<'_>, tree: &Tree) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |name: String, values: Vec<f64>| {
        let line = format!("<numeric name=\"{}\" data=\"{}\"/>", escaped(&name), Numbers(values));
        lines.push(line);
    };
    for chain in &tree.chains {
        add(format!("length:{}", chain.name), vec![chain.cable_length]);
        for (k, nodes) in chain.nodes.chunks(MOST_NODES).enumerate() {
            add(format!("nodes:{}|{k}", chain.name), nodes.iter().flat_map(|p| p.iter().copied()).collect());
        }
    }
    for (k, anchor) in own.network.anchors.iter().enumerate() {
        if anchor.held.contains(&true) || anchor.held_orientation {
            let reaction = own.report.support(k);
            let six = reaction.force.iter().chain(reaction.moment.iter()).copied().collect();
            add(format!("reaction:{}", own.anchors[k]), six);
        }
    }
    let energies = own.report.rest.energies;
    add("energy".into(), vec![energies.bending + energies.torsion, energies.gravity]);
    lines
}

struct Out<'a> {
    own: &'a Assembly<'a>,
    tree: &'a Tree,
    body: String,
    depth: usize,
    assets: String,
    notes: Vec<String>,
    qpos: Vec<f64>,
    /// Sites on anchors, and in the world, that equalities name.
    sites: Vec<Vec<String>>,
    loose: Vec<String>,
    equality: Vec<String>,
    motors: Vec<String>,
}

impl Out<'_> {
    fn line(&mut self, line: fmt::Arguments<'_>) {
        // Deep chains would be mostly blanks.
        let _ = writeln!(self.body, "{:width$}{line}", "", width = 2 * self.depth.min(6));
    }

    fn open(&mut self, name: &str, position: &Vec3, orientation: &Quat, more: &str) {
        let name = escaped(name);
        let turned = turned(orientation);
        self.line(format_args!("<body name=\"{name}\" pos=\"{}\"{turned}{more}>", vector(position)));
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line(format_args!("</body>"));
    }

    fn ball(&mut self, name: &str, place: &Vec3, value: &Quat) {
        let name = escaped(name);
        self.line(format_args!("<joint name=\"{name}:ball\" type=\"ball\" pos=\"{}\"/>", vector(place)));
        self.qpos.extend([value.w, value.i, value.j, value.k]);
    }

    /// An anchor: a child of the world, or of the last body of a chain at its pose there.
    fn anchor(&mut self, anchor: usize, at: Option<(Vec3, Quat, Option<Vec3>)>) {
        let (spec, pose, name) = (
            &self.own.network.anchors[anchor],
            self.own.state.anchors[anchor],
            self.own.anchors[anchor].clone(),
        );
        let fixed = spec.held_orientation && spec.held == [true; 3];
        let free = !spec.held_orientation && spec.held == [false; 3];
        match at {
            Some((position, orientation, pin)) => {
                self.open(&name, &position, &orientation, "");
                if let Some(place) = pin {
                    self.ball(&name, &place, &rotation::identity());
                }
            }
            None => {
                let mocap = if fixed { " mocap=\"true\"" } else { "" };
                self.open(&name, &pose.position, &pose.orientation, mocap);
                if free {
                    self.line(format_args!("<freejoint name=\"{}:free\"/>", escaped(&name)));
                    self.qpos.extend(pose.position.iter());
                    let q = pose.orientation;
                    self.qpos.extend([q.w, q.i, q.j, q.k]);
                } else {
                    for (k, letter) in ['x', 'y', 'z'].into_iter().enumerate().filter(|(k, _)| !spec.held[*k])
                    {
                        let axis = rotation::rotate(&pose.orientation.conjugate(), &Vec3::ith(k, 1.0));
                        self.line(format_args!(
                            "<joint name=\"{}:{letter}\" type=\"slide\" axis=\"{}\"/>",
                            escaped(&name),
                            vector(&axis)
                        ));
                        self.qpos.push(0.0);
                    }
                    if !spec.held_orientation {
                        self.ball(&name, &Vec3::zeros(), &rotation::identity());
                    }
                }
            }
        }
        let moves = match at {
            Some((_, _, pin)) => pin.is_some(),
            None => !fixed,
        };
        if spec.mass > 0.0 || moves {
            let mass = spec.mass.max(LEAST[0]);
            // A part without inertia is a ball of lead of its mass.
            let ball = (0.4 * mass * (mass / 47_000.0).powf(2.0 / 3.0)).max(LEAST[1]);
            let inertia = spec.inertia.map(|i| if i > 0.0 { i } else { ball });
            let (centre, inertia) = (vector(&spec.centre), vector(&inertia));
            self.line(format_args!("<inertial pos=\"{centre}\" mass=\"{mass}\" diaginertia=\"{inertia}\"/>"));
        }
        self.line(format_args!("<site name=\"{}\" class=\"cable\"/>", escaped(&name)));
        if spec.force.norm() > 0.0 || spec.moment.norm() > 0.0 {
            self.motor(&name, &spec.force, &spec.moment, false);
        }
        for site in std::mem::take(&mut self.sites[anchor]) {
            self.line(format_args!("{site}"));
        }
        self.solids(Some(anchor));
        let tree = self.tree;
        for chain in &tree.hung[anchor] {
            self.chain(&tree.chains[*chain]);
        }
        self.close();
    }

    fn chain(&mut self, chain: &Chain) {
        let own = self.own;
        let span = &own.network.spans[chain.span];
        let near = match (chain.backward, span.end) {
            (true, Some(end)) => end,
            _ => span.start,
        };
        let twist = if chain.backward { span.twist } else { 0.0 };
        let (position, orientation) = seat(&near, twist);
        let last = chain.bodies.len() - 1;
        for (k, body) in chain.bodies.iter().enumerate() {
            // Bodies and nodes are counted along the cable.
            let count = if chain.backward { last - k } else { k };
            let name = format!("{}:{count}", chain.name);
            let origin = if chain.backward { body.extent[1] } else { body.extent[0] };
            match k {
                0 => {
                    self.open(&name, &position, &orientation, " childclass=\"cable\"");
                    if near.grip == Grip::Pinned {
                        let world = own.state.anchors[near.anchor].orientation * orientation;
                        self.ball(&name, &Vec3::zeros(), &(world.conjugate() * chain.ends[0]));
                    }
                }
                _ => {
                    let before = &chain.bodies[k - 1];
                    let length = before.extent[1] - before.extent[0];
                    let along = if chain.backward { -length } else { length };
                    self.open(&name, &Vec3::new(0.0, 0.0, along), &rotation::identity(), "");
                    self.hinges(&name, body);
                }
            }
            let [a, b] = body.extent.map(|s| s - origin);
            self.line(format_args!(
                "<geom fromto=\"0 0 {a} 0 0 {b}\" size=\"{}\" mass=\"{}\"/>",
                body.radius, body.mass
            ));
            let node = if count == 0 {
                body.extent[0]
            } else if count == last {
                body.extent[1]
            } else {
                0.5 * (body.extent[0] + body.extent[1])
            };
            self.line(format_args!("<site name=\"{}\" pos=\"0 0 {}\"/>", escaped(&name), node - origin));
            for (i, load) in body.loads.iter().enumerate() {
                self.load(&format!("{name}:load{i}"), load, load.s - origin);
            }
        }
        self.far_end(chain);
        for _ in &chain.bodies {
            self.close();
        }
    }

    fn hinges(&mut self, name: &str, body: &Body) {
        let Some(joint) = &body.joint else { return };
        let order = if joint.twist_first { [2, 0, 1] } else { [1, 0, 2] };
        let armature = ARMATURE * joint.mass * joint.length * joint.length;
        for k in order {
            let letter = ['x', 'y', 'z'][k];
            let (stiffness, rest) = (joint.stiffness[k], joint.rest[k]);
            let spring = if rest == 0.0 { String::new() } else { format!(" springref=\"{rest}\"") };
            self.line(format_args!(
                "<joint name=\"{}:{letter}\" axis=\"{}\" stiffness=\"{stiffness}\" damping=\"{}\" armature=\"{armature}\"{spring}/>",
                escaped(name),
                vector(&Vec3::ith(k, 1.0)),
                stiffness * DELAY
            ));
            self.qpos.push(joint.angles[k]);
        }
    }

    /// What the far end of a chain is joined to: an anchor that hangs on it, or one that is there already.
    fn far_end(&mut self, chain: &Chain) {
        let own = self.own;
        let span = &own.network.spans[chain.span];
        let Some(body) = chain.bodies.last() else { return };
        let far = if chain.backward { Some(span.start) } else { span.end };
        let Some(far) = far else { return };
        let (place, turn) = seat(&far, if chain.backward { 0.0 } else { span.twist });
        let length = body.extent[1] - body.extent[0];
        let tip = Vec3::new(0.0, 0.0, if chain.backward { -length } else { length });
        let anchor = own.state.anchors[far.anchor];
        if chain.carries {
            let (orientation, pin) = match far.grip {
                Grip::Clamped => (turn.conjugate(), None),
                Grip::Pinned => (chain.ends[1].conjugate() * anchor.orientation, Some(place)),
            };
            let position = tip - rotation::rotate(&orientation, &place);
            self.anchor(far.anchor, Some((position, orientation, pin)));
            return;
        }
        let name = escaped(&chain.name);
        let end = format!("{name}:end");
        self.line(format_args!("<site name=\"{end}\" pos=\"{}\"/>", vector(&tip)));
    }

    fn load(&mut self, name: &str, load: &Load, z: f64) {
        let (force, moment) = (load.force, load.moment);
        self.line(format_args!("<site name=\"{}\" pos=\"0 0 {z}\"/>", escaped(name)));
        self.motor(name, &force, &moment, load.follows);
    }

    /// A motor at a site whose force is its gear: along the world, or with the site.
    fn motor(&mut self, name: &str, force: &Vec3, moment: &Vec3, follows: bool) {
        let name = escaped(name);
        let world = if follows { "" } else { " refsite=\"world\"" };
        let gear = Numbers(force.iter().chain(moment.iter()).copied().collect());
        self.motors.push(format!("<motor name=\"{name}\" site=\"{name}\"{world} gear=\"{gear}\"/>"));
    }

    /// Obstacles of an anchor, or of the world.
    fn solids(&mut self, on: Option<usize>) {
        let own = self.own;
        for (k, solid) in own.solids.iter().enumerate().filter(|(_, solid)| solid.on == on) {
            let obstacle = &own.network.obstacles[k];
            let mut pose = own.state.obstacles.get(k).copied().unwrap_or(obstacle.pose);
            if let Some(anchor) = on.map(|k| own.state.anchors[k]) {
                let back = anchor.orientation.conjugate();
                pose.position = rotation::rotate(&back, &(pose.position - anchor.position));
                pose.orientation = back * pose.orientation;
            }
            let made = solid::geoms(&solid.name, obstacle, &pose, &mut self.notes);
            self.assets.push_str(&made.assets);
            made.geoms.iter().for_each(|line| self.line(format_args!("{line}")));
        }
    }

    /// Where chains end at what is there already, and points of anchors that are held together: an equality of two sites each.
    fn closures(&mut self) {
        let network = self.own.network;
        for chain in self.tree.chains.iter().filter(|chain| !chain.carries) {
            let span = &network.spans[chain.span];
            let Some(far) = (if chain.backward { Some(span.start) } else { span.end }) else { continue };
            let (place, turn) = seat(&far, if chain.backward { 0.0 } else { span.twist });
            let name = escaped(&chain.name);
            let kind = if far.grip == Grip::Clamped { "weld" } else { "connect" };
            let site = format!(
                "<site name=\"{name}:hold\" pos=\"{}\"{} class=\"cable\"/>",
                vector(&place),
                turned(&turn)
            );
            self.sites[far.anchor].push(site);
            let end = format!("{name}:end");
            self.equality
                .push(format!("<{kind} name=\"{end}\" site1=\"{end}\" site2=\"{name}:hold\" {TIGHT}/>"));
        }
        for (k, constraint) in network.constraints.iter().enumerate() {
            let Constraint::Coincide { from, to } = constraint else { continue };
            for (side, point) in [from, to].into_iter().enumerate() {
                let (anchor, place) = match point {
                    Point::World(place) => (None, place),
                    Point::On(anchor, place) => (Some(*anchor), place),
                };
                let name = format!("together{k}:{side}");
                let site = format!("<site name=\"{name}\" pos=\"{}\" class=\"cable\"/>", vector(place));
                match anchor {
                    Some(anchor) => self.sites[anchor].push(site),
                    None => self.loose.push(site),
                }
            }
            self.equality.push(format!(
                "<connect name=\"together{k}\" site1=\"together{k}:0\" site2=\"together{k}:1\" {TIGHT}/>"
            ));
        }
    }
}

/// ` quat="…"` unless it turns nothing.
fn turned(q: &Quat) -> String {
    if q.imag().norm() < 1e-15 { String::new() } else { format!(" quat=\"{} {} {} {}\"", q.w, q.i, q.j, q.k) }
}

pub(super) fn vector(v: &Vec3) -> String {
    format!("{} {} {}", v.x, v.y, v.z)
}

/// Numbers with blanks between them.
pub(super) struct Numbers(pub(super) Vec<f64>);

impl Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, value) in self.0.iter().enumerate() {
            write!(f, "{}{value}", if k == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

/// Text that may stand in a comment.
fn comment(text: &str) -> String {
    escaped(text).replace("--", "- -")
}

//! USD out, as text: cables to play back, and cables to simulate as the AOUSD deformables describe them.
//!
//! Metres, z up. What is played back are cubic curves through the nodes with a width at each, one sample of points and extent a
//! frame. What is simulated is a linear curve with the structural stiffness of its section (EA, kGA, EI, GJ; SI values, not moduli),
//! `PhysicsAttachment`s where cables meet and where they are held. The names are those of the proposal with `curves` in them.

use crate::playback::{Playback, identifiers};
use flexline::Vec3;
use std::fmt::Write as _;

/// Time codes in a second.
const CODES: f64 = 30.0;

/// Cables to play back.
pub fn write_playback(own: &Playback) -> String {
    let mut text =
        head(&own.title, own.times.first().copied().unwrap_or(0.0), own.times.last().copied().unwrap_or(0.0));
    for (tube, name) in own.cables.iter().zip(identifiers(own.cables.iter().map(|tube| &*tube.name))) {
        let _ = writeln!(
            text,
            "    def BasisCurves \"{name}\" (\n        displayName = {}\n    )\n    {{",
            quoted(&tube.name)
        );
        text.push_str("        uniform token type = \"cubic\"\n        uniform token basis = \"catmullRom\"\n        uniform token wrap = \"pinned\"\n");
        let _ = writeln!(text, "        int[] curveVertexCounts = [{}]", tube.radii.len());
        let widths: Vec<String> = tube.radii.iter().map(|r| (2.0 * r).to_string()).collect();
        let _ = writeln!(
            text,
            "        float[] widths = [{}] (\n            interpolation = \"vertex\"\n        )",
            widths.join(", ")
        );
        let colours = tube
            .colours
            .as_ref()
            .map_or_else(|| vec![colour(&crate::playback::GREY)], |all| all.iter().map(colour).collect());
        let kind = if colours.len() == 1 { "constant" } else { "vertex" };
        let _ = writeln!(
            text,
            "        color3f[] primvars:displayColor = [{}] (\n            interpolation = \"{kind}\"\n        )",
            colours.join(", ")
        );
        let places = |k: usize| list(tube.frames[k].iter().map(|(p, _)| p));
        let extent = |k: usize| {
            let widest = tube.radii.iter().fold(0.0, |a: f64, b| a.max(*b));
            let around = Vec3::repeat(widest);
            let (low, high) = bounds(tube.frames[k].iter().map(|(p, _)| p));
            list([low - around, high + around].iter())
        };
        sampled(&mut text, "point3f[] points", &own.times, &places);
        sampled(&mut text, "float3[] extent", &own.times, &extent);
        text.push_str("    }\n");
    }
    text.push_str("}\n");
    text
}

/// A cable to simulate.
#[derive(Clone, Debug, PartialEq)]
pub struct Deformable {
    /// Its name.
    pub name: String,
    /// Its nodes in equilibrium, m.
    pub points: Vec<Vec3>,
    /// The same without loads, from the same beginning, m.
    pub rest: Vec<Vec3>,
    /// Radius, m.
    pub radius: f64,
    /// K1, K2, K3, N m².
    pub stiffness: Vec3,
    /// kg/m.
    pub mass_per_length: f64,
}

/// What a node of a cable is held by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attached {
    /// Index of the cable, and of its node.
    pub node: [usize; 2],
    /// The same of another cable; `None` is the world.
    pub to: Option<[usize; 2]>,
}

/// Cables to simulate.
pub fn write_physics(title: &str, gravity: &Vec3, cables: &[Deformable], attached: &[Attached]) -> String {
    let mut text = head(title, 0.0, 0.0);
    let down = gravity.try_normalize(0.0).unwrap_or(-Vec3::z());
    let _ = writeln!(
        text,
        "    def PhysicsScene \"PhysicsScene\"\n    {{\n        vector3f physics:gravityDirection = {}\n        float physics:gravityMagnitude = {}\n    }}",
        place(&down),
        gravity.norm()
    );
    let names = identifiers(cables.iter().map(|own| &*own.name));
    text.push_str("    def Scope \"Materials\"\n    {\n");
    for (own, name) in cables.iter().zip(&names) {
        // A solid disc of the same radius and stiffness: E = 4K/(πr⁴), G = 2K3/(πr⁴), k = 0.9.
        let bend = 0.5 * (own.stiffness.x + own.stiffness.y);
        let r2 = own.radius * own.radius;
        let _ = writeln!(
            text,
            "        def Material \"{name}\" (\n            prepend apiSchemas = [\"PhysicsCurvesDeformableMaterialAPI\"]\n        )\n        {{"
        );
        for (key, value) in [
            ("curvesThickness", 2.0 * own.radius),
            ("curvesStretchStiffness", 4.0 * bend / r2),
            ("curvesShearStiffness", 0.9 * 2.0 * own.stiffness.z / r2),
            ("curvesBendStiffness", bend),
            ("curvesTwistStiffness", own.stiffness.z),
            ("density", own.mass_per_length / (std::f64::consts::PI * r2)),
        ] {
            let _ = writeln!(text, "            float physics:{key} = {value}");
        }
        text.push_str("        }\n");
    }
    text.push_str("    }\n");
    for (own, name) in cables.iter().zip(&names) {
        let around = Vec3::repeat(own.radius);
        let (low, high) = bounds(own.points.iter());
        let _ = writeln!(
            text,
            "    def Xform \"{name}\" (\n        displayName = {}\n        prepend apiSchemas = [\"PhysicsDeformableBodyAPI\"]\n    )\n    {{",
            quoted(&own.name)
        );
        text.push_str("        def BasisCurves \"Curve\" (\n            prepend apiSchemas = [\"PhysicsCurvesDeformableSimAPI\", \"PhysicsCollisionAPI\", \"MaterialBindingAPI\"]\n        )\n        {\n");
        text.push_str(
            "            uniform token type = \"linear\"\n            uniform token wrap = \"nonperiodic\"\n",
        );
        let _ = writeln!(text, "            int[] curveVertexCounts = [{}]", own.points.len());
        let _ = writeln!(
            text,
            "            float[] widths = [{}] (\n                interpolation = \"constant\"\n            )",
            2.0 * own.radius
        );
        let _ = writeln!(text, "            point3f[] points = {}", list(own.points.iter()));
        let _ = writeln!(text, "            point3f[] physics:restShapePoints = {}", list(own.rest.iter()));
        let _ =
            writeln!(text, "            float3[] extent = {}", list([low - around, high + around].iter()));
        let _ = writeln!(
            text,
            "            rel material:binding:physics = </World/Materials/{name}>\n        }}\n    }}"
        );
    }
    for (k, own) in attached.iter().enumerate() {
        let curve = |[cable, _]: [usize; 2]| format!("</World/{}/Curve>", names[cable]);
        let _ = writeln!(
            text,
            "    def PhysicsAttachment \"Attachment_{k}\"\n    {{\n        rel physics:src0 = {}\n        uniform token physics:type0 = \"point\"\n        int[] physics:indices0 = [{}]",
            curve(own.node),
            own.node[1]
        );
        match own.to {
            Some(other) => {
                let _ = writeln!(
                    text,
                    "        rel physics:src1 = {}\n        uniform token physics:type1 = \"point\"\n        int[] physics:indices1 = [{}]",
                    curve(other),
                    other[1]
                );
            }
            None => {
                let at = cables[own.node[0]].points[own.node[1]];
                let _ = writeln!(
                    text,
                    "        uniform token physics:type1 = \"xform\"\n        vector3f[] physics:coords1 = [{}]",
                    place(&at)
                );
            }
        }
        text.push_str("        bool physics:attachmentEnabled = true\n    }\n");
    }
    text.push_str("}\n");
    text
}

fn head(title: &str, first: f64, last: f64) -> String {
    let mut text = String::from("#usda 1.0\n(\n    defaultPrim = \"World\"\n");
    let _ = writeln!(
        text,
        "    doc = {}\n    metersPerUnit = 1\n    upAxis = \"Z\"",
        quoted(&format!("{title}, written by Flexline"))
    );
    if last > first {
        let _ = writeln!(
            text,
            "    startTimeCode = {}\n    endTimeCode = {}\n    timeCodesPerSecond = {CODES}",
            first * CODES,
            last * CODES
        );
    }
    text.push_str(")\n\ndef Xform \"World\"\n{\n");
    text
}

/// One value, or one a frame.
fn sampled(text: &mut String, what: &str, times: &[f64], value: &dyn Fn(usize) -> String) {
    if times.len() < 2 {
        let _ = writeln!(text, "        {what} = {}", value(0));
        return;
    }
    let _ = writeln!(text, "        {what}.timeSamples = {{");
    for (k, time) in times.iter().enumerate() {
        let _ = writeln!(text, "            {}: {},", time * CODES, value(k));
    }
    text.push_str("        }\n");
}

fn bounds<'a>(points: impl Iterator<Item = &'a Vec3>) -> (Vec3, Vec3) {
    let nothing = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    points.fold(nothing, |(low, high), p| (low.inf(p), high.sup(p)))
}

fn place(p: &Vec3) -> String {
    // Points are of single precision there.
    format!("({}, {}, {})", p.x as f32, p.y as f32, p.z as f32)
}

fn list<'a>(points: impl Iterator<Item = &'a Vec3>) -> String {
    format!("[{}]", points.map(place).collect::<Vec<_>>().join(", "))
}

fn colour(own: &[u8; 3]) -> String {
    // Colours are linear there, those of screens are not: about the square.
    let [r, g, b] = own.map(|c| (f32::from(c) / 255.0).powf(2.2));
    format!("({r}, {g}, {b})")
}

/// Text between quotes.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

//! STEP (ISO 10303-21), AP242 and AP214: one product per cable, its curve as a `B_SPLINE_CURVE_WITH_KNOTS` and, where it is
//! asked for, its tube as a closed solid: one rational face that has exact circles across, and two plane caps. Millimetres.

use super::frame::Frames;
use super::spline::{Spline, nearest, uniform};
use super::{ExportError, Fitted, Schema, Wishes};
use flexline::Vec3;
use std::fmt::Write;

/// Poles of a circle of four quadratic arcs: along the first and second direction across, and weight.
const CIRCLE: [(f64, f64, f64); 9] = {
    const W: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [
        (1.0, 0.0, 1.0),
        (1.0, 1.0, W),
        (0.0, 1.0, 1.0),
        (-1.0, 1.0, W),
        (-1.0, 0.0, 1.0),
        (-1.0, -1.0, W),
        (0.0, -1.0, 1.0),
        (1.0, -1.0, W),
        (1.0, 0.0, 1.0),
    ]
};

/// The lines of a data section.
struct Lines {
    text: String,
    last: usize,
}

impl Lines {
    fn add(&mut self, what: &str) -> usize {
        self.last += 1;
        let _ = writeln!(self.text, "#{}={what};", self.last);
        self.last
    }

    fn point(&mut self, p: &Vec3) -> usize {
        self.add(&format!(
            "CARTESIAN_POINT('',({},{},{}))",
            real(1e3 * p.x),
            real(1e3 * p.y),
            real(1e3 * p.z)
        ))
    }

    fn direction(&mut self, d: &Vec3) -> usize {
        self.add(&format!("DIRECTION('',({},{},{}))", ratio(d.x), ratio(d.y), ratio(d.z)))
    }

    fn axes(&mut self, at: &Vec3, z: &Vec3, x: &Vec3) -> usize {
        let (at, z, x) = (self.point(at), self.direction(z), self.direction(x));
        self.add(&format!("AXIS2_PLACEMENT_3D('',#{at},#{z},#{x})"))
    }

    fn curve(&mut self, name: &str, curve: &Spline) -> usize {
        let poles: Vec<usize> = curve.poles.iter().map(|p| self.point(p)).collect();
        let (knots, counts) = knots(curve);
        let poles = list(&poles);
        self.add(&format!(
            "B_SPLINE_CURVE_WITH_KNOTS({name},3,{poles},.UNSPECIFIED.,.F.,.U.,({counts}),({knots}),.UNSPECIFIED.)"
        ))
    }
}

/// Knots once each, in mm, and their multiplicities.
fn knots(curve: &Spline) -> (String, String) {
    let all = curve.multiplicities();
    let knots: Vec<String> = all.iter().map(|own| real(1e3 * own.0)).collect();
    let counts: Vec<String> = all.iter().map(|own| own.1.to_string()).collect();
    (knots.join(","), counts.join(","))
}

fn list(all: &[usize]) -> String {
    let all: Vec<String> = all.iter().map(|n| format!("#{n}")).collect();
    format!("({})", all.join(","))
}

/// A length in mm, to a millionth of a micrometre.
fn real(x: f64) -> String {
    pointed(&format!("{x:.9}"))
}

/// A number without unit, to fifteen digits.
fn ratio(x: f64) -> String {
    pointed(&format!("{x:.15}"))
}

/// Without zeros at its end; a real number has a point.
fn pointed(text: &str) -> String {
    let text = text.trim_end_matches('0');
    if text == "-0." { "0.".to_owned() } else { text.to_owned() }
}

/// A string of the standard: quotes twice, what is not ASCII by its number.
pub(super) fn string(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\'' => out.push_str("''"),
            '\\' => out.push_str("\\\\"),
            ' '..='~' => out.push(c),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => out.push(' '),
            c => {
                let mut words = [0; 2];
                out.push_str("\\X2\\");
                for word in c.encode_utf16(&mut words) {
                    let _ = write!(out, "{word:04X}");
                }
                out.push_str("\\X0\\");
            }
        }
    }
    out.push('\'');
    out
}

pub(super) fn write(
    fitted: &[Fitted],
    schema: Schema,
    wishes: &Wishes,
    tubes: &mut [Option<f64>],
) -> Result<Vec<u8>, ExportError> {
    let (name, protocol, year) = match schema {
        Schema::Ap242 => (
            "AP242_MANAGED_MODEL_BASED_3D_ENGINEERING_MIM_LF { 1 0 10303 442 3 1 4 }",
            "ap242_managed_model_based_3d_engineering",
            2020,
        ),
        Schema::Ap214 => ("AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }", "automotive_design", 2000),
    };
    let mut lines = Lines { text: String::new(), last: 0 };
    let application = lines.add("APPLICATION_CONTEXT('managed model based 3d engineering')");
    lines.add(&format!(
        "APPLICATION_PROTOCOL_DEFINITION('international standard','{protocol}',{year},#{application})"
    ));
    let product_context = lines.add(&format!("PRODUCT_CONTEXT('',#{application},'mechanical')"));
    let definition_context =
        lines.add(&format!("PRODUCT_DEFINITION_CONTEXT('part definition',#{application},'design')"));
    let length = lines.add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))");
    let angle = lines.add("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))");
    let solid_angle = lines.add("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())");
    let mut products = Vec::new();
    let mut styled = Vec::new();
    let mut last_context = 0;
    for (own, tube) in fitted.iter().zip(tubes) {
        let solid = wishes.solid.then(|| Tube::new(own, wishes.tolerance)).transpose()?;
        *tube = solid.as_ref().map(|solid| solid.reached);
        let reached = solid.as_ref().map_or(own.reached, |solid| solid.reached.max(own.reached));
        let uncertainty = lines.add(&format!(
            "UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE({}),#{length},'distance_accuracy_value','tolerance reached')",
            real((1e3 * reached).max(1e-7))
        ));
        let context = lines.add(&format!(
            "(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((#{uncertainty}))\
             GLOBAL_UNIT_ASSIGNED_CONTEXT((#{length},#{angle},#{solid_angle}))REPRESENTATION_CONTEXT('',''))"
        ));
        last_context = context;
        let text = string(&own.line.name);
        let product = lines.add(&format!("PRODUCT({text},{text},'',(#{product_context}))"));
        products.push(product);
        let formation = lines.add(&format!("PRODUCT_DEFINITION_FORMATION('','',#{product})"));
        let definition =
            lines.add(&format!("PRODUCT_DEFINITION('design','',#{formation},#{definition_context})"));
        let shape = lines.add(&format!("PRODUCT_DEFINITION_SHAPE('','',#{definition})"));
        let curve = lines.curve(&text, &own.spline);
        let set = lines.add(&format!("GEOMETRIC_CURVE_SET({text},(#{curve}))"));
        let wireframe = lines.add(&format!(
            "GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION({text},(#{set}),#{context})"
        ));
        let Some(solid) = solid else {
            lines.add(&format!("SHAPE_DEFINITION_REPRESENTATION(#{shape},#{wireframe})"));
            continue;
        };
        let brep = solid.write(&text, &mut lines);
        let axes = lines.axes(&Vec3::zeros(), &Vec3::z(), &Vec3::x());
        let body =
            lines.add(&format!("ADVANCED_BREP_SHAPE_REPRESENTATION({text},(#{axes},#{brep}),#{context})"));
        lines.add(&format!("SHAPE_DEFINITION_REPRESENTATION(#{shape},#{body})"));
        lines.add(&format!("SHAPE_REPRESENTATION_RELATIONSHIP('centreline','',#{body},#{wireframe})"));
        styled.push(paint(brep, wishes.colour, &mut lines));
    }
    lines.add(&format!("PRODUCT_RELATED_PRODUCT_CATEGORY('part',$,{})", list(&products)));
    if !styled.is_empty() {
        lines.add(&format!(
            "MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',{},#{last_context})",
            list(&styled)
        ));
    }
    let version = env!("CARGO_PKG_VERSION");
    let text = format!(
        "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION(('centrelines of cables'),'2;1');\n\
         FILE_NAME({},'{}',(''),(''),'Flexline {version}','Flexline {version}','');\nFILE_SCHEMA(('{name}'));\nENDSEC;\nDATA;\n{}ENDSEC;\n\
         END-ISO-10303-21;\n",
        string(&wishes.title),
        wishes.date,
        lines.text
    );
    Ok(text.into_bytes())
}

/// Colours a solid; gives the styled item.
fn paint(brep: usize, [r, g, b]: [f64; 3], lines: &mut Lines) -> usize {
    let colour = lines.add(&format!("COLOUR_RGB('',{},{},{})", ratio(r), ratio(g), ratio(b)));
    let fill = lines.add(&format!("FILL_AREA_STYLE_COLOUR('',#{colour})"));
    let area = lines.add(&format!("FILL_AREA_STYLE('',(#{fill}))"));
    let surface = lines.add(&format!("SURFACE_STYLE_FILL_AREA(#{area})"));
    let side = lines.add(&format!("SURFACE_SIDE_STYLE('',(#{surface}))"));
    let usage = lines.add(&format!("SURFACE_STYLE_USAGE(.BOTH.,#{side})"));
    let style = lines.add(&format!("PRESENTATION_STYLE_ASSIGNMENT((#{usage}))"));
    lines.add(&format!("STYLED_ITEM('colour',(#{style}),#{brep})"))
}

/// A tube around a centreline: splines of its middle and of its two directions across, on the same knots.
struct Tube {
    middle: Spline,
    across: [Spline; 2],
    /// Directions at its ends, along the cable.
    ends: [Vec3; 2],
    radius: f64,
    /// How far its surface is off at most, m.
    reached: f64,
}

impl Tube {
    fn new(own: &Fitted, tolerance: f64) -> Result<Self, ExportError> {
        let curve = &own.spline;
        let name = &own.line.name;
        let wrong = |why: &str| ExportError(format!("the tube of '{name}' {why}"));
        if curve.multiplicities().iter().skip(1).rev().skip(1).any(|knot| knot.1 > 1) {
            return Err(wrong("has a kink, as in an eye: leave --solid out"));
        }
        let points = &own.line.points;
        let radius = points.iter().map(|p| p.radius).fold(0.0, f64::max);
        if radius <= 0.0 {
            return Err(wrong("has no thickness: leave --solid out"));
        }
        let range = [curve.knots[0], curve.knots[curve.knots.len() - 1]];
        if (curve.at(range[0]) - curve.at(range[1])).norm() < radius {
            return Err(wrong("ends where it begins, and a ring has no caps: leave --solid out"));
        }
        let mut intervals = curve.multiplicities().len() - 1;
        for _ in 0..12 {
            let frames = Frames::new(curve, 64 * intervals);
            let samples = 8 * intervals;
            let make = |place: &dyn Fn(f64) -> Vec3| nearest(uniform(range, intervals), place, samples);
            let middle = make(&|u| curve.at(u));
            let across = [make(&|u| frames.at(u)[0]), make(&|u| frames.at(u)[1])];
            let off = |u: f64| {
                let [x, y, _] = frames.at(u);
                let turned = (across[0].at(u) - x).norm() + (across[1].at(u) - y).norm();
                (middle.at(u) - curve.at(u)).norm() + radius * turned
            };
            let at = |j: usize| range[0] + (range[1] - range[0]) * j as f64 / (2 * samples) as f64;
            let worst = (0..=2 * samples).map(|j| off(at(j))).fold(0.0, f64::max);
            if worst <= tolerance {
                let ends = [frames.at(range[0])[2], frames.at(range[1])[2]];
                return Ok(Self { middle, across, ends, radius, reached: worst + own.reached });
            }
            intervals = (intervals * 3).div_ceil(2);
        }
        Err(wrong(&format!("cannot be met within {:.3e} mm: ask for a larger --tolerance", 1e3 * tolerance)))
    }

    /// A solid; gives the number of its `MANIFOLD_SOLID_BREP`.
    fn write(&self, name: &str, lines: &mut Lines) -> usize {
        let count = self.middle.poles.len();
        let pole = |i: usize, (a, b, _): (f64, f64, f64)| {
            self.middle.poles[i] + (self.across[0].poles[i] * a + self.across[1].poles[i] * b) * self.radius
        };
        let mut seam = Vec::new();
        let mut rows = Vec::new();
        for (k, across) in CIRCLE.iter().enumerate() {
            // The last row is the first: the same points close the surface.
            let row: Vec<usize> = match k {
                8 => seam.clone(),
                _ => (0..count).map(|i| lines.point(&pole(i, *across))).collect(),
            };
            if k == 0 {
                seam.clone_from(&row);
            }
            rows.push(list(&row));
        }
        let weights: Vec<String> =
            CIRCLE.iter().map(|own| format!("({})", vec![ratio(own.2); count].join(","))).collect();
        let (knots, counts) = knots(&self.middle);
        let surface = lines.add(&format!(
            "(BOUNDED_SURFACE()B_SPLINE_SURFACE(2,3,({}),.UNSPECIFIED.,.F.,.F.,.U.)\
             B_SPLINE_SURFACE_WITH_KNOTS((3,2,2,2,3),({counts}),(0.,0.25,0.5,0.75,1.),({knots}),.UNSPECIFIED.)\
             GEOMETRIC_REPRESENTATION_ITEM()RATIONAL_B_SPLINE_SURFACE(({}))REPRESENTATION_ITEM('')SURFACE())",
            rows.join(","),
            weights.join(",")
        ));
        let seam_curve = lines.add(&format!(
            "B_SPLINE_CURVE_WITH_KNOTS('',3,{},.UNSPECIFIED.,.F.,.U.,({counts}),({knots}),.UNSPECIFIED.)",
            list(&seam)
        ));
        let mut vertices = Vec::new();
        let mut circles = Vec::new();
        let mut planes = Vec::new();
        for (end, i) in [(0, 0), (1, count - 1)] {
            let (middle, x) = (self.middle.poles[i], self.across[0].poles[i]);
            let vertex = lines.add(&format!("VERTEX_POINT('',#{})", seam[i]));
            let axes = lines.axes(&middle, &self.ends[end], &x);
            let circle = lines.add(&format!("CIRCLE('',#{axes},{})", real(1e3 * self.radius)));
            circles.push(lines.add(&format!("EDGE_CURVE('',#{vertex},#{vertex},#{circle},.T.)")));
            planes.push(lines.add(&format!("PLANE('',#{axes})")));
            vertices.push(vertex);
        }
        let edge = lines.add(&format!("EDGE_CURVE('',#{},#{},#{seam_curve},.T.)", vertices[0], vertices[1]));
        let mut face = |edges: &[(usize, bool)], surface: usize, same: bool| {
            let sign = |own: bool| if own { ".T." } else { ".F." };
            let edges: Vec<usize> = edges
                .iter()
                .map(|(edge, forward)| {
                    lines.add(&format!("ORIENTED_EDGE('',*,*,#{edge},{})", sign(*forward)))
                })
                .collect();
            let bound = lines.add(&format!("EDGE_LOOP('',{})", list(&edges)));
            let bound = lines.add(&format!("FACE_OUTER_BOUND('',#{bound},.T.)"));
            lines.add(&format!("ADVANCED_FACE('',(#{bound}),#{surface},{})", sign(same)))
        };
        let faces = [
            face(&[(circles[0], true), (edge, true), (circles[1], false), (edge, false)], surface, true),
            face(&[(circles[0], false)], planes[0], false),
            face(&[(circles[1], true)], planes[1], true),
        ];
        let shell = lines.add(&format!("CLOSED_SHELL('',{})", list(&faces)));
        lines.add(&format!("MANIFOLD_SOLID_BREP({name},#{shell})"))
    }
}

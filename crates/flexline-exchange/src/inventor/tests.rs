//! One scene in every dialect, what moves and hides, and what is wrong.

use crate::drawing::{Drawing, Up, health};
use crate::mesh::At;

fn read(text: &str) -> Drawing {
    Drawing::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn wrong(text: &str) -> String {
    Drawing::read(text.as_bytes()).unwrap_err().to_string()
}

fn iv(body: &str) -> Drawing {
    read(&format!("#Inventor V2.1 ascii\n{body}\n"))
}

fn vrml(body: &str) -> Drawing {
    read(&format!("#VRML V2.0 utf8\n{body}\n"))
}

/// A unit square in the plane z = 0.
const SQUARE: &str = "Coordinate3 { point [ 0 0 0, 1 0 0, 1 1 0, 0 1 0 ] }";
const FACE: &str = "IndexedFaceSet { coordIndex [ 0, 1, 2, 3, -1, ] }";

fn extent(drawing: &Drawing) -> [[f64; 3]; 2] {
    drawing.extent().unwrap_or_default()
}

#[track_caller]
fn assert_near(found: [[f64; 3]; 2], expected: [[f64; 3]; 2]) {
    let far = found.iter().flatten().zip(expected.iter().flatten()).any(|(a, b)| (a - b).abs() > 1e-12);
    assert!(!far, "{found:?}, expected {expected:?}");
}

#[test]
fn dialects_agree() {
    let open = iv(&format!("Separator {{ {SQUARE} DEF plate {FACE} }}"));
    let first = read(&format!("#VRML V1.0 ascii\nSeparator {{ {SQUARE} DEF plate {FACE} }}"));
    let later = vrml(
        "Shape { geometry DEF plate IndexedFaceSet { coord Coordinate { point [0 0 0 1 0 0 1 1 0 0 1 0] } coordIndex [0 1 2 3] } }",
    );
    assert_eq!(open.parts, first.parts);
    assert_eq!(open.parts, later.parts);
    assert_eq!((open.parts[0].path.as_str(), open.unit, open.up), ("plate", None, None));
    assert_eq!((later.unit, later.up), (Some(1.0), Some(Up::Y)), "by its standard");
    let catia = read("#VRML V2.0 utf8\n# File created using CATIA\nShape { geometry Box { } }");
    assert_eq!((catia.unit, catia.up), (Some(1.0), None));
}

#[test]
fn state_goes_from_left_to_right() {
    let body = format!(
        "Separator {{ {SQUARE} Separator {{ Translation {{ translation 5 0 0 }} }} Group {{ Translation {{ translation 0 0 2 }} }} {FACE} }} {FACE}"
    );
    let drawing = iv(&body);
    assert_eq!(drawing.triangles(), 2, "the last face has no points");
    assert_near(extent(&drawing), [[0.0, 0.0, 2.0], [1.0, 1.0, 2.0]]);
    let kept = iv(&format!("{SQUARE} TransformSeparator {{ Scale {{ scaleFactor 9 9 9 }} }} {FACE}"));
    assert_near(extent(&kept), [[0.0; 3], [1.0, 1.0, 0.0]]);
    let reset = iv(&format!("{SQUARE} Scale {{ scaleFactor 9 9 9 }} ResetTransform {{ }} {FACE}"));
    assert_near(extent(&reset), [[0.0; 3], [1.0, 1.0, 0.0]]);
}

#[test]
fn transforms_are_as_the_standards_have_them() {
    let turned = iv(&format!(
        "{SQUARE} Transform {{ translation 10 0 0 rotation 0 0 1 1.5707963267948966 scaleFactor 2 1 1 center 1 0 0 }} {FACE}"
    ));
    // Scaled to [-1, 1] × [0, 1], turned about (1, 0), moved by 10.
    assert_near(extent(&turned), [[10.0, -2.0, 0.0], [11.0, 0.0, 0.0]]);
    let same = vrml(
        "Transform { translation 10 0 0 rotation 0 0 1 1.5707963267948966 scale 2 1 1 center 1 0 0 children Shape { geometry \
         IndexedFaceSet { coord Coordinate { point [0 0 0 1 0 0 1 1 0 0 1 0] } coordIndex [0 1 2 3] } } }",
    );
    assert_eq!(extent(&same), extent(&turned));
    let matrix =
        iv(&format!("{SQUARE} MatrixTransform {{ matrix 0 1 0 0 -1 0 0 0 0 0 1 0 7 8 9 1 }} {FACE}"));
    assert_near(extent(&matrix), [[6.0, 8.0, 9.0], [7.0, 9.0, 9.0]]);
    let about = iv(&format!("{SQUARE} RotationXYZ {{ axis Y angle 1.5707963267948966 }} {FACE}"));
    assert_near(extent(&about), [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]);
    let units = iv(&format!("{SQUARE} Units {{ units MILLIMETERS }} {FACE} Units {{ units INCHES }} {FACE}"));
    assert_eq!(units.unit, Some(1.0));
    assert_near(extent(&units), [[0.0; 3], [0.0254, 0.0254, 0.0]]);
}

#[test]
fn copies_are_parts_of_their_own() {
    let drawing = iv(&format!(
        "{SQUARE} DEF wheel Separator {{ {FACE} }} Translation {{ translation 3 0 0 }} USE wheel Label {{ label \"cap/1\" }} {FACE}"
    ));
    let paths: Vec<&str> = drawing.parts.iter().map(|part| part.path.as_str()).collect();
    assert_eq!(paths, ["wheel", "wheel (2)", "cap-1"]);
    let array = iv(&format!("{SQUARE} Array {{ numElements1 3 separation1 2 0 0 origin CENTER {FACE} }}"));
    assert_near(extent(&array), [[-2.0, 0.0, 0.0], [3.0, 1.0, 0.0]]);
    let many = "MultipleCopy { matrix [ 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1, 1 0 0 0 0 1 0 0 0 0 1 0 0 5 0 1 ]";
    assert_near(extent(&iv(&format!("{SQUARE} {many} {FACE} }}"))), [[0.0; 3], [1.0, 6.0, 0.0]]);
    assert_eq!(iv(&format!("{SQUARE} DEF +0 Group {{ DEF _12 Group {{ {FACE} }} }}")).parts[0].path, "");
}

#[test]
fn switches_choose() {
    let with = |field: &str| {
        iv(&format!("{SQUARE} Switch {{ {field} {FACE} Group {{ {FACE} {FACE} }} }}")).triangles()
    };
    assert_eq!(with(""), 0);
    assert_eq!((with("whichChild 0"), with("whichChild 1"), with("whichChild -3")), (2, 4, 6));
    assert_eq!(with("whichChild 7"), 0);
    assert_eq!(with("whichChild 0 ~"), 0, "a value that is to be passed over");
    let inner = format!("Switch {{ whichChild -2 {FACE} Group {{ {FACE} {FACE} }} }}");
    assert_eq!(
        with(&format!("whichChild 1 Group {{ }} {inner}")),
        4,
        "the inner one shows what the outer one does"
    );
    let first = vrml("LOD { level [ Shape { geometry Box {} } Shape { geometry Sphere {} } ] }");
    assert_eq!(first.triangles(), 12);
    let chosen = vrml("Switch { whichChoice 0 choice [ Shape { geometry Box { size 1 2 3 } } ] }");
    assert_near(extent(&chosen), [[-0.5, -1.0, -1.5], [0.5, 1.0, 1.5]]);
}

#[test]
fn surfaces_face_outwards() {
    for solid in ["Cube {}", "Sphere {}", "Cylinder {}", "Cone {}", "Scale { scaleFactor -1 1 1 } Cone {}"] {
        let drawing = iv(solid);
        let own = health(&drawing.parts).unwrap();
        assert!(own.surface.closed && own.surface.volume > 0.0, "{solid}: {own:?}");
        assert_eq!((own.bodies, own.inverted, own.surface.inconsistent_edges), (1, 0, 0), "{solid}");
    }
    assert_eq!(iv("Cylinder { parts (SIDES | TOP) }").triangles(), 96);
    assert_eq!(vrml("Shape { geometry Cone { bottom FALSE } }").triangles(), 32);
    let clockwise = iv(&format!("{SQUARE} ShapeHints {{ vertexOrdering CLOCKWISE }} {FACE}"));
    assert_eq!(clockwise.parts[0].triangles, [[3, 2, 1], [3, 1, 0]]);
}

#[test]
fn strips_grids_and_lines_are_read() {
    let strip = iv(&format!("{SQUARE} IndexedTriangleStripSet {{ coordIndex [ 0 1 3 2 -1 ] }}"));
    assert_eq!(strip.parts[0].triangles, [[0, 1, 2], [2, 1, 3]]);
    let faces = iv(&format!("{SQUARE} FaceSet {{ numVertices [ 4 ] }} TriangleStripSet {{ }}"));
    assert_eq!(faces.triangles(), 4);
    let own =
        iv("FaceSet { vertexProperty VertexProperty { vertex [ 0 0 0, 1 0 0, 0 1 0 ] } numVertices 3 }");
    assert_eq!(own.triangles(), 1);
    let grid = iv(
        "Coordinate3 { point [0 0 0, 1 0 0, 2 0 0, 0 1 0, 1 1 0, 2 1 0] } QuadMesh { verticesPerColumn 2 verticesPerRow 3 }",
    );
    let up = |drawing: &Drawing, axis: usize| {
        let part = &drawing.parts[0];
        part.triangles.iter().all(|t| {
            let [a, b, c] = t.map(|i| flexline::Vec3::from(part.vertices[i as usize]));
            (b - a).cross(&(c - a))[axis] > 0.0
        })
    };
    assert!(grid.triangles() == 4 && up(&grid, 2));
    let hills =
        vrml("Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [0 1 0 1] xSpacing 2 } }");
    assert!(hills.triangles() == 2 && up(&hills, 1));
    let lines = vrml(
        "Shape { geometry IndexedLineSet { coord Coordinate { point [0 0 0, 1 0 0, 1 1 0] } coordIndex [0 1 2 -1 0 2 -1] } }",
    );
    assert_eq!((lines.lines.len(), lines.lines[0].points.len()), (2, 3));
}

#[test]
fn kits_hold_nodes_in_fields() {
    let kit = iv(
        "ShapeKit { transform Transform { translation 5 0 0 } shape Cube { } childList NodeKitListPart { containerNode \
         Separator { ShapeKit { transform Transform { translation 0 5 0 } shape Cube { } } } } }",
    );
    assert_near(extent(&kit), [[4.0, -1.0, -1.0], [6.0, 6.0, 1.0]]);
}

#[test]
fn what_is_left_out_is_told() {
    let drawing = iv(
        "File { name \"other.iv\" } Text2 { string \"a\" } Text2 { string \"b\" } Gizmo { fields [ SFFloat x ] x 3 Cube {} }",
    );
    let told: Vec<(&str, usize)> =
        drawing.left_out.iter().map(|own| (own.what.as_str(), own.count)).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].0.contains("'other.iv'") && told[0].0.contains("not followed"));
    assert_eq!(told[1], ("shapes 'Text2', which have no triangles here", 2));
    assert!(
        told[2].0.contains("'Gizmo'") && drawing.triangles() == 12,
        "children of an unknown node are taken"
    );
    let declared = vrml(
        "PROTO P [ field SFFloat x 1 eventIn SFBool y ] { Group { } }\nP { x 2 }\nShape { geometry Box {} }\nROUTE A.x TO B.y",
    );
    assert_eq!((declared.triangles(), declared.left_out.len()), (12, 3));
    assert_eq!(declared.left_out[0].first, At::Line(2));
}

#[test]
fn strings_and_connections_are_read() {
    iv("Text2 { string \"\\\"\" } Text2 { string \"\\\"\n } Text2 { string [ \"\\\", ]\", \"B\" ] }");
    iv(
        "Material { shininess 0.5 = ElapsedTime { } . timeOut } DEF a Cube {} Cube { width 2 = USE a.width height ~ }",
    );
    vrml("Shape { geometry Text { string \"\\\"\nhabla\" } }");
}

#[test]
fn mistakes_are_located() {
    let told = |body: &str| wrong(&format!("#Inventor V2.1 ascii\n\n{body}\n"));
    assert!(
        told("Separator {\n  DrawStyle { style VALUE_A }\n}")
            .starts_with("line 4 of the mesh: 'VALUE_A' is no value of 'style'")
    );
    assert!(told("Switch { whichChild 0 = NULL }").contains("connected to NULL"));
    assert!(told("Group { NULL }").contains("'NULL'"));
    assert!(told("Text2 { string \"\\\" }").contains("has no end"));
    assert!(told("Separator {").contains("line 4 of the mesh: the end of the file"));
    assert!(told("Cube { } }").contains("'}' stands here"));
    assert!(told("USE nobody").contains("no node of this name"));
    assert!(told("DEF a Group { USE a }").contains("no node of this name"), "no node within itself");
    assert!(told("Coordinate3 { point [0 0 0] } FaceSet { numVertices 4 }").contains("there are 1"));
    assert!(told("Coordinate3 { point [0 0 0 1] } FaceSet { }").contains("4 numbers are no points"));
    assert!(
        told("Coordinate3 { point [0 0 0] } IndexedFaceSet { coordIndex [0 0 5] }").contains("the point 5")
    );
    assert!(told("Coordinate3 { point [0 0 1x] }").contains("'1x' is no number"));
    assert!(told("MatrixTransform { matrix 1 2 3 }").contains("no affine map"));
    let deep = "Group { ".repeat(300);
    assert!(told(&deep).contains("deeper than 256"));
    for body in [
        "0 Cube {}",
        "Switch { choice [ * ] }",
        "Switch { choice [ 0 ] }",
        "Group { children [ Cube {} NULL ] }",
        "Group { children }",
    ] {
        assert!(wrong(&format!("#VRML V2.0 utf8\n{body}\n")).starts_with("line 2 of the mesh"), "{body}");
    }
    let proto = "#VRML V2.0 utf8\nPROTO S [ field SFNode c NULL ] { IndexedFaceSet { coord IS p } }";
    assert!(wrong(proto).contains("'p' is no field of the PROTO 'S'"));
    assert!(wrong("#Inventor V1.0 ascii\nCube {}").contains("expected Open Inventor 2.0"));
}

#[test]
fn nodes_that_use_each_other_end() {
    let mut text = "#Inventor V2.1 ascii\nDEF a0 Group { }\n".to_owned();
    for i in 1..60 {
        text.push_str(&format!("DEF a{i} Group {{ USE a{0} USE a{0} }}\n", i - 1));
    }
    assert!(wrong(&text).contains("divide the file"));
    let cubes = text.replace("Group { }", "Cube { }");
    assert!(wrong(&cubes).contains("divide the file") || wrong(&cubes).contains("more than"));
}

/// A scene as bytes.
struct Bytes(Vec<u8>);

impl Bytes {
    fn new(version: &str) -> Self {
        Self(format!("#Inventor V{version} binary  \n").into_bytes())
    }

    fn word(mut self, word: u32) -> Self {
        self.0.extend(word.to_be_bytes());
        self
    }

    fn text(mut self, text: &str) -> Self {
        self = self.word(text.len() as u32);
        self.0.extend(text.bytes());
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    fn floats(mut self, all: &[f32]) -> Self {
        all.iter().for_each(|x| self.0.extend(x.to_be_bytes()));
        self
    }
}

/// A separator with points, a turn, a node that is not built in and a strip; in 2.0 without flags.
fn bytes(version: &str) -> Vec<u8> {
    let flags = |own: Bytes, flags: u32| if version == "2.0" { own } else { own.word(flags) };
    let quarter = std::f32::consts::FRAC_PI_2;
    let points = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
    let own = flags(Bytes::new(version).text("DEF").text("plate").text("Separator"), 2).word(0).word(4);
    let own = flags(own.text("Coordinate3"), 0).word(1).text("point").word(4).floats(&points).word(0);
    let own =
        flags(own.text("Rotation"), 0).word(1).text("rotation").floats(&[0.0, 1.0, 0.0, quarter]).word(0);
    let own = flags(own.text("Gizmo"), 0).word(0x4001).text("SFBitMask").text("hands").text("hands");
    let own = own.text("LEFT").text("RIGHT").word(0).word(0);
    let own = flags(own.text("IndexedTriangleStripSet"), 0).word(1).text("coordIndex").word(5);
    [0, 1, 3, 2, u32::MAX].into_iter().fold(own, Bytes::word).word(0).0
}

#[test]
fn bytes_say_what_text_says() {
    let text = iv(&format!(
        "DEF plate Separator {{ {SQUARE} Rotation {{ rotation 0 1 0 1.5707963267948966 }} IndexedTriangleStripSet {{ coordIndex [0 1 3 2 -1] }} }}"
    ));
    for version in ["2.0", "2.1"] {
        let drawing = Drawing::read(&bytes(version)).unwrap();
        assert_eq!(drawing.parts[0].path, "plate");
        assert_eq!(drawing.parts[0].triangles, text.parts[0].triangles);
        let far = drawing.parts[0]
            .vertices
            .iter()
            .flatten()
            .zip(text.parts[0].vertices.iter().flatten())
            .any(|(a, b)| (a - b).abs() > 1e-7);
        assert!(!far && drawing.left_out[0].what.contains("'Gizmo'"));
    }
}

#[test]
fn damaged_bytes_are_refused_anywhere() {
    let whole = bytes("2.1");
    // The first three bytes are zeros, as what a file may be filled up with.
    for end in 28..whole.len() {
        let cut = Drawing::read(&whole[..end]);
        assert!(cut.is_err(), "{end}: {cut:?}");
    }
    for place in 24..whole.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut own = whole.clone();
            own[place] = value;
            if let Ok(drawing) = Drawing::read(&own) {
                assert!(drawing.triangles() <= 2);
            }
        }
    }
    let unknown = Bytes::new("2.1").text("Cube").word(0).word(1).text("mood").floats(&[1.0]).word(0).0;
    assert!(Drawing::read(&unknown).unwrap_err().to_string().contains("'mood' of a Cube is not known"));
}

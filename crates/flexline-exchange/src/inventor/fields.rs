//! What is known of nodes beforehand: which fields hold nodes, which words they may have, and, for bytes, the type of every
//! field.

use super::node::Value;

/// Whether a field of VRML 97 holds nodes.
pub(super) fn is_node_field(name: &str) -> bool {
    const NODES: [&str; 7] = ["children", "choice", "level", "geometry", "coord", "appearance", "material"];
    NODES.contains(&name)
}

/// A word of a field that it cannot have, where the words that it can have are known.
pub(super) fn unknown_value<'a>(kind: &str, field: &str, value: &'a Value) -> Option<&'a str> {
    let Value::Words(words) = value else { return None };
    let known: &[&str] = match (kind, field) {
        ("DrawStyle", "style") => &["FILLED", "LINES", "POINTS", "INVISIBLE"],
        ("ShapeHints", "vertexOrdering") => &["UNKNOWN_ORDERING", "CLOCKWISE", "COUNTERCLOCKWISE"],
        ("ShapeHints", "shapeType") => &["UNKNOWN_SHAPE_TYPE", "SOLID"],
        ("ShapeHints", "faceType") => &["UNKNOWN_FACE_TYPE", "CONVEX"],
        ("LightModel", "model") => &["BASE_COLOR", "PHONG"],
        ("RotationXYZ", "axis") => &["X", "Y", "Z"],
        ("Array", "origin") => &["FIRST", "CENTER", "LAST"],
        ("Units", "units") => &super::walk::UNITS.map(|(word, _)| word),
        ("Cylinder", "parts") => &["SIDES", "TOP", "BOTTOM", "ALL"],
        ("Cone", "parts") => &["SIDES", "BOTTOM", "ALL"],
        ("NormalBinding" | "MaterialBinding", "value") => &[
            "DEFAULT",
            "NONE",
            "OVERALL",
            "PER_PART",
            "PER_PART_INDEXED",
            "PER_FACE",
            "PER_FACE_INDEXED",
            "PER_VERTEX",
            "PER_VERTEX_INDEXED",
        ],
        _ => return None,
    };
    words.iter().map(String::as_str).find(|word| !known.contains(word))
}

/// Whether a field that is marked to be ignored is, in nodes of this kind; shapes have their sizes all the same.
pub(super) fn can_be_ignored(kind: &str) -> bool {
    matches!(kind, "MatrixTransform" | "ResetTransform" | "Rotation" | "ShapeHints" | "Switch" | "Units")
}

/// The type of a field as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// As many floats.
    Floats(usize),
    /// A list of as many floats each.
    ManyFloats(usize),
    /// A number of four bytes: integers of all widths, TRUE and FALSE.
    Int,
    /// A list of them.
    Ints,
    /// A string: text, and the names of values.
    Text,
    /// A list of them.
    Texts,
    /// Names of values up to an empty one.
    Flags,
    /// A number of eight bytes.
    Double,
    /// A list of them.
    Doubles,
    /// Width, height, channels, and the bytes of a picture.
    Image,
    /// A node.
    Node,
    /// A list of them.
    Nodes,
    /// Nothing at all.
    Trigger,
}

impl Type {
    /// The type by its name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "SFFloat" => Self::Floats(1),
            "SFVec2f" => Self::Floats(2),
            "SFVec3f" | "SFColor" => Self::Floats(3),
            "SFVec4f" | "SFPlane" | "SFBox2f" | "SFRotation" => Self::Floats(4),
            "SFMatrix" => Self::Floats(16),
            "MFFloat" => Self::ManyFloats(1),
            "MFVec2f" => Self::ManyFloats(2),
            "MFVec3f" | "MFColor" => Self::ManyFloats(3),
            "MFVec4f" | "MFPlane" | "MFRotation" => Self::ManyFloats(4),
            "MFMatrix" => Self::ManyFloats(16),
            "SFBool" | "SFInt32" | "SFLong" | "SFShort" | "SFUInt32" | "SFULong" | "SFUShort" => Self::Int,
            "MFBool" | "MFInt32" | "MFLong" | "MFShort" | "MFUInt32" | "MFULong" | "MFUShort" => Self::Ints,
            "SFString" | "SFName" | "SFEnum" => Self::Text,
            "MFString" | "MFName" | "MFEnum" => Self::Texts,
            "SFBitMask" => Self::Flags,
            "SFTime" | "SFDouble" => Self::Double,
            "MFTime" | "MFDouble" => Self::Doubles,
            "SFImage" => Self::Image,
            "SFNode" | "SFEngine" => Self::Node,
            "MFNode" | "MFEngine" => Self::Nodes,
            "SFTrigger" => Self::Trigger,
            _ => return None,
        })
    }
}

/// Nodes with children.
const GROUPS: &str = "Separator Group Switch TransformSeparator Array MultipleCopy LevelOfDetail LOD Annotation Selection \
    LocateHighlight PathSwitch Blinker WWWAnchor";

/// Whether a node has children.
pub(super) fn is_group(kind: &str) -> bool {
    GROUPS.split_whitespace().any(|own| own == kind)
}

/// Fields that every node has with the same type, wherever they occur.
const EVERYWHERE: [(&str, &str); 10] = [
    (
        "SFVec3f",
        "translation scaleFactor center separation1 separation2 separation3 direction location position axis projectionDirection directionS directionT",
    ),
    ("SFRotation", "rotation scaleOrientation orientation rotation0 rotation1"),
    (
        "SFFloat",
        "width height depth radius bottomRadius creaseAngle angle lineWidth pointSize nearDistance farDistance focalDistance \
        aspectRatio heightAngle intensity dropOffRate cutOffAngle size spacing value textureQuality ambientIntensity visibility speed \
        viewportMappingScale near far maxSize minSize",
    ),
    (
        "MFFloat",
        "shininess transparency screenArea range knotVector sKnotVector tKnotVector uKnotVector vKnotVector",
    ),
    ("MFVec3f", "point vertex vector normal profileNormal"),
    ("MFColor", "ambientColor diffuseColor specularColor emissiveColor rgb"),
    ("MFInt32", "coordIndex materialIndex normalIndex textureCoordIndex numVertices profileIndex index"),
    (
        "SFInt32",
        "startIndex verticesPerColumn verticesPerRow whichChild numElements1 numElements2 numElements3 numUControlPoints \
        numVControlPoints numSControlPoints numTControlPoints numControlPoints numPoints linkIndex",
    ),
    (
        "SFEnum",
        "renderCaching boundingBoxCaching renderCulling pickCulling vertexOrdering shapeType faceType style model units type \
        justification viewportMapping wrapS wrapT fogType origin mode colorIndex whatToReset normalBinding materialBinding policy",
    ),
    ("SFBool", "on isOpen isActive scaleInvert"),
];

/// Fields that are special to a kind of node.
const SPECIAL: [(&str, &str, &str); 34] = [
    ("MaterialBinding", "value", "SFEnum"),
    ("NormalBinding", "value", "SFEnum"),
    ("TextureCoordinateBinding", "value", "SFEnum"),
    ("RotationXYZ", "axis", "SFEnum"),
    ("ResetTransform", "whatToReset", "SFBitMask"),
    ("MatrixTransform", "matrix", "SFMatrix"),
    ("MultipleCopy", "matrix", "MFMatrix"),
    ("Coordinate4", "point", "MFVec4f"),
    ("TextureCoordinate2", "point", "MFVec2f"),
    ("ProfileCoordinate2", "point", "MFVec2f"),
    ("ProfileCoordinate3", "point", "MFVec3f"),
    ("VertexProperty", "texCoord", "MFVec2f"),
    ("VertexProperty", "orderedRGBA", "MFUInt32"),
    ("PackedColor", "orderedRGBA", "MFUInt32"),
    ("Info", "string", "SFString"),
    ("Label", "label", "SFName"),
    ("File", "name", "SFString"),
    ("Font", "name", "SFName"),
    ("FontStyle", "family", "SFEnum"),
    ("FontStyle", "style", "SFBitMask"),
    ("Texture2", "filename", "SFString"),
    ("Texture2", "image", "SFImage"),
    ("Texture2", "blendColor", "SFColor"),
    ("Texture2Transform", "translation", "SFVec2f"),
    ("Texture2Transform", "scaleFactor", "SFVec2f"),
    ("Texture2Transform", "rotation", "SFFloat"),
    ("Texture2Transform", "center", "SFVec2f"),
    ("DrawStyle", "linePattern", "SFUShort"),
    ("Environment", "ambientColor", "SFColor"),
    ("Environment", "attenuation", "SFVec3f"),
    ("Environment", "fogColor", "SFColor"),
    ("ClipPlane", "plane", "SFPlane"),
    ("AsciiText", "width", "MFFloat"),
    ("BaseColor", "rgb", "MFColor"),
];

/// Fields of single names that do not clash.
const OTHERS: &str = "parts:SFBitMask string:MFString vertexProperty:SFNode color:SFColor texture:SFNode alternateRep:SFNode \
    numKnots:MFInt32 pushState:SFBool knotVector:MFFloat filename:SFString name:SFString map:SFEnum description:SFString \
    direction0:SFVec3f axisOfRotation:SFVec3f linePattern:SFUShort childList:SFNode containerTypeName:SFName childTypeNames:MFName containerNode:SFNode \
    transform:SFNode shape:SFNode appearance:SFNode material:SFNode localTransform:SFNode coordinate3:SFNode topSeparator:SFNode \
    shapeSeparator:SFNode topShapeSeparator:SFNode callbackList:SFNode pickStyle:SFNode drawStyle:SFNode lightModel:SFNode \
    complexity:SFNode shapeHints:SFNode normal:SFNode textureCoordinate2:SFNode texture2:SFNode font:SFNode";

/// The type of a field of a built-in node.
pub(super) fn type_of(kind: &str, field: &str) -> Option<Type> {
    let special = SPECIAL.iter().find(|(own, name, _)| *own == kind && *name == field).map(|own| own.2);
    let other = || {
        OTHERS
            .split_whitespace()
            .filter_map(|own| own.split_once(':'))
            .find(|own| own.0 == field)
            .map(|own| own.1)
    };
    let everywhere =
        || EVERYWHERE.iter().find(|own| own.1.split_whitespace().any(|name| name == field)).map(|own| own.0);
    Type::of(special.or_else(everywhere).or_else(other)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_the_tables_is_known() {
        let others = OTHERS.split_whitespace().map(|own| own.split_once(':').unwrap().1);
        let all = EVERYWHERE.iter().map(|own| own.0).chain(SPECIAL.iter().map(|own| own.2)).chain(others);
        all.for_each(|name| assert!(Type::of(name).is_some(), "{name}"));
        assert_eq!(type_of("Texture2Transform", "rotation"), Some(Type::Floats(1)));
        assert_eq!(type_of("Transform", "rotation"), Some(Type::Floats(4)));
        assert_eq!(type_of("Cube", "height"), Some(Type::Floats(1)));
        assert_eq!(type_of("Cube", "nonsense"), None);
    }
}

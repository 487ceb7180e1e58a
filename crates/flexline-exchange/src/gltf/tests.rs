use crate::drawing::{Drawing, Up};
use serde_json::{Value, json};

/// A square of two triangles in the plane z = 0: positions as `f32`, indices as `u16`.
fn bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    for p in [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]] {
        p.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    [0u16, 1, 2, 0, 2, 3].iter().for_each(|i| bytes.extend(i.to_le_bytes()));
    bytes
}

fn document() -> Value {
    json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "frame", "children": [1, 2], "translation": [10, 0, 0]},
            {"name": "plate", "mesh": 0},
            {"name": "mirrored", "mesh": 0, "scale": [-1, 1, 1], "rotation": [0, 0, 0, 1]},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 12},
        ],
        "buffers": [{"byteLength": 60}],
    })
}

fn packed(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend(((28 + json.len() + binary.len()) as u32).to_le_bytes());
    for (kind, own) in [(b"JSON", &json[..]), (b"BIN\0", binary)] {
        out.extend((own.len() as u32).to_le_bytes());
        out.extend(kind);
        out.extend(own);
    }
    out
}

fn read(document: &Value) -> Result<Drawing, String> {
    Drawing::read(&packed(document, &bytes())).map_err(|error| error.to_string())
}

#[test]
fn nodes_move_and_name_what_they_hold() {
    let drawing = read(&document()).unwrap();
    assert_eq!((drawing.unit, drawing.up), (Some(1.0), Some(Up::Y)));
    let paths: Vec<&str> = drawing.parts.iter().map(|part| part.path.as_str()).collect();
    assert_eq!(paths, ["frame/plate", "frame/mirrored"]);
    assert_eq!(drawing.extent(), Some([[9.0, 0.0, 0.0], [11.0, 1.0, 0.0]]));
    let normal = |part: usize| {
        let own = &drawing.parts[part];
        let [a, b, c] = own.triangles[0].map(|i| own.vertices[i as usize]);
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    assert!(normal(0) > 0.0 && normal(1) > 0.0, "a mirror does not turn surfaces over");
}

#[test]
fn buffers_may_be_within_or_beside() {
    let mut text = document();
    text["buffers"][0]["uri"] = "my%20numbers.bin".into();
    let json = text.to_string();
    let found =
        Drawing::read_beside(json.as_bytes(), &|name| (name == "my numbers.bin").then(bytes)).unwrap();
    assert_eq!((found.triangles(), &*found.followed[0]), (4, "my numbers.bin"));
    let missing = Drawing::read(json.as_bytes()).unwrap_err().to_string();
    assert!(missing.contains("'my numbers.bin', which is not beside it"), "{missing}");
    // Three bytes a group, by hand.
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |b: &[u8]| {
        let word = b.iter().fold(0usize, |all, b| all << 8 | usize::from(*b));
        [18, 12, 6, 0].map(|shift| char::from(SIGNS[word >> shift & 63]))
    };
    let data: String = bytes().chunks(3).flat_map(group).collect();
    text["buffers"][0]["uri"] = format!("data:application/octet-stream;base64,{data}").into();
    assert_eq!(Drawing::read(text.to_string().as_bytes()).unwrap().parts, read(&document()).unwrap().parts);
}

#[test]
fn other_modes_and_numbers_are_read() {
    let with = |mode: u64| {
        let mut text = document();
        text["meshes"][0]["primitives"][0] = json!({"attributes": {"POSITION": 0}, "mode": mode});
        read(&text).unwrap()
    };
    assert_eq!((with(5).triangles(), with(6).triangles()), (4, 4));
    assert_eq!(
        (with(1).lines.len(), with(2).lines[0].points.len(), with(3).lines[0].points.len()),
        (4, 5, 4)
    );
    assert_eq!(with(0).left_out[0].what, "points");
    let mut sparse = document();
    sparse["accessors"][0]["sparse"] = json!({
        "count": 1,
        "indices": {"bufferView": 1, "byteOffset": 4, "componentType": 5123},
        "values": {"bufferView": 0, "byteOffset": 12},
    });
    let drawing = read(&sparse).unwrap();
    assert!(drawing.parts[0].vertices.iter().all(|p| *p != [11.0, 1.0, 0.0]), "vertex 2 became vertex 1");
    let mut quantised = document();
    quantised["accessors"][0] =
        json!({"bufferView": 1, "componentType": 5121, "normalized": true, "count": 3, "type": "VEC3"});
    quantised["meshes"][0]["primitives"][0] = json!({"attributes": {"POSITION": 0}});
    assert!(read(&quantised).is_ok());
}

#[test]
fn mistakes_are_told() {
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut text = document();
        change(&mut text);
        read(&text).unwrap_err()
    };
    assert!(wrong(&|d| d["asset"]["version"] = "1.0".into()).contains("is glTF 1.0"));
    assert!(wrong(&|d| d["nodes"][2]["children"] = json!([0])).contains("a node within itself"));
    assert!(wrong(&|d| d["nodes"][0]["children"] = json!([7])).contains("names node 7"));
    assert!(wrong(&|d| d["accessors"][0]["count"] = json!(5)).contains("do not fit"));
    assert!(wrong(&|d| d["accessors"][0]["count"] = json!(1u64 << 60)).contains("expected at most"));
    assert!(
        wrong(&|d| d["accessors"][1]["bufferView"] = json!(9)).contains("buffer view 9 that is not there")
    );
    assert!(wrong(&|d| d["bufferViews"][0]["byteLength"] = json!(u64::MAX)).contains("cut short"));
    assert!(wrong(&|d| d["accessors"][0]["type"] = "VEC4".into()).contains("expected VEC3"));
    let draco = json!({"extensions": {"KHR_draco_mesh_compression": {}}});
    assert!(wrong(&|d| d["meshes"][0]["primitives"][0] = draco.clone()).contains("Draco"));
    let whole = packed(&document(), &bytes());
    let short = Drawing::read(&whole[..whole.len() - 30]).unwrap_err().to_string();
    assert!(short.contains("cut short"), "{short}");
    assert!(Drawing::read(b"{\"a\": 1}").unwrap_err().to_string().contains("expected glTF 2.0"));
}

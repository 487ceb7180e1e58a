//! The sheet as DXF of AutoCAD 2000 in millimetres, one layer per kind.

use super::Sheet;
use super::sheet::{Layer, Mark};
use std::fmt::Write;

/// Groups of a file, with handles given out as they come.
struct Groups {
    text: String,
    handle: u32,
}

impl Groups {
    fn put(&mut self, code: i32, value: impl std::fmt::Display) {
        let _ = write!(self.text, "{code:>3}\n{value}\n");
    }

    fn all(&mut self, groups: &[(i32, &str)]) {
        groups.iter().for_each(|(code, value)| self.put(*code, value));
    }

    fn fresh(&mut self) -> String {
        self.handle += 1;
        format!("{:X}", self.handle)
    }

    /// Begins a table; gives its handle.
    fn table(&mut self, name: &str, count: usize, handle: &str) {
        self.all(&[(0, "TABLE"), (2, name), (5, handle), (330, "0"), (100, "AcDbSymbolTable")]);
        self.put(70, count);
    }

    /// Begins a record of a table.
    fn record(&mut self, kind: &str, table: &str, class: &str) -> String {
        let handle = self.fresh();
        self.all(&[(0, kind), (if kind == "DIMSTYLE" { 105 } else { 5 }, &handle), (330, table)]);
        self.all(&[(100, "AcDbSymbolTableRecord"), (100, class)]);
        handle
    }
}

/// Owner of what is drawn.
const MODEL: &str = "1F";
const PAPER: &str = "1E";

impl Sheet {
    /// The file.
    pub fn to_dxf(&self) -> String {
        let mut out = Groups { text: String::new(), handle: 0x100 };
        self.header(&mut out);
        self.tables(&mut out);
        blocks(&mut out);
        out.all(&[(0, "SECTION"), (2, "ENTITIES")]);
        for (layer, mark) in &self.marks {
            entity(&mut out, *layer, mark);
        }
        out.all(&[(0, "ENDSEC"), (0, "SECTION"), (2, "OBJECTS")]);
        out.all(&[
            (0, "DICTIONARY"),
            (5, "C"),
            (330, "0"),
            (100, "AcDbDictionary"),
            (281, "1"),
            (3, "ACAD_GROUP"),
            (350, "D"),
        ]);
        out.all(&[(0, "DICTIONARY"), (5, "D"), (330, "C"), (100, "AcDbDictionary"), (281, "1")]);
        out.all(&[(0, "ENDSEC"), (0, "EOF")]);
        out.text
    }

    fn header(&self, out: &mut Groups) {
        out.all(&[
            (0, "SECTION"),
            (2, "HEADER"),
            (9, "$ACADVER"),
            (1, "AC1015"),
            (9, "$DWGCODEPAGE"),
            (3, "ANSI_1252"),
        ]);
        out.all(&[(9, "$INSUNITS"), (70, "4"), (9, "$MEASUREMENT"), (70, "1"), (9, "$LUNITS"), (70, "2")]);
        for (name, at) in [("$EXTMIN", [0.0, 0.0]), ("$EXTMAX", [self.width, self.height])] {
            out.put(9, name);
            out.put(10, at[0]);
            out.put(20, at[1]);
            out.put(30, 0.0);
        }
        // Behind every handle that is given out: circles, lines and letters are far fewer.
        out.all(&[(9, "$HANDSEED"), (5, "7FFFFFFF"), (0, "ENDSEC")]);
    }

    fn tables(&self, out: &mut Groups) {
        out.all(&[(0, "SECTION"), (2, "TABLES")]);
        out.table("VPORT", 1, "8");
        out.record("VPORT", "8", "AcDbViewportTableRecord");
        out.all(&[(2, "*Active"), (70, "0"), (10, "0"), (20, "0"), (11, "1"), (21, "1")]);
        out.put(12, 0.5 * self.width);
        out.put(22, 0.5 * self.height);
        out.put(40, self.height);
        out.put(41, (self.width / self.height).max(0.1));
        out.all(&[(0, "ENDTAB")]);
        out.table("LTYPE", 3, "5");
        for name in ["ByBlock", "ByLayer", "Continuous"] {
            out.record("LTYPE", "5", "AcDbLinetypeTableRecord");
            out.all(&[(2, name), (70, "0"), (3, ""), (72, "65"), (73, "0"), (40, "0")]);
        }
        out.all(&[(0, "ENDTAB")]);
        out.table("LAYER", Layer::ALL.len() + 1, "2");
        let layers = [("0", 7, 25)].into_iter();
        let own = Layer::ALL.iter().map(|own| (own.name(), own.colour().1, weight(own.width())));
        for (name, colour, weight) in layers.chain(own) {
            out.record("LAYER", "2", "AcDbLayerTableRecord");
            out.all(&[(2, name), (70, "0")]);
            out.put(62, colour);
            out.all(&[(6, "Continuous")]);
            out.put(370, weight);
        }
        out.all(&[(0, "ENDTAB")]);
        out.table("STYLE", 1, "3");
        out.record("STYLE", "3", "AcDbTextStyleTableRecord");
        out.all(&[
            (2, "Standard"),
            (70, "0"),
            (40, "0"),
            (41, "1"),
            (50, "0"),
            (71, "0"),
            (42, "2.5"),
            (3, "arial.ttf"),
            (4, ""),
        ]);
        out.all(&[(0, "ENDTAB")]);
        for (name, handle) in [("VIEW", "6"), ("UCS", "7")] {
            out.table(name, 0, handle);
            out.all(&[(0, "ENDTAB")]);
        }
        out.table("APPID", 1, "9");
        out.record("APPID", "9", "AcDbRegAppTableRecord");
        out.all(&[(2, "ACAD"), (70, "0"), (0, "ENDTAB")]);
        out.table("DIMSTYLE", 1, "A");
        out.all(&[(100, "AcDbDimStyleTable")]);
        out.record("DIMSTYLE", "A", "AcDbDimStyleTableRecord");
        out.all(&[(2, "Standard"), (70, "0"), (0, "ENDTAB")]);
        out.table("BLOCK_RECORD", 2, "1");
        for (name, handle) in [("*Model_Space", MODEL), ("*Paper_Space", PAPER)] {
            out.all(&[
                (0, "BLOCK_RECORD"),
                (5, handle),
                (330, "1"),
                (100, "AcDbSymbolTableRecord"),
                (100, "AcDbBlockTableRecord"),
                (2, name),
            ]);
        }
        out.all(&[(0, "ENDTAB"), (0, "ENDSEC")]);
    }
}

fn blocks(out: &mut Groups) {
    out.all(&[(0, "SECTION"), (2, "BLOCKS")]);
    for (name, owner) in [("*Model_Space", MODEL), ("*Paper_Space", PAPER)] {
        let handle = out.fresh();
        out.all(&[
            (0, "BLOCK"),
            (5, &handle),
            (330, owner),
            (100, "AcDbEntity"),
            (8, "0"),
            (100, "AcDbBlockBegin"),
        ]);
        out.all(&[(2, name), (70, "0"), (10, "0"), (20, "0"), (30, "0"), (3, name), (1, "")]);
        let handle = out.fresh();
        out.all(&[
            (0, "ENDBLK"),
            (5, &handle),
            (330, owner),
            (100, "AcDbEntity"),
            (8, "0"),
            (100, "AcDbBlockEnd"),
        ]);
    }
    out.all(&[(0, "ENDSEC")]);
}

/// A width of lines as DXF has them, hundredths of a millimetre, the next one of its list.
fn weight(width: f64) -> u16 {
    let known =
        [5, 9, 13, 15, 18, 20, 25, 30, 35, 40, 50, 53, 60, 70, 80, 90, 100, 106, 120, 140, 158, 200, 211];
    let own = (100.0 * width) as u16;
    known.into_iter().find(|k| *k >= own).unwrap_or(211)
}

fn entity(out: &mut Groups, layer: Layer, mark: &Mark) {
    let kind = match mark {
        Mark::Line { .. } => "LWPOLYLINE",
        Mark::Circle { .. } => "CIRCLE",
        Mark::Letters { .. } => "TEXT",
    };
    let handle = out.fresh();
    out.all(&[(0, kind), (5, &handle), (330, MODEL), (100, "AcDbEntity"), (8, layer.name())]);
    match mark {
        Mark::Line { points, .. } => {
            out.all(&[(100, "AcDbPolyline")]);
            out.put(90, points.len());
            out.put(70, 0);
            for p in points {
                out.put(10, format!("{:.6}", p[0]));
                out.put(20, format!("{:.6}", p[1]));
            }
        }
        Mark::Circle { centre, radius } => {
            out.all(&[(100, "AcDbCircle")]);
            for (code, value) in [(10, centre[0]), (20, centre[1]), (30, 0.0), (40, *radius)] {
                out.put(code, format!("{value:.6}"));
            }
        }
        Mark::Letters { at, height, angle, text } => {
            out.all(&[(100, "AcDbText")]);
            for (code, value) in [(10, at[0]), (20, at[1]), (30, 0.0), (40, *height)] {
                out.put(code, format!("{value:.6}"));
            }
            out.put(1, encoded(text));
            out.put(50, format!("{angle:.6}"));
            out.all(&[(100, "AcDbText")]);
        }
    }
}

/// Letters beyond ASCII by their number, which every version reads.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            ' '..='~' => out.push(c),
            c if c.is_control() => out.push(' '),
            c => {
                let mut units = [0; 2];
                c.encode_utf16(&mut units).iter().for_each(|unit| {
                    let _ = write!(out, "\\U+{unit:04X}");
                });
            }
        }
    }
    out
}

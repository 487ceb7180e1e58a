//! Reading, planning and writing back, on the door harness of the scenes and on what is broken of it.

use super::*;

fn door() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/exchange/door.kbl");
    std::fs::read_to_string(path).unwrap()
}

fn wishes() -> Wishes {
    Wishes { tolerance: 1e-5, dialect: None, reserve: None }
}

fn planned(text: &str) -> (Kbl, Plan) {
    let kbl = Kbl::read(text.as_bytes()).unwrap();
    let plan = Plan::new(&kbl, &[]).unwrap();
    (kbl, plan)
}

#[test]
fn the_door_is_read() {
    let (kbl, plan) = planned(&door());
    assert_eq!((kbl.segments.len(), kbl.nodes.len(), kbl.wires.len(), kbl.connections.len()), (7, 8, 8, 9));
    assert_eq!(kbl.modules.len(), 3);
    assert!(kbl.left_out.is_empty(), "{:?}", kbl.left_out);
    for own in &plan.cables {
        assert_eq!(own.course.dialect, Some(Dialect::Clamped));
        let length = kbl.segments[own.segment].virtual_length.unwrap();
        // Three decimals of a millimetre in the file.
        assert!((own.course.length() - length).abs() < 1e-6, "{}: {}", own.name, own.course.length());
    }
    let report = Report::new(&kbl, &plan);
    assert_eq!((report.compared, report.differing.len(), report.missing().len()), (9, 2, 0));
    assert!((report.differing[0].wire - report.differing[0].segments - 12e-3).abs() < 1e-9);
    // Three nodes of several segments hang on these; a multicore cable counts once.
    assert_eq!(plan.nodes.iter().filter(|own| own.hold == Hold::Free).count(), 3);
    assert_eq!(plan.cables[0].wires.len(), 8);
}

#[test]
fn modules_choose_wires_and_segments() {
    let kbl = Kbl::read(door().as_bytes()).unwrap();
    for word in ["MOD2", "FL-DOOR-AUDIO", "Audio", "AUD"] {
        let plan = Plan::new(&kbl, &[word.to_owned()]).unwrap();
        let names: Vec<&str> = plan.cables.iter().map(|own| own.name.as_str()).collect();
        assert_eq!(names, ["grommet", "trunk", "rear trunk", "to the speaker"], "{word}");
        assert!(plan.cables.iter().all(|own| own.wires.len() == 2 && own.clips.is_empty()));
    }
    assert_eq!(Plan::new(&kbl, &["seat".to_owned()]).unwrap_err(), "seat");
}

#[test]
fn nothing_changed_gives_the_same_bytes() {
    for text in [door(), door().replace('\n', "\r\n"), format!("\u{feff}{}", door())] {
        let (kbl, plan) = planned(&text);
        let changes = vec![Change::default(); plan.cables.len()];
        let decoded = Text::decode(text.as_bytes()).unwrap();
        let made = write_back(&decoded, &kbl, &plan, &changes, &wishes()).unwrap();
        assert!(made.bytes == text.as_bytes());
    }
    // One byte a character, and an umlaut among them.
    let latin = door().replace("UTF-8", "ISO-8859-1").replace("Door harness", "T\u{fc}r");
    let bytes: Vec<u8> = latin.chars().map(|c| u32::from(c) as u8).collect();
    let kbl = Kbl::read(&bytes).unwrap();
    assert!(kbl.title.ends_with("T\u{fc}r"));
    let plan = Plan::new(&kbl, &[]).unwrap();
    let changes = vec![Change::default(); plan.cables.len()];
    assert!(
        write_back(&Text::decode(&bytes).unwrap(), &kbl, &plan, &changes, &wishes()).unwrap().bytes == bytes
    );
}

/// The course of a cable, raised in the middle, and longer by that.
fn bowed(own: &PlannedCable) -> Line {
    let places = own.course.even(60);
    let raised: Vec<Vec3> = places
        .iter()
        .enumerate()
        .map(|(i, (p, _))| p + Vec3::z() * 0.01 * (std::f64::consts::PI * i as f64 / 60.0).sin().powi(2))
        .collect();
    let mut s = 0.0;
    let mut line = Line { places: Vec::new() };
    for i in 0..raised.len() {
        if i > 0 {
            s += (raised[i] - raised[i - 1]).norm();
        }
        let [a, b] = [i.saturating_sub(1), (i + 1).min(raised.len() - 1)];
        line.places.push((s, raised[i], (raised[b] - raised[a]).normalize()));
    }
    line
}

#[test]
fn moved_curves_come_back_in_both_dialects() {
    let text = door();
    let (kbl, plan) = planned(&text);
    let moved = plan.cables.iter().position(|own| own.name == "to the lock").unwrap();
    let line = bowed(&plan.cables[moved]);
    let clips = vec![(0, 0.55)];
    let mut changes = vec![Change::default(); plan.cables.len()];
    changes[moved] = Change { line: Some(line.clone()), longer: 4e-3, clips };
    for dialect in [None, Some(Dialect::Clamped), Some(Dialect::Unclamped)] {
        let wishes = Wishes { dialect, tolerance: 1e-6, ..wishes() };
        let decoded = Text::decode(text.as_bytes()).unwrap();
        let made = write_back(&decoded, &kbl, &plan, &changes, &wishes).unwrap();
        assert!(made.off <= 1e-6, "{dialect:?}: {}", made.off);
        let again = Kbl::read(&made.bytes).unwrap();
        let course = Course::of(&again, &again.segments[plan.cables[moved].segment]);
        assert_eq!(course.dialect, Some(dialect.unwrap_or(Dialect::Clamped)));
        // As it was asked for, and as was fitted: nine decimals of a millimetre.
        for (s, p, _) in line.places.iter().step_by(7) {
            let near =
                course.points.windows(2).map(|w| to_segment(p, &w[0], &w[1])).fold(f64::INFINITY, f64::min);
            assert!(near < 3e-6, "{dialect:?}, {s}: {near}");
        }
        let segment = &again.segments[plan.cables[moved].segment];
        assert!(
            (segment.virtual_length.unwrap()
                - kbl.segments[plan.cables[moved].segment].virtual_length.unwrap()
                - 4e-3)
                .abs()
                < 1e-9
        );
        assert!((segment.fixings[0].location - 0.55).abs() < 1e-9);
        // Wires through it are longer by as much, others are not.
        for (old, new) in kbl.connections.iter().zip(&again.connections) {
            let through = old.segments.as_ref().unwrap().contains(&plan.cables[moved].segment);
            let more = again.drawn_length(new).unwrap() - kbl.drawn_length(old).unwrap();
            assert!((more - if through { 4e-3 } else { 0.0 }).abs() < 1e-9);
        }
        // The other segments are where they were, to the last digit.
        for (old, new) in kbl.segments.iter().zip(&again.segments).filter(|(old, _)| old.id != segment.id) {
            assert_eq!(old.curves[0].points, new.curves[0].points);
            assert_eq!(old.virtual_length, new.virtual_length);
        }
    }
}

fn to_segment(p: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    let d = b - a;
    let t = ((p - a).dot(&d) / d.norm_squared().max(1e-30)).clamp(0.0, 1.0);
    (p - a - d * t).norm()
}

#[test]
fn unclamped_curves_are_told_from_clamped_ones() {
    // Every curve of the door is a cubic Bézier; the same curves with uniform knots have other points.
    let (kbl, plan) = planned(&door());
    let mut changes = vec![Change::default(); plan.cables.len()];
    for (own, change) in plan.cables.iter().zip(&mut changes) {
        let places = own.course.even(400);
        let at = |i: usize| own.course.length() * i as f64 / 400.0;
        change.line =
            Some(Line { places: places.iter().enumerate().map(|(i, (p, t))| (at(i), *p, *t)).collect() });
    }
    let wishes = Wishes { dialect: Some(Dialect::Unclamped), tolerance: 1e-6, ..wishes() };
    let made = write_back(&Text::decode(door().as_bytes()).unwrap(), &kbl, &plan, &changes, &wishes).unwrap();
    let again = Kbl::read(&made.bytes).unwrap();
    for (i, own) in plan.cables.iter().enumerate() {
        let course = Course::of(&again, &again.segments[own.segment]);
        assert_eq!(course.dialect, Some(Dialect::Unclamped), "{i}");
        assert!((course.length() - own.course.length()).abs() < 1e-5);
    }
}

#[test]
fn reserve_is_written_once_and_renewed() {
    let (kbl, plan) = planned(&door());
    let reserve = Some(Reserve { share: 0.03, per_end: 0.02, round: 0.005 });
    let changes = vec![Change::default(); plan.cables.len()];
    let wishes = Wishes { reserve, ..wishes() };
    let first =
        write_back(&Text::decode(door().as_bytes()).unwrap(), &kbl, &plan, &changes, &wishes).unwrap();
    assert_eq!(first.added["Length_information"], 9);
    assert_eq!(first.added["Processing_information"], 9);
    let again = Kbl::read(&first.bytes).unwrap();
    let of = |own: &Wire| own.lengths.iter().find(|own| own.0 == "Flexline").map(|own| own.1);
    // 512.067 mm: 1.03 times that and 40 mm are 567.43 mm, rounded up to 5 mm.
    assert!((of(&again.wires[0]).unwrap() - 0.570).abs() < 1e-9, "{:?}", again.wires[0].lengths);
    let plan = Plan::new(&again, &[]).unwrap();
    let second = write_back(&Text::decode(&first.bytes).unwrap(), &again, &plan, &changes, &wishes).unwrap();
    assert!(second.bytes == first.bytes && second.added.is_empty());
}

#[test]
fn the_cut_list_follows_the_lengths() {
    let (kbl, plan) = planned(&door());
    let reserve = Reserve { share: 0.0, per_end: 0.0, round: 0.0 };
    let mut longer = vec![0.0; plan.cables.len()];
    longer[1] = 0.01;
    let list = CutList::new(&kbl, &plan, &longer, &reserve);
    assert_eq!((list.wires.len(), list.placed.len()), (9, 6));
    assert!((list.wires[0].length.unwrap() - 522.067).abs() < 1e-6);
    assert_eq!(list.wires[0].ends, ["X1:1", "X2:1"]);
    assert_eq!(list.to_csv().lines().count(), 16);
    assert!(wireviz(&kbl, &plan, &longer).contains("length: 0.5221 m"));
}

#[test]
fn what_is_broken_is_refused_with_its_place() {
    let door = door();
    let cases: Vec<(String, &str)> = vec![
        (door.replacen("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"b\">]>", 1), "DTD"),
        (door.replacen("<Start_node>N3</Start_node>", "<Start_node>N33</Start_node>", 1), "'N33', which is not in the file"),
        (door.replacen("<Start_node>N3</Start_node>", "", 1), "has no Start_node"),
        (door.replacen("97.959</Value_component>\n\t\t</Virtual_length>", "0</Value_component>\n\t\t</Virtual_length>", 1), "not above zero"),
        (door.replacen("<Control_points>P9 P10 P11 P12</Control_points>", "<Control_points></Control_points>", 1), "has 0 points"),
        (door.replacen("<Si_prefix>milli</Si_prefix>", "<Si_prefix>parsec</Si_prefix>", 1), "is not known"),
        (door.replacen("KBL2.3/KBLSchema", "KBL9/KBLSchema", 1), "the namespace is"),
        (door.replacen("<Degree>3</Degree>", "<Degree>300000000</Degree>", 1), "expected 1 to 25"),
        (door.replacen("<Coordinates>1200</Coordinates>", "<Coordinates>NaN</Coordinates>", 1), "expected a number"),
        (door.replacen("id=\"N2\"", "id=\"N1\"", 1), "is there twice"),
        (door.replacen("<Segments>S1 S2 S3</Segments>", "<Segments>S1 S9</Segments>", 1), "'S9'"),
        (door.replacen("</kbl:KBL_container>", "", 1), "this is not XML"),
        ("<VecContent xmlns=\"http://www.prostep.org/ecad-if/2011/vec\"><VecVersion>1.2.0</VecVersion></VecContent>".into(), "this is VEC 1.2.0"),
        ("<svg/>".into(), "<svg>"),
        (door.replacen("UTF-8", "EBCDIC-1047", 1), "encoding"),
    ];
    for (text, word) in cases {
        let error = Kbl::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(word), "{word}: {error}");
    }
}

#[test]
fn a_ring_of_segments_is_allowed() {
    // The branch to the lock leads back to the first branch.
    let text = door().replacen("<End_node>N6</End_node>", "<End_node>N3</End_node>", 1);
    let (kbl, plan) = planned(&text);
    assert_eq!(plan.cables.len(), 7);
    // Its curve leads elsewhere.
    assert_eq!(Report::new(&kbl, &plan).missing().len(), 1);
}

#[test]
fn a_curve_that_misses_is_told_and_left_aside() {
    let text = door().replacen(
        "<End_node>N4</End_node>\n\t\t<Start_node>N3</Start_node>",
        "<End_node>N7</End_node>\n\t\t<Start_node>N3</Start_node>",
        1,
    );
    let (kbl, plan) = planned(&text);
    let report = Report::new(&kbl, &plan);
    assert_eq!(report.missing().len(), 1);
    let own = plan.cables.iter().find(|own| own.name == "to the window motor").unwrap();
    assert_eq!(own.course.dialect, None);
    let ends = kbl.segments[own.segment].nodes.map(|i| kbl.nodes[i].at);
    assert!((own.course.points[0] - ends[0]).norm() < 1e-12);
    assert!((own.course.points[own.course.points.len() - 1] - ends[1]).norm() < 1e-12);
}

//! What a form board must keep: lengths, and nothing across anything.

use super::layout::distance;
use super::*;

fn node(name: &str) -> BoardNode {
    BoardNode { name: name.into(), component: (!name.starts_with('B')).then(|| "connector".into()) }
}

fn segment(name: &str, length: f64, nodes: [usize; 2]) -> BoardSegment {
    BoardSegment {
        name: name.into(),
        length,
        nodes,
        diameter: 8.0,
        wires: Some(3),
        fixings: Vec::new(),
        covers: Vec::new(),
    }
}

/// A tree grown by a seeded rule, with some rings.
fn grown(count: usize, seed: u64) -> Board {
    let mut state = seed;
    let mut next = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut board = Board { title: "grown".into(), angle: 45.0, tolerance: 5.0, ..Board::default() };
    board.nodes.push(node("B0"));
    for i in 1..=count {
        board.nodes.push(node(&format!("B{i}")));
        let from = if next(3) == 0 { i - 1 } else { next(i) };
        board.segments.push(segment(&format!("S{i}"), 20.0 + next(400) as f64, [from, i]));
    }
    for i in 0..count / 20 {
        let [a, b] = [next(count), next(count)];
        if a != b {
            board.segments.push(segment(&format!("R{i}"), 35.0, [a, b]));
        }
    }
    board
}

fn assert_flat(board: &Board, laid: &Laid) {
    let long = |own: &[[f64; 2]; 2]| (own[1][0] - own[0][0]).hypot(own[1][1] - own[0][1]);
    for (own, ends) in board.segments.iter().zip(&laid.ends) {
        assert!((long(ends) - own.length).abs() < 1e-6, "{}", own.name);
    }
    let meets = |a: &[[f64; 2]; 2], b: &[[f64; 2]; 2]| {
        a.iter().any(|p| b.iter().any(|q| (p[0] - q[0]).hypot(p[1] - q[1]) < 1e-6))
    };
    for i in 0..laid.ends.len() {
        for j in 0..i {
            let (a, b) = (&laid.ends[i], &laid.ends[j]);
            assert!(
                meets(a, b) || distance(a, b) > 0.0,
                "{} and {}",
                board.segments[i].name,
                board.segments[j].name
            );
        }
    }
}

#[test]
fn trees_and_rings_lie_flat_without_crossing() {
    for seed in 0..12 {
        let board = grown(10 + 12 * seed as usize, seed);
        let (_, laid) = board.sheet();
        assert_flat(&board, &laid);
    }
}

#[test]
fn a_bush_without_room_is_laid_in_wedges() {
    // 60 branches from one node: no angle of 12° is left for each.
    let mut board = Board { angle: 45.0, ..Board::default() };
    board.nodes.push(node("B0"));
    for i in 1..=60 {
        board.nodes.push(node("X"));
        board.segments.push(segment(&format!("S{i}"), 100.0 + i as f64, [0, i]));
    }
    let (_, laid) = board.sheet();
    assert!(laid.wedges);
    assert_flat(&board, &laid);
}

#[test]
fn branches_leave_at_the_angle_asked_for() {
    let mut board = Board { angle: 30.0, ..Board::default() };
    board.nodes.extend(["X1", "B", "X2", "X3"].map(node));
    board.segments =
        vec![segment("a", 300.0, [0, 1]), segment("b", 300.0, [1, 2]), segment("c", 100.0, [1, 3])];
    let (_, laid) = board.sheet();
    let way = |i: usize, from: usize| {
        let own = laid.ends[i];
        [own[1 - from][0] - own[from][0], own[1 - from][1] - own[from][1]]
    };
    let angle = |u: [f64; 2], v: [f64; 2]| {
        (u[0] * v[1] - u[1] * v[0]).atan2(u[0] * v[0] + u[1] * v[1]).to_degrees().abs()
    };
    // The way straight on is a or b, whichever end was taken first; the branch leaves 30° off it.
    let (a, b, c) = (way(0, 1), way(1, 0), way(2, 0));
    assert!((angle(a, b) - 180.0).abs() < 1e-9);
    assert!([angle(a, c), angle(b, c)].iter().any(|own| (own - 30.0).abs() < 1e-9));
}

#[test]
fn pages_are_as_large_as_the_paper() {
    let board = grown(40, 3);
    let (sheet, _) = board.sheet();
    let [across, up] = sheet.pages(Paper::A4);
    let file = sheet.to_pdf(Paper::A4).unwrap();
    let text = String::from_utf8_lossy(&file);
    assert_eq!(text.matches("/Type /Page ").count(), across * up);
    assert_eq!(text.matches("/MediaBox [0 0 841.88976 595.27559]").count(), across * up);
    let svg = sheet.to_svg();
    assert!(
        svg.contains(&format!("width=\"{}mm\"", sheet.width))
            && svg.contains(&format!("viewBox=\"0 0 {} ", sheet.width))
    );
    assert!(sheet.to_dxf().contains("$INSUNITS\n 70\n4\n"));
}

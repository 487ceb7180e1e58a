//! Pairs of segments.

use super::*;
use crate::contact::{MovingRod, PairHessian, PairSearch, SegmentOf, segment_pair, segment_pair_at};

fn ends(r: &mut Random) -> [Vec3; 2] {
    [r.vector(), r.vector()]
}

#[test]
fn the_nearest_places_are_found() {
    let mut r = Random::new(31);
    let mut inside = 0;
    for k in 0..5000 {
        let (a, mut b) = (ends(&mut r), ends(&mut r));
        if k % 5 == 0 {
            // Nearly parallel.
            let aside = r.vector();
            b = [a[0] + aside, a[1] + aside + 10_f64.powf(-8.0 * r.signed().abs()) * r.vector()];
        }
        let pair = segment_pair(a, b);
        let square = |s: f64, t: f64| (a[0] + (a[1] - a[0]) * s - b[0] - (b[1] - b[0]) * t).norm();
        let mut least = f64::INFINITY;
        for s in 0..=100 {
            let p = a[0] + (a[1] - a[0]) * (s as f64 / 100.0);
            let along = b[1] - b[0];
            let t = ((p - b[0]).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
            least = least.min(square(s as f64 / 100.0, t));
        }
        assert!(pair.distance <= least * (1.0 + 2e-5), "{a:?} {b:?} {pair:?} {least}");
        let [s, t] = pair.shares;
        assert!((square(s, t) - pair.distance).abs() < 1e-14, "{pair:?}");
        assert!((pair.points[0] - pair.points[1] - pair.normal * pair.distance).norm() < 1e-14);
        if s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 && pair.side_by_side.is_none() {
            inside += 1;
            assert!(
                pair.normal.dot(&(a[1] - a[0])).abs() < 1e-9 && pair.normal.dot(&(b[1] - b[0])).abs() < 1e-9
            );
        }
    }
    assert!(inside > 500, "{inside}");
}

#[test]
fn derivatives_agree_with_differences() {
    let mut r = Random::new(32);
    let mut kinds = [0; 4];
    for k in 0..400 {
        let (a, b) = (ends(&mut r), ends(&mut r));
        let held = k % 4 == 0;
        let of = |q: &[Vec3; 4]| {
            if held {
                segment_pair_at([q[0], q[1]], [q[2], q[3]], 0.3)
            } else {
                segment_pair([q[0], q[1]], [q[2], q[3]])
            }
        };
        let q = [a[0], a[1], b[0], b[1]];
        let pair = of(&q);
        let free = |s: f64| (s > 0.0 && s < 1.0) as usize;
        let near_end = pair.shares.iter().any(|s| (*s > 0.0 && *s < 1e-3) || (*s < 1.0 && *s > 0.999));
        let sine = (a[1] - a[0]).normalize().cross(&(b[1] - b[0]).normalize()).norm();
        if near_end || pair.distance < 0.05 || sine < 0.1 || pair.side_by_side.is_some() {
            continue;
        }
        kinds[if held { 3 } else { free(pair.shares[0]) + free(pair.shares[1]) }] += 1;
        let step = 1e-5;
        let moved = |i: usize, by: f64| {
            let mut q = q;
            q[i / 3][i % 3] += by;
            of(&q)
        };
        let mut numeric = PairHessian::zeros();
        for i in 0..12 {
            let (plus, minus) = (moved(i, step), moved(i, -step));
            let slope = (plus.distance - minus.distance) / (2.0 * step);
            assert!((slope - pair.gradient()[i / 3][i % 3]).abs() < 1e-7, "{pair:?} {i} {slope}");
            for j in 0..12 {
                let change = plus.gradient()[j / 3][j % 3] - minus.gradient()[j / 3][j % 3];
                numeric[(i, j)] = change / (2.0 * step);
            }
        }
        let hessian = pair.hessian();
        assert!((hessian - hessian.transpose()).norm() < 1e-10 * (1.0 + hessian.norm()), "{pair:?}");
        // Truncation: third derivatives go with the fourth power of 1/sine.
        let tolerance = 1e-6 * (1.0 + hessian.norm().powi(3));
        assert!((numeric - hessian).norm() < tolerance, "{pair:?} {numeric} {hessian}");
    }
    assert!(kinds.iter().all(|&k| k > 5), "{kinds:?}");
}

#[test]
fn parallel_segments_are_told() {
    let a = [Vec3::zeros(), Vec3::x()];
    let aside = Vec3::new(0.3, 0.01, 0.02);
    for tilt in [0.0, 1e-12, 1e-5] {
        let b = [aside + Vec3::x() + Vec3::new(0.0, tilt, 0.0), aside];
        let pair = segment_pair(a, b);
        let [low, high] = pair.side_by_side.unwrap();
        assert!((low[0] - 0.3).abs() < 1e-4 && (low[1] - 1.0).abs() < 1e-4, "{pair:?}");
        assert!((high[0] - 1.0).abs() < 1e-4 && (high[1] - 0.3).abs() < 1e-4, "{pair:?}");
        assert!(pair.shares[0] > 0.2999 && (pair.distance - 0.0005_f64.sqrt()).abs() < 1e-4);
        assert!(pair.hessian().iter().all(|c| c.is_finite()) && pair.hessian().norm() < 1e3, "{pair:?}");
    }
    // One behind the other there is one nearest place.
    let pair = segment_pair(a, [Vec3::new(1.2, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0)]);
    assert!(pair.side_by_side.is_none() && pair.shares == [1.0, 0.0], "{pair:?}");
    // Points, and segments through each other.
    let point = [Vec3::y(); 2];
    assert!((segment_pair(a, point).distance - 1.0).abs() < 1e-15);
    assert!((segment_pair(point, a).distance - 1.0).abs() < 1e-15);
    let crossed = segment_pair(a, [Vec3::new(0.5, -1.0, 0.0), Vec3::new(0.5, 1.0, 0.0)]);
    assert!(
        crossed.distance == 0.0
            && (crossed.normal.z.abs() - 1.0).abs() < 1e-12
            && crossed.hessian().norm() == 0.0
    );
}

/// All pairs, one by one.
fn slow(rods: &[MovingRod<'_>]) -> Vec<[SegmentOf; 2]> {
    let mut all = Vec::new();
    for (rod, moving) in rods.iter().enumerate() {
        for segment in 0..moving.segments() {
            all.push((SegmentOf { rod: rod as u32, segment: segment as u32 }, moving));
        }
    }
    let extent = |of: &SegmentOf, rod: &MovingRod<'_>| {
        let (k, n) = (of.segment as usize, rod.from.len());
        let corners = [rod.from[k], rod.from[(k + 1) % n], rod.to[k], rod.to[(k + 1) % n]];
        let low = corners.iter().fold(Vec3::repeat(f64::INFINITY), |m, p| m.inf(p));
        let high = corners.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |m, p| m.sup(p));
        (low, high)
    };
    let mut out = Vec::new();
    for (i, (p, a)) in all.iter().enumerate() {
        for (q, b) in &all[i + 1..] {
            let ((low, high), (other_low, other_high)) = (extent(p, a), extent(q, b));
            let reach = a.reach + b.reach;
            if (0..3).any(|k| low[k] > other_high[k] + reach || other_low[k] > high[k] + reach) {
                continue;
            }
            if p.rod == q.rod {
                let way = |from: usize, to: usize| -> f64 {
                    let n = a.from.len();
                    (from..to).map(|k| (a.from[(k + 1) % n] - a.from[k % n]).norm()).sum()
                };
                let (i, j) = (p.segment as usize, q.segment as usize);
                let around = if a.closed { way(j + 1, a.segments() + i) } else { f64::INFINITY };
                let neighbours = j == i + 1 || (a.closed && i == 0 && j + 1 == a.segments());
                if neighbours || way(i + 1, j).min(around) < a.apart {
                    continue;
                }
            }
            out.push([*p, *q]);
        }
    }
    out
}

#[test]
fn pairs_are_those_of_all_against_all() {
    let mut r = Random::new(33);
    let mut search = PairSearch::default();
    let (mut found, mut most) = (Vec::new(), 0);
    for k in 0..300 {
        // Sizes that stay for a while, so that the hierarchy is kept, with one of a single segment and one of none.
        let sizes: &[usize] = if k < 200 {
            &[30, 12, 2, 1]
        } else if k < 210 {
            &[2]
        } else {
            &[8, 25]
        };
        let walk = |r: &mut Random, count: usize| {
            let mut at = r.vector();
            (0..count)
                .map(|_| {
                    at += 0.2 * r.vector();
                    at
                })
                .collect::<Vec<_>>()
        };
        let nodes: Vec<[Vec<Vec3>; 2]> = sizes
            .iter()
            .map(|&n| {
                let from = walk(&mut r, n);
                let to = from.iter().map(|p| p + 0.1 * r.vector()).collect();
                [from, to]
            })
            .collect();
        let rods: Vec<MovingRod<'_>> = nodes
            .iter()
            .enumerate()
            .map(|(i, [from, to])| MovingRod { from, to, reach: 0.02, closed: i == 1, apart: 0.4 })
            .collect();
        search.find(&rods, &mut found);
        assert_eq!(found, slow(&rods), "{k}");
        most = most.max(found.len());
    }
    assert!(most > 50, "{most}");
    search.find(&[], &mut found);
    assert!(found.is_empty());
}

/// A node that is no number is in no pair, and hides none.
#[test]
fn nodes_that_are_no_numbers_hide_nothing() {
    let line = |y: f64| (0..20).map(|k| Vec3::new(k as f64, y, 0.0)).collect::<Vec<_>>();
    let (a, mut b) = (line(0.0), line(0.1));
    b[7].z = f64::NAN;
    let rod = |nodes| MovingRod { from: nodes, to: nodes, reach: 0.1, closed: false, apart: 100.0 };
    let mut found = Vec::new();
    PairSearch::default().find(&[rod(&a), rod(&b)], &mut found);
    let with = |k: u32| found.iter().filter(|pair| pair[1].segment == k).count();
    assert_eq!((with(5), with(6), with(7), with(8)), (3, 0, 0, 3), "{found:?}");
}

/// Figures, not a test.
#[test]
#[ignore = "measures"]
fn measure_pairs() {
    let mut r = Random::new(34);
    let rods: Vec<Vec<Vec3>> = (0..20)
        .map(|_| {
            let mut at = r.vector();
            (0..=100)
                .map(|_| {
                    at += 0.02 * r.vector();
                    at
                })
                .collect()
        })
        .collect();
    let moving: Vec<MovingRod<'_>> = rods
        .iter()
        .map(|nodes| MovingRod { from: nodes, to: nodes, reach: 0.004, closed: false, apart: 0.05 })
        .collect();
    let (mut search, mut found) = (PairSearch::default(), Vec::new());
    search.find(&moving, &mut found);
    let start = std::time::Instant::now();
    for _ in 0..200 {
        search.find(&moving, &mut found);
    }
    println!("2000 segments: {:.3} ms, {} pairs", 5.0 * start.elapsed().as_secs_f64(), found.len());
}

//! How places of cables give way to small forces at places of cables, from the factors at hand.
//!
//! A force of one newton is pushed into the residual and one solve with the factors tells how everything moves. What
//! does not balance yet is taken off: the answer is linear.

use super::assemble::{choose_rows, evaluate, factorise, residual};
use super::newton::newton_step;
use super::{Network, NetworkError, NetworkState, NetworkWorkspace};
use crate::algebra::Vec3;
use nalgebra::DMatrix;

/// Displacement of every place, m, per newton at every place, along x, y and z of the world: column 3 j + c is the
/// answer to a force along axis c at place j. A place is a span and an arc length, m. The network answers as it is now:
/// eyes slide that slide, constraints hold that hold, and rope leaves its wheels where it does.
///
/// `None` where the matrix is singular: a neutral equilibrium gives way without end.
pub fn compliance(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    places: &[(usize, f64)],
) -> Result<Option<DMatrix<f64>>, NetworkError> {
    network.check_even_short()?;
    state.check(network)?;
    let fits = |k: usize, s: f64| k < network.spans.len() && (0.0..=state.free_length(k)).contains(&s);
    if let Some(index) = places.iter().position(|(k, s)| !fits(*k, *s)) {
        return Err(NetworkError::NoSuchPlace(index));
    }
    ws.read(network);
    let network = &*network.on_rims(state);
    let mut state = state.clone();
    evaluate(network, &mut state, ws);
    let penalty = ws.least_penalty();
    choose_rows(&mut state, ws, penalty);
    let residual = residual(network, &state, ws);
    let done = factorise(network, &state, ws, 0.0).map(|_| {
        let share = |k: usize, s: f64| s / state.free_length(k);
        let step = |ws: &mut NetworkWorkspace| -> Vec<Vec3> {
            newton_step(network, &state, ws, &residual);
            let moved = |(k, s): &(usize, f64)| ws.spans[*k].kernel.moved(&state.spans[*k], share(*k, *s));
            places.iter().map(moved).collect()
        };
        let rest = step(ws);
        let mut answer = DMatrix::zeros(3 * places.len(), 3 * places.len());
        for (j, (k, s)) in places.iter().enumerate() {
            for axis in 0..3 {
                ws.spans[*k].push(&[(share(*k, *s), Vec3::ith(axis, 1.0))]);
                for (i, (moved, rest)) in step(ws).iter().zip(&rest).enumerate() {
                    answer.fixed_view_mut::<3, 1>(3 * i, 3 * j + axis).copy_from(&(moved - rest));
                }
                ws.spans[*k].push(&[]);
            }
        }
        answer
    });
    ws.leave_residual(residual);
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use crate::body::Tap;
    use crate::rod::Rod;
    use crate::solver::network::solve_network;
    use crate::solver::report::Status;
    use crate::solver::settings::Settings;

    /// The answer is that of the whole problem solved again with small forces, for every model, through parts and
    /// eyes, and symmetric.
    #[test]
    fn a_small_force_moves_places_as_compliance_says() {
        let settings = Settings { force_tolerance: 1e-10, ..Settings::default() };
        let mut tried = 0;
        let threaded = testing::MODELS.map(|model| (format!("{model} threaded"), testing::threaded(model)));
        for (name, mut network) in testing::networks().into_iter().chain(threaded) {
            testing::make_equal(&mut network);
            let mut state = NetworkState::initial(&network);
            let mut ws = NetworkWorkspace::new(&network);
            let report = solve_network(&network, &mut state, &mut ws, &settings).expect("sound network");
            if report.status != Status::Converged || report.negative > 0 || !network.wheels.is_empty() {
                assert!(!name.ends_with("threaded"), "{name}: {:?} {}", report.status, report.negative);
                continue;
            }
            tried += 1;
            let places = [(0, 0.4 * state.free_length(0)), (1, 0.7 * state.free_length(1))];
            let found = compliance(&network, &state, &mut ws, &places)
                .expect("sound network")
                .unwrap_or_else(|| panic!("{name}: singular"));
            let size = found.amax();
            // As far as the quadrature of helices and clothoids is exact.
            assert!((&found - found.transpose()).amax() < 1e-6 * size, "{name}: {found:.6}");
            let h = 1e-4 / size;
            for (j, (k, s)) in places.iter().enumerate() {
                let moved = |sign: f64| -> Vec<Vec3> {
                    let force = Vec3::new(0.6, 0.0, 0.8) * (sign * h);
                    let tap = Tap::force(s / state.free_length(*k), Vec3::zeros(), force);
                    let (before, mut state) = (&state, state.clone());
                    let mut ws = NetworkWorkspace::new(&network);
                    ws.spans[*k].kernel.taps().places.push(tap);
                    let report =
                        solve_network(&network, &mut state, &mut ws, &settings).expect("sound network");
                    assert_eq!(report.status, Status::Converged, "{name}");
                    let place = |(k, s): &(usize, f64)| {
                        network.rod(&state, *k).place(&state.spans[*k].rod, s / before.free_length(*k))
                    };
                    places.iter().map(place).collect()
                };
                let (plus, minus) = (moved(1.0), moved(-1.0));
                for i in 0..places.len() {
                    let numeric = (plus[i] - minus[i]) / (2.0 * h);
                    let exact: Vec3 = found.fixed_view::<3, 3>(3 * i, 3 * j) * Vec3::new(0.6, 0.0, 0.8);
                    assert!((numeric - exact).norm() < 1e-3 * size, "{name} {i} {j}: {numeric} {exact}");
                }
            }
        }
        assert!(tried >= 13, "{tried}");
    }

    /// A spring at a place gives what compliance and spring give in series.
    #[test]
    fn a_tap_stiffens_its_place() {
        for model in testing::MODELS {
            let network = testing::cantilever(model, 12);
            let mut state = NetworkState::initial(&network);
            let mut ws = NetworkWorkspace::new(&network);
            let settings = Settings::default();
            solve_network(&network, &mut state, &mut ws, &settings).expect("sound network");
            let share = 0.63;
            let place = [(0, share * network.spans[0].rod.length())];
            let free = compliance(&network, &state, &mut ws, &place).unwrap().expect("regular");
            let x = network.rod(&state, 0).place(&state.spans[0].rod, share);
            ws.spans[0].kernel.taps().places = vec![Tap::spring(share, x, 7.0)];
            ws.spans[0].forget();
            let held = compliance(&network, &state, &mut ws, &place).unwrap().expect("regular");
            let expected = (free.clone().try_inverse().expect("regular") + DMatrix::identity(3, 3) * 7.0)
                .try_inverse()
                .expect("regular");
            assert!((&held - &expected).amax() < 1e-7 * free.amax(), "{model}: {held} {expected}");
        }
    }
}

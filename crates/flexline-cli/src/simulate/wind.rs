//! Wind of a run: a velocity of the air, gusts, and a smooth start.

use crate::failure::Failure;
use flexline::Vec3;
use flexline_scene::harness::smooth;
use std::f64::consts::TAU;

/// Time in which the wind rises from nothing, s.
const RISE: f64 = 1.0;
/// Faster than any wind on the ground, m/s: more is a mistake in units.
const FASTEST: f64 = 200.0;

/// Wind over time.
#[derive(Clone, Copy, Debug)]
pub struct Wind {
    /// Mean velocity, m/s.
    mean: Vec3,
    /// Period of the gusts, s, and their share of the mean.
    gust: Option<[f64; 2]>,
}

fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let values: Result<Vec<f64>, _> = text.split(',').map(|v| v.trim().parse::<f64>()).collect();
    values.ok()?.try_into().ok().filter(|v: &[f64; N]| v.iter().all(|x| x.is_finite()))
}

impl Wind {
    /// From `--wind X,Y,Z` and `--gust PERIOD,SHARE`.
    pub fn parse(wind: Option<&str>, gust: Option<&str>, drag: f64) -> Result<Self, Failure> {
        let Some(text) = wind else {
            return match gust {
                Some(g) => {
                    Err(Failure::Input(format!("--gust {g}: there is no wind to vary; give --wind X,Y,Z")))
                }
                None => Ok(Self { mean: Vec3::zeros(), gust: None }),
            };
        };
        let [x, y, z] = numbers(text).ok_or_else(|| {
            Failure::Input(format!("--wind {text}: expected X,Y,Z in metres per second, as in 3,0,0"))
        })?;
        let mean = Vec3::new(x, y, z);
        if mean.norm() > FASTEST {
            return Err(Failure::Input(format!("--wind {text}: expected at most {FASTEST} m/s")));
        }
        if drag == 0.0 && mean != Vec3::zeros() {
            return Err(Failure::Input(format!(
                "--wind {text}: without drag the wind moves nothing; give a --drag above zero"
            )));
        }
        let gust = gust.map(|g| match numbers(g) {
            Some([period, share]) if period > 0.0 && (0.0..=10.0).contains(&share) => Ok([period, share]),
            _ => Err(Failure::Input(format!(
                "--gust {g}: expected PERIOD,SHARE, a time in seconds above zero and a share of the wind from 0 to 10, \
                 as in 2,0.5"
            ))),
        });
        Ok(Self { mean, gust: gust.transpose()? })
    }

    /// Velocity of the air at a time, m/s.
    pub fn at(&self, time: f64) -> Vec3 {
        let gust = self.gust.map_or(0.0, |[period, share]| share * (TAU * time / period).sin());
        self.mean * (smooth(time / RISE) * (1.0 + gust))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wind_rises_and_comes_in_gusts() {
        let wind = Wind::parse(Some("3,-1,0"), Some("4,0.5"), 0.02).expect("sound wind");
        assert_eq!(wind.at(0.0), Vec3::zeros());
        assert!((wind.at(9.0) - 1.5 * wind.mean).norm() < 1e-12);
        assert!((wind.at(11.0) - 0.5 * wind.mean).norm() < 1e-12);
        let still = Wind::parse(None, None, 0.0).expect("no wind");
        assert_eq!(still.at(5.0), Vec3::zeros());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (wind, gust, drag) in [
            (Some("3,0"), None, 0.02),
            (Some("a,b,c"), None, 0.02),
            (Some("1e9,0,0"), None, 0.02),
            (Some("NaN,0,0"), None, 0.02),
            (Some("3,0,0"), None, 0.0),
            (Some("3,0,0"), Some("0,0.5"), 0.02),
            (Some("3,0,0"), Some("2,-1"), 0.02),
            (None, Some("2,0.5"), 0.02),
        ] {
            assert!(Wind::parse(wind, gust, drag).is_err(), "{wind:?} {gust:?} {drag}");
        }
    }
}

//! How a parameter is spread.

use super::normal;

/// A distribution, in the unit of its parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Normal, cut off at both ends where these are finite.
    Normal {
        /// Mean before it is cut.
        mean: f64,
        /// Standard deviation before it is cut.
        deviation: f64,
        /// From where to where.
        within: [f64; 2],
    },
    /// Alike everywhere between two ends.
    Uniform([f64; 2]),
    /// Rising from the first to the second and falling to the third.
    Triangular([f64; 3]),
    /// One of these, with its share.
    Discrete(Vec<(f64, f64)>),
}

/// Nobody counts on values that are rarer than this either way.
const RARE: f64 = 1e-9;

impl Distribution {
    /// The value below which a share of all lies.
    pub fn quantile(&self, share: f64) -> f64 {
        match self {
            Self::Normal { mean, deviation, within } => {
                let [low, high] = within.map(|end| normal::below((end - mean) / deviation));
                let own = mean + deviation * normal::quantile(low + share * (high - low));
                own.clamp(within[0], within[1])
            }
            Self::Uniform([low, high]) => low + share * (high - low),
            Self::Triangular([low, mode, high]) => {
                let turn = (mode - low) / (high - low);
                if share < turn {
                    low + (share * (high - low) * (mode - low)).sqrt()
                } else {
                    high - ((1.0 - share) * (high - low) * (high - mode)).sqrt()
                }
            }
            Self::Discrete(values) => {
                let total: f64 = values.iter().map(|own| own.1).sum();
                let mut sum = 0.0;
                let found = values.iter().find(|(_, weight)| {
                    sum += weight;
                    share * total < sum
                });
                found.or(values.last()).map_or(0.0, |own| own.0)
            }
        }
    }

    /// The least and the largest value that count.
    pub fn extremes(&self) -> [f64; 2] {
        match self {
            Self::Discrete(values) => {
                let all = values.iter().map(|own| own.0);
                [all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max)]
            }
            _ => [self.quantile(RARE), self.quantile(1.0 - RARE)],
        }
    }
}

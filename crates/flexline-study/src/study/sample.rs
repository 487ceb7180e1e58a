//! Points in the unit cube: at random, Latin hypercubes, Sobol's sequence, grids. Every number depends on the seed, its row and
//! its column alone, never on who asks first.

use super::normal;

/// Primitive polynomials over GF(2) without their ends, and first direction numbers, one line for every dimension from the
/// second (Joe and Kuo, SIAM J. Sci. Comput. 30, 2008).
const DIRECTIONS: [(u32, u32, &[u32]); 20] = [
    (1, 0, &[1]),
    (2, 1, &[1, 3]),
    (3, 1, &[1, 3, 1]),
    (3, 2, &[1, 1, 1]),
    (4, 1, &[1, 1, 3, 3]),
    (4, 4, &[1, 3, 5, 13]),
    (5, 2, &[1, 1, 5, 5, 17]),
    (5, 4, &[1, 1, 5, 5, 5]),
    (5, 7, &[1, 1, 7, 11, 19]),
    (5, 11, &[1, 1, 5, 1, 1]),
    (5, 13, &[1, 1, 1, 3, 11]),
    (5, 14, &[1, 3, 5, 5, 31]),
    (6, 1, &[1, 3, 3, 9, 7, 49]),
    (6, 13, &[1, 1, 1, 15, 21, 21]),
    (6, 16, &[1, 3, 1, 13, 27, 49]),
    (6, 19, &[1, 1, 1, 15, 7, 5]),
    (6, 22, &[1, 3, 1, 15, 13, 25]),
    (6, 25, &[1, 1, 5, 5, 19, 61]),
    (7, 1, &[1, 3, 7, 11, 23, 15, 103]),
    (7, 4, &[1, 3, 7, 13, 13, 15, 69]),
];

/// Sobol's sequence has as many dimensions here.
pub const MOST_SOBOL: usize = DIRECTIONS.len() + 1;

/// A number of 64 bits that depends on all of these, and looks like chance (the finaliser of SplitMix64, chained).
pub fn mixed(seed: u64, stream: u64, index: u64) -> u64 {
    let step = |mut z: u64| {
        z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    step(step(step(seed) ^ stream) ^ index)
}

/// The same as a number in the open unit interval.
pub fn uniform(seed: u64, stream: u64, index: u64) -> f64 {
    ((mixed(seed, stream, index) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// How points are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Independent.
    Random,
    /// Each column has one point in each of as many equal parts as there are rows.
    LatinHypercube,
    /// Sobol's sequence, shifted digit by digit.
    Sobol,
    /// All combinations of so many levels of each.
    Grid,
}

/// Points in the unit cube of so many columns.
#[derive(Clone, Debug)]
pub struct Points {
    method: Method,
    seed: u64,
    rows: usize,
    /// Of a Latin hypercube, the part of every row, column by column.
    parts: Vec<Vec<u32>>,
    /// Of Sobol's sequence, the direction numbers of every column.
    directions: Vec<[u32; 32]>,
    /// Of a grid, the levels.
    levels: Vec<usize>,
}

impl Points {
    /// So many points in as many dimensions as there are `levels`, which a grid alone looks at.
    pub fn new(method: Method, seed: u64, rows: usize, levels: &[usize]) -> Self {
        let columns = levels.len();
        let mut own =
            Self { method, seed, rows, parts: Vec::new(), directions: Vec::new(), levels: levels.to_vec() };
        match method {
            Method::LatinHypercube => {
                own.parts = (0..columns).map(|column| shuffled(rows, seed, column)).collect()
            }
            Method::Sobol => own.directions = (0..columns).map(directions).collect(),
            Method::Random | Method::Grid => {}
        }
        own
    }

    /// A coordinate of a point, between 0 and 1.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        let chance = || uniform(self.seed, column as u64, row as u64);
        match self.method {
            Method::Random => chance(),
            Method::LatinHypercube => (f64::from(self.parts[column][row]) + chance()) / self.rows as f64,
            Method::Sobol => {
                let shift = (mixed(self.seed, column as u64, u64::MAX) >> 32) as u32;
                let gray = row ^ (row >> 1);
                let own = &self.directions[column];
                let digits = (0..32).filter(|k| gray >> k & 1 == 1).fold(shift, |bits, k| bits ^ own[k]);
                (f64::from(digits) + 0.5) / (1u64 << 32) as f64
            }
            Method::Grid => {
                let below: usize = self.levels[..column].iter().product();
                let level = row / below.max(1) % self.levels[column];
                (level as f64 + 0.5) / self.levels[column] as f64
            }
        }
    }
}

/// Numbers 0 … rows − 1 in an order of the seed (Fisher and Yates).
fn shuffled(rows: usize, seed: u64, column: usize) -> Vec<u32> {
    let mut all: Vec<u32> = (0..rows as u32).collect();
    for k in (1..rows).rev() {
        let chosen = mixed(seed ^ 0x1a71_11ce, column as u64, k as u64) % (k as u64 + 1);
        all.swap(k, chosen as usize);
    }
    all
}

fn directions(column: usize) -> [u32; 32] {
    let mut own = [0u32; 32];
    let Some((degree, polynomial, first)) = column.checked_sub(1).and_then(|k| DIRECTIONS.get(k)) else {
        return std::array::from_fn(|k| 1 << (31 - k));
    };
    let degree = *degree as usize;
    for k in 0..32 {
        own[k] = match first.get(k) {
            Some(m) => m << (31 - k),
            None => {
                let mut v = own[k - degree] ^ (own[k - degree] >> degree);
                for i in 1..degree {
                    if polynomial >> (degree - 1 - i) & 1 == 1 {
                        v ^= own[k - i];
                    }
                }
                v
            }
        };
    }
    own
}

/// Correlations between normal numbers, as the lower triangle of Cholesky.
#[derive(Clone, Debug)]
pub struct Copula {
    lower: Vec<Vec<f64>>,
}

impl Copula {
    /// From pairs and their correlation; `None` where no numbers are correlated like that.
    pub fn new(columns: usize, pairs: &[(usize, usize, f64)]) -> Option<Self> {
        let mut matrix = vec![vec![0.0; columns]; columns];
        (0..columns).for_each(|k| matrix[k][k] = 1.0);
        for &(a, b, own) in pairs {
            (matrix[a][b], matrix[b][a]) = (own, own);
        }
        let mut lower = vec![vec![0.0; columns]; columns];
        for i in 0..columns {
            for j in 0..=i {
                let rest = matrix[i][j] - (0..j).map(|k| lower[i][k] * lower[j][k]).sum::<f64>();
                lower[i][j] = match i == j {
                    true if rest > 1e-12 => rest.sqrt(),
                    true => return None,
                    false => rest / lower[j][j],
                };
            }
        }
        Some(Self { lower })
    }

    /// Independent shares as correlated ones; each alone is spread as before.
    pub fn apply(&self, shares: &mut [f64]) {
        let normal: Vec<f64> = shares.iter().map(|own| normal::quantile(*own)).collect();
        for (own, row) in shares.iter_mut().zip(&self.lower) {
            *own = normal::below(row.iter().zip(&normal).map(|(l, z)| l * z).sum());
        }
    }
}

//! Runs of `flexline simulate`, read by what their format promises and not by the command's own reader.

use serde_json::Value;

/// Time, kinetic, elastic and potential energy, work, dissipation.
const HEAD: usize = 6;

/// A run.
pub struct Run {
    pub header: Value,
    /// Time and energies of every frame.
    pub heads: Vec<[f64; HEAD]>,
    /// Position and quaternion of every node of every cable, then of every part, by frame.
    pub poses: Vec<Vec<[f64; 7]>>,
}

impl Run {
    /// Reads a run and asserts what every one must be: whole, in order of time, of unit quaternions.
    #[track_caller]
    pub fn read(path: &str) -> Self {
        let bytes = std::fs::read(path).expect("the run");
        let rest = bytes.strip_prefix(b"FLEXLINE-RUN 1\n").expect("its first line");
        let end = rest.iter().position(|b| *b == b'\n').expect("its second line");
        let header: Value = serde_json::from_slice(&rest[..end]).expect("a header");
        let body = &rest[end + 1..];
        let cables = header["cables"].as_array().expect("cables").iter();
        let nodes: u64 = cables.map(|c| c["nodes"].as_u64().expect("a number")).sum();
        let poses =
            usize::try_from(nodes).expect("a size") + header["parts"].as_array().expect("parts").len();
        let size = 8 * HEAD + 28 * poses;
        assert_eq!(body.len() % size, 0, "whole frames");
        let mut run = Self { header, heads: Vec::new(), poses: Vec::new() };
        for frame in body.chunks_exact(size) {
            let (head, rest) = frame.split_at(8 * HEAD);
            let f64_at = |i: usize| f64::from_le_bytes(head[8 * i..8 * i + 8].try_into().expect("8 bytes"));
            run.heads.push(std::array::from_fn(f64_at));
            let f32s = |pose: &[u8]| -> [f64; 7] {
                let at = |i: usize| f32::from_le_bytes(pose[4 * i..4 * i + 4].try_into().expect("4 bytes"));
                std::array::from_fn(|i| f64::from(at(i)))
            };
            run.poses.push(rest.chunks_exact(28).map(f32s).collect());
        }
        run.verify();
        run
    }

    #[track_caller]
    fn verify(&self) {
        assert_eq!(self.heads[0][0], 0.0, "a run begins at time 0");
        assert_eq!(self.heads[0][1], 0.0, "and at rest");
        assert!(self.heads.windows(2).all(|w| w[0][0] < w[1][0]), "times increase");
        assert!(self.heads.iter().flatten().all(|v| v.is_finite()));
        for pose in self.poses.iter().flatten() {
            assert!(pose.iter().all(|v| v.is_finite()));
            let norm: f64 = pose[3..].iter().map(|q| q * q).sum();
            assert!((norm - 1.0).abs() < 1e-5, "a unit quaternion, not of norm² {norm}");
        }
    }

    /// Where something is in a frame.
    pub fn position(&self, frame: usize, pose: usize) -> [f64; 3] {
        [0, 1, 2].map(|i| self.poses[frame][pose][i])
    }

    /// The pose of a part, which come after all nodes.
    #[track_caller]
    pub fn part(&self, name: &str) -> usize {
        let parts = self.header["parts"].as_array().expect("parts");
        let index = parts.iter().position(|p| p == name).unwrap_or_else(|| panic!("no part {name}"));
        self.poses[0].len() - parts.len() + index
    }

    /// The last frame.
    pub fn last(&self) -> usize {
        self.heads.len() - 1
    }
}

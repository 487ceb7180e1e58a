//! What other programs show: cables as tubes, at rest or frame by frame. Written as glTF, USD and VTK.

use flexline::{Quat, Vec3};

/// Cables at one or more times.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// Title of the scene.
    pub title: String,
    /// The cables.
    pub cables: Vec<Tube>,
    /// Times of the frames, s, increasing; one at rest.
    pub times: Vec<f64>,
}

/// A cable.
#[derive(Clone, Debug, PartialEq)]
pub struct Tube {
    /// Its name.
    pub name: String,
    /// Radius at every node, m.
    pub radii: Vec<f64>,
    /// Colour of every node, as of the first frame; grey where there is none.
    pub colours: Option<Vec<[u8; 3]>>,
    /// What the colours are of, and its value at every node.
    pub value: Option<(String, Vec<f64>)>,
    /// Position and frame of every node, frame by frame.
    pub frames: Vec<Vec<(Vec3, Quat)>>,
}

/// The grey of rubber.
pub(crate) const GREY: [u8; 3] = [38, 41, 46];

impl Playback {
    /// Leaves out frames that come sooner than `interval` after the one before, the last excepted.
    pub fn thin_out(&mut self, interval: f64) {
        let last = self.times.len().saturating_sub(1);
        let mut next = f64::NEG_INFINITY;
        let keep: Vec<usize> = (0..self.times.len())
            .filter(|k| {
                let wanted = self.times[*k] >= next - 1e-9 || *k == last;
                if wanted {
                    next = self.times[*k] + interval;
                }
                wanted
            })
            .collect();
        self.times = keep.iter().map(|k| self.times[*k]).collect();
        for tube in &mut self.cables {
            tube.frames = keep.iter().map(|k| tube.frames[*k].clone()).collect();
        }
    }
}

/// Names that are letters, digits and underscores, each once.
pub(crate) fn identifiers<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = std::collections::BTreeSet::new();
    names
        .map(|name| {
            let mut own: String =
                name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            if own.is_empty() || own.starts_with(|c: char| c.is_ascii_digit()) {
                own.insert(0, '_');
            }
            let (first, mut count) = (own.clone(), 1);
            while !taken.insert(own.clone()) {
                count += 1;
                own = format!("{first}_{count}");
            }
            own
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers_that_differ() {
        let names = ["a b", "a-b", "1", "", "größe"];
        assert_eq!(identifiers(names.into_iter()), ["a_b", "a_b_2", "_1", "_", "gr__e"]);
    }

    #[test]
    fn frames_are_thinned_out_to_an_interval_and_the_last_stays() {
        let node = (Vec3::zeros(), flexline::algebra::rotation::identity());
        let times: Vec<f64> = (0..=10).map(|k| 0.01 * f64::from(k)).collect();
        let frames = times.iter().map(|t| vec![(Vec3::x() * *t, node.1)]).collect();
        let tube = Tube { name: "a".into(), radii: vec![0.01], colours: None, value: None, frames };
        let mut own = Playback { title: String::new(), cables: vec![tube], times };
        own.thin_out(0.03);
        assert_eq!(own.times.len(), 5, "{:?}", own.times);
        assert!((own.times[1] - 0.03).abs() < 1e-12 && (own.times[4] - 0.1).abs() < 1e-12);
        assert!((own.cables[0].frames[4][0].0.x - 0.1).abs() < 1e-12);
    }
}

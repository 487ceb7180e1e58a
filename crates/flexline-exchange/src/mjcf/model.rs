//! What is written: a network in equilibrium, as a tree of bodies.

use super::chain::Chain;
use super::{DEEPEST, MOST_BODIES, MjcfError};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::section::SectionProfile;
use flexline::solver::network::{Attachment, Network, NetworkReport, NetworkState};

/// A scene in equilibrium.
pub struct Assembly<'a> {
    /// Its title.
    pub title: &'a str,
    /// The network, with the lengths that its spans have now.
    pub network: &'a Network,
    /// Its equilibrium.
    pub state: &'a NetworkState,
    /// The proof of it.
    pub report: &'a NetworkReport,
    /// What the anchors are called.
    pub anchors: Vec<String>,
    /// The cables.
    pub cables: Vec<Cable<'a>>,
    /// Its obstacles, in the order of the network.
    pub solids: Vec<Solid>,
    /// What the file is to say besides, a sentence each.
    pub notes: Vec<String>,
}

/// A cable: spans of the network, end to end.
pub struct Cable<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its spans: index in the network, and the arc length at which it begins, m.
    pub spans: &'a [(usize, f64)],
    /// Its section along the arc length.
    pub section: &'a SectionProfile,
    /// Curvature and twist without loads at an arc length, 1/m.
    pub rest: Box<dyn Fn(f64) -> Vec3 + 'a>,
    /// How many segments it has in the file.
    pub segments: usize,
}

/// An obstacle.
pub struct Solid {
    /// Its name.
    pub name: String,
    /// The anchor that it goes with.
    pub on: Option<usize>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The file.
    pub text: String,
    /// Bodies of the cables.
    pub bodies: usize,
    /// What of the scene is not in it, or otherwise, a sentence each.
    pub notes: Vec<String>,
}

/// The tree: what hangs on what.
pub(super) struct Tree {
    /// All chains.
    pub(super) chains: Vec<Chain>,
    /// Anchors that are children of the world, with what they are free in.
    pub(super) roots: Vec<usize>,
    /// Chains that begin at each anchor.
    pub(super) hung: Vec<Vec<usize>>,
}

impl Assembly<'_> {
    /// Writes the file.
    pub fn write(&self) -> Result<Written, MjcfError> {
        self.check()?;
        let tree = self.tree()?;
        Ok(super::text::write(self, &tree))
    }

    fn check(&self) -> Result<(), MjcfError> {
        let foreign = |what: String| Err(MjcfError::Foreign { what });
        // What merely finds its length has found it.
        if self.network.slides.iter().any(|slide| slide.before.is_some() && slide.after.is_some()) {
            return foreign("a rope that slides through eyes or over pulleys".into());
        }
        let ours = |c: &flexline::solver::network::Constraint| {
            !matches!(c, flexline::solver::network::Constraint::Coincide { .. })
        };
        if self.network.constraints.iter().any(ours) {
            return foreign("a constraint other than two points held together".into());
        }
        Ok(())
    }

    /// Roots are what is held in anything; what is free hangs on the first chain that comes to it.
    fn tree(&self) -> Result<Tree, MjcfError> {
        let network = self.network;
        let held =
            |k: &usize| network.anchors[*k].held_orientation || network.anchors[*k].held.contains(&true);
        let mut roots: Vec<usize> = (0..network.anchors.len()).filter(held).collect();
        let mut placed = vec![false; network.anchors.len()];
        let mut waiting: std::collections::VecDeque<usize> = roots.iter().copied().collect();
        roots.iter().for_each(|k| placed[*k] = true);
        let mut hung = vec![Vec::new(); network.anchors.len()];
        let mut chains: Vec<Chain> = Vec::new();
        let mut done = vec![false; network.spans.len()];
        let mut bodies = 0;
        let mut depths = vec![1; network.anchors.len()];
        loop {
            while let Some(anchor) = waiting.pop_front() {
                for span in 0..network.spans.len() {
                    let own = &network.spans[span];
                    let on = |end: &Attachment| end.anchor == anchor;
                    let backward = !on(&own.start);
                    if done[span] || (backward && !own.end.as_ref().is_some_and(on)) {
                        continue;
                    }
                    done[span] = true;
                    let far = if backward { Some(own.start.anchor) } else { own.end.map(|end| end.anchor) };
                    let carries = far.filter(|far| !placed[*far]);
                    if let Some(far) = carries {
                        placed[far] = true;
                        waiting.push_back(far);
                    }
                    let chain = Chain::new(self, span, backward, carries.is_some())?;
                    bodies += chain.bodies.len();
                    let depth = depths[anchor] + chain.bodies.len() + 1;
                    if depth > DEEPEST {
                        return Err(MjcfError::Deep { depth, deepest: DEEPEST });
                    }
                    if let Some(far) = carries {
                        depths[far] = depth;
                    }
                    if bodies > MOST_BODIES {
                        return Err(MjcfError::Many { count: bodies, most: MOST_BODIES });
                    }
                    hung[anchor].push(chains.len());
                    chains.push(chain);
                }
            }
            // What nothing holds floats: its first anchor is a root that is free.
            let Some(free) = (0..network.anchors.len()).find(|k| !placed[*k]) else { break };
            placed[free] = true;
            roots.push(free);
            waiting.push_back(free);
        }
        Ok(Tree { chains, roots, hung })
    }

    /// The cable of a span, and where on it that begins.
    pub(super) fn cable_of(&self, span: usize) -> (&Cable<'_>, f64) {
        let found = self.cables.iter().find_map(|cable| {
            cable.spans.iter().find(|(own, _)| *own == span).map(|(_, from)| (cable, *from))
        });
        // Every span belongs to a cable: scenes are compiled so.
        found.unwrap_or((&self.cables[0], 0.0))
    }
}

/// The frame at which an end sits on its anchor, in the axes of that; of the far end with its turns.
pub(super) fn seat(attachment: &Attachment, twist: f64) -> (Vec3, flexline::Quat) {
    let own = attachment.anchor_from_end;
    (own.position, own.orientation * rotation::exp(&Vec3::new(0.0, 0.0, twist)))
}

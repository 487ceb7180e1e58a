//! What joins rods to each other and to the world: anchors, attachments, eyes, wheels. Data and kinematics; solving is
//! the business of the solver.
//!
//! An *anchor* is a pose (x, q). The end of a span that is *attached* to it follows it exactly: at (x, q) ∘ (o, p), o and p
//! being the place and frame of the end in the axes of the anchor; a *clamped* end follows with its frame, a *pinned* one
//! with its position alone. So a joint costs no multiplier.
//!
//! Rope that *slides* has one unknown more, the flow w: the span before the eye is L + w long, the one after it L − w, and
//! equal tensions are the derivative of the energy by w. Friction adds an energy of what has slipped, up to the bound of
//! Euler and Eytelwein. A *wheel* is an eye with a rim: rope comes onto it and leaves it where its curvature is that of
//! the rim.

pub(crate) mod anchor;
pub(crate) mod attachment;
pub(crate) mod slide;
pub(crate) mod wheel;

pub use anchor::Anchor;
pub use attachment::{Attachment, Grip};
pub(crate) use slide::FrictionLaw;
pub use slide::Slide;
pub use wheel::Wheel;

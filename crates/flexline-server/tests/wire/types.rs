//! Every type of the wire, declared.

use crate::declaration::Declaration;
use flexline_server::{Op, wire};
use flexline_session::desk::Trailer;
use ts_rs::{Config, TS, TypeVisitor};

/// All types that messages are made of, by name.
pub fn all() -> Vec<Declaration> {
    let mut collector = Collector { config: Config::new().with_large_int("number"), found: Vec::new() };
    let all = &mut collector;
    // What the page asks, and what it is answered.
    all.visit::<Op>();
    all.visit::<wire::Reply>();
    all.visit::<wire::Answers>();
    // What happens.
    all.visit::<wire::ServerEvent>();
    all.visit::<Trailer>();
    // What HTTP asks and answers.
    all.visit::<wire::About>();
    all.visit::<wire::GalleryEntry>();
    all.visit::<wire::Material>();
    all.visit::<wire::SessionEntry>();
    all.visit::<wire::Begin>();
    all.visit::<wire::Began>();
    all.visit::<wire::MeshAdded>();
    all.visit::<wire::MakeFlexible>();
    all.visit::<wire::CablesFound>();
    all.visit::<wire::Failure>();
    // The order in which a type names others is not the same in every build.
    collector.found.sort_by(|a, b| a.name.cmp(&b.name));
    collector.found
}

struct Collector {
    config: Config,
    found: Vec<Declaration>,
}

impl TypeVisitor for Collector {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        let name = T::ident(&self.config);
        // Numbers, texts and lists have no declaration of their own.
        if T::output_path().is_none() || self.found.iter().any(|own| own.name == name) {
            return;
        }
        self.found.push(Declaration::read(&T::docs().unwrap_or_default(), &T::decl(&self.config)));
        T::visit_dependencies(self);
    }
}

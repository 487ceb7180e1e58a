//! Words that people expect in a scene file and that mean something the model leaves out: each is refused with what to
//! do instead (the book's page "Assumptions").

/// What a word would mean, and what to do instead, where the model leaves it out.
pub(crate) fn not_modelled(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase().replace(['-', ' '], "_");
    let plural = word.strip_suffix('s').unwrap_or(&word);
    WORDS.iter().find(|(words, _)| words.contains(&&*word) || words.contains(&plural)).map(|(_, help)| *help)
}

const WORDS: &[(&[&str], &str)] = &[
    (
        &["contact", "collision", "collide", "mesh", "surrounding", "body", "wall", "floor", "plane", "box"],
        "what cables cannot enter is an obstacle: [[obstacle]] with shape = \"plane\", \"box\", \"cylinder\" and more, or \
         mesh = \"bracket.stl\"",
    ),
    (
        &["sphere", "cylinder", "capsule"],
        "what cables cannot enter is an obstacle: [[obstacle]] with shape = \"cylinder\" and radius = \"20 mm\"",
    ),
    (
        &["self_contact"],
        "whether cables touch each other and themselves is said in [world]: contact = true; what a cable passes through all \
         the same in [cable]: passes_through = [\"wall\"]",
    ),
    (
        &["tube", "conduit"],
        "a tube is a shape of the section: section = { shape = \"tube\", outer_diameter = \"12 mm\", inner_diameter = \
         \"8 mm\", material = \"EPDM\" }; what a cable is led in is an obstacle: [[obstacle]] with shape = \"tube\"",
    ),
    (
        &["stretch", "extensible", "axial", "axial_stiffness", "ea"],
        "stretch is not modelled: the centreline keeps its length. Give the stretched length; the page Assumptions tells \
         when that matters",
    ),
    (
        &["temperature", "thermal", "thermal_expansion"],
        "temperature is not modelled: give stiffness and length as they are at that temperature",
    ),
    (
        &["pressure", "internal_pressure"],
        "pressure inside a hose is not modelled: give the stiffness measured under pressure",
    ),
    (
        &["plasticity", "plastic", "yield", "creep"],
        "plasticity is not modelled: give the shape that the cable keeps as its `rest` shape",
    ),
    (
        &["ovalisation", "ovalization", "kink"],
        "tubes keep their section: the minimum bend radius stands for kinking",
    ),
];

#[cfg(test)]
mod tests {
    use super::not_modelled;

    #[test]
    fn words_are_found_however_they_are_written() {
        for word in ["contact", "Contacts", "self-contact", "tube", "EA", "temperature"] {
            assert!(not_modelled(word).is_some(), "{word}");
        }
        assert_eq!(not_modelled("lenght"), None);
    }
}

//! Whether a picture is one.

/// Asserts that a text is one element of well-formed XML with the name `svg`: tags nest, attributes are
/// quoted and given once, and `<` and `&` stand only where they may.
#[track_caller]
pub fn well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut roots = 0;
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        references(&rest[..start]);
        assert!(!open.is_empty() || rest[..start].trim().is_empty(), "text outside of the root");
        let end = start + tag_length(&rest[start..]);
        let tag = &rest[start + 1..end - 1];
        rest = &rest[end..];
        if tag.starts_with('?') || tag.starts_with("!--") {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.trim()), "end without a beginning");
            continue;
        }
        let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |t| (t, true));
        let name = tag.split(char::is_whitespace).next().expect("a name");
        assert!(name.starts_with(|c: char| c.is_ascii_alphabetic()), "<{tag}>");
        attributes(&tag[name.len()..]);
        if open.is_empty() {
            assert_eq!(name, "svg");
            roots += 1;
        }
        if !empty {
            open.push(name);
        }
    }
    assert!(rest.trim().is_empty(), "text after the end");
    assert!(open.is_empty(), "never closed: {open:?}");
    assert_eq!(roots, 1);
}

/// Length of the tag that a text begins with, up to the `>` that is not within quotes.
fn tag_length(text: &str) -> usize {
    let mut quote = None;
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            (None, '>') => return i + 1,
            _ => {}
        }
    }
    panic!("a tag without an end: {}", text.chars().take(60).collect::<String>());
}

fn attributes(text: &str) {
    let mut seen = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=').expect("name=\"value\"");
        let quote = after.chars().next().expect("a quote");
        assert!(quote == '"' || quote == '\'', "{rest}");
        let (value, after) = after[1..].split_once(quote).expect("a closing quote");
        assert!(!seen.contains(&name), "{name} is given twice");
        assert!(!value.contains('<'), "{value}");
        assert!(!value.contains("NaN") && !value.contains("inf"), "{name}=\"{value}\"");
        references(value);
        seen.push(name);
        assert!(after.is_empty() || after.starts_with(char::is_whitespace), "{rest}");
        rest = after.trim();
    }
}

/// Asserts that every `&` begins a reference.
fn references(text: &str) {
    for piece in text.split('&').skip(1) {
        let name = piece.split_once(';').expect("a reference ends with ;").0;
        assert!(["amp", "lt", "gt", "quot", "apos"].contains(&name) || name.starts_with('#'), "&{name};");
    }
}

/// Width and height of a PNG that begins and ends as one should.
#[track_caller]
pub fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "the signature of a PNG");
    assert_eq!(&bytes[12..16], b"IHDR");
    assert!(bytes.ends_with(b"\0\0\0\0IEND\xaeB`\x82"), "the file is complete");
    let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    (word(16), word(20))
}

#[test]
#[should_panic(expected = "never closed")]
fn an_open_element_is_noticed() {
    well_formed("<svg><g>");
}

#[test]
#[should_panic(expected = "end without a beginning")]
fn crossed_elements_are_noticed() {
    well_formed("<svg><g><a></g></a></svg>");
}

#[test]
#[should_panic(expected = "a reference ends with ;")]
fn a_bare_ampersand_is_noticed() {
    well_formed("<svg><text>this & that</text></svg>");
}

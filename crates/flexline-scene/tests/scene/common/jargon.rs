//! What of a message only a programmer understands.

/// An index in brackets or the name of a type, where a message has one.
pub fn jargon(text: &str) -> Option<String> {
    // What was written is quoted as it was.
    let own: String = text.split('"').step_by(2).collect();
    let chars: Vec<char> = own.chars().collect();
    let counts = |k: &usize| {
        let digits = chars[k + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
        chars[*k] == '['
            && *k > 0
            && is_word(chars[k - 1])
            && digits > 0
            && chars.get(k + 1 + digits) == Some(&']')
    };
    if let Some(k) = (0..chars.len()).find(counts) {
        return Some(chars[k.saturating_sub(10)..].iter().collect());
    }
    let camel = |word: &&str| {
        let inner = word.char_indices().skip(1).any(|(_, c)| c.is_uppercase());
        inner && word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase) && word.len() > 4
    };
    let word = own.split(|c: char| !is_word(c)).find(camel).map(str::to_owned);
    let rust = ["::", "Some(", "None", "enum", "struct", "untagged", "variant", "usize", "f64", "u64"];
    word.or_else(|| rust.iter().find(|w| own.contains(**w)).map(|w| (*w).to_owned()))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Messages are free of it.
#[track_caller]
pub fn assert_plain(messages: Vec<String>) {
    let wrong: Vec<&String> = messages.iter().filter(|message| jargon(message).is_some()).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), messages.len());
}

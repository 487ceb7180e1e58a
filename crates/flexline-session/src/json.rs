//! Mistakes in JSON, in words.

/// What does not fit in JSON, said without the names that types have in a program.
pub fn json_mistake(error: &serde_json::Error) -> String {
    let told = error.to_string();
    if let Some(rest) = told.strip_prefix("unknown variant ") {
        return format!("unknown word {rest}");
    }
    let rest = ["invalid type: ", "invalid value: "].iter().find_map(|start| told.strip_prefix(start));
    let Some((found, expected)) = rest.and_then(|rest| rest.rsplit_once(", expected ")) else { return told };
    let found = match found.split_once(' ') {
        Some(("integer", number)) => format!("the number {number}"),
        Some(("floating", number)) => format!("the number {}", number.trim_start_matches("point ")),
        Some(("boolean", truth)) => truth.into(),
        Some(("string", text)) => format!("the text {text}"),
        _ if found == "sequence" => "a list".into(),
        _ if found == "map" => "an object".into(),
        _ => found.into(),
    };
    let expected = match expected {
        "usize" | "u64" | "u32" | "u8" => "a whole number from 0",
        "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        other => other,
    };
    format!("{found}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_without_types() {
        let count = |value| json_mistake(&serde_json::from_value::<usize>(value).unwrap_err());
        assert_eq!(
            count(serde_json::json!("a map, expected")),
            "the text \"a map, expected\", expected a whole number from 0"
        );
        assert_eq!(count(serde_json::json!([1])), "a list, expected a whole number from 0");
        assert_eq!(count(serde_json::json!(-1.5)), "the number `-1.5`, expected a whole number from 0");
        assert_eq!(count(serde_json::json!(-1)), "the number `-1`, expected a whole number from 0");
    }
}

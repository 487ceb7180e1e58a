//! Commands from JSON, as strictly as scene files are read.

use super::Command;
use crate::json::json_mistake;
use flexline_scene::nearest;
use flexline_scene::words::quote;
use flexline_scene::{Code, Diagnostic, SceneError};
use serde_json::Value;

/// Every command with its fields; all but `do`.
pub const COMMANDS: [(&str, &[&str]); 22] = [
    ("create-cable", &["name", "from", "to", "length", "slack", "with"]),
    ("prolong", &["cable", "by", "end"]),
    ("cut", &["cable", "at", "names"]),
    ("join", &["cables", "name"]),
    ("separate", &["at", "cable"]),
    ("attach", &["cable", "to", "with"]),
    ("branch", &["cable", "at", "name", "to", "length", "slack", "clip", "with"]),
    ("move", &["name", "to", "by", "frame"]),
    ("release", &["name"]),
    ("turn", &["cable", "by", "to"]),
    ("add-handle", &["cable", "at", "name", "hold", "with"]),
    ("equidistant-handles", &["cable", "count", "from", "to", "hold", "prefix"]),
    ("set-handle", &["name", "hold", "slides", "line", "path", "position", "frame"]),
    ("set-length", &["cable", "between", "length", "by", "pull"]),
    ("route", &["cable", "on", "tension", "bend_length", "slider", "length"]),
    ("set-zone", &["cable", "from", "to", "with"]),
    ("set", &["kind", "name", "key", "value"]),
    ("add", &["kind", "on", "with"]),
    ("remove", &["name", "kind", "with_users"]),
    ("rename", &["name", "to", "kind"]),
    ("to-harness", &[]),
    ("all", &["of"]),
];

/// The name under which mistakes in a command are reported.
const NAME: &str = "command";

/// One mistake in a command.
pub(crate) fn mistake(
    code: Code,
    field: &str,
    message: impl Into<String>,
    help: impl Into<String>,
) -> SceneError {
    let diagnostic = Diagnostic {
        code,
        path: field.into(),
        message: message.into(),
        help: Some(help.into()),
        place: None,
    };
    SceneError { name: NAME.into(), diagnostics: vec![diagnostic], more: 0 }
}

impl Command {
    /// Reads a command from JSON text.
    pub fn from_json(text: &str) -> Result<Self, SceneError> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            let message = format!("this is not valid JSON: {error}");
            mistake(
                Code::Syntax,
                "",
                message,
                "a command is written as {\"do\": \"cut\", \"cable\": \"trunk\", \"at\": \"40 %\"}",
            )
        })?;
        Self::from_value(value)
    }

    /// Reads a command from a JSON value.
    pub fn from_value(value: Value) -> Result<Self, SceneError> {
        check(&value)?;
        serde_json::from_value(value).map_err(|error| {
            let help = "`COMMANDS.md` of flexline-session describes every command and its fields";
            mistake(
                Code::WrongType,
                "",
                format!("the command is not as expected: {}", json_mistake(&error)),
                help,
            )
        })
    }

    /// The command as one line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Whether verb and fields are known.
fn check(value: &Value) -> Result<(), SceneError> {
    let Some(map) = value.as_object() else {
        let message = format!("a command is an object, not {}", quote(&value.to_string()));
        return Err(mistake(Code::WrongType, "", message, "write {\"do\": …}"));
    };
    let verbs = || COMMANDS.iter().map(|(verb, _)| *verb);
    let listed = || verbs().collect::<Vec<_>>().join(", ");
    let Some(verb) = map.get("do") else {
        let help = format!("say what to do: \"do\" is one of {}", listed());
        return Err(mistake(Code::MissingKey, "do", "`do` is missing", help));
    };
    let known = verb.as_str().and_then(|verb| COMMANDS.iter().find(|(name, _)| *name == verb));
    let Some((verb, fields)) = known else {
        let help = match verb.as_str().and_then(|word| nearest(word, verbs())) {
            Some(near) => format!("did you mean \"{near}\"? There are {}", listed()),
            None => format!("there are {}", listed()),
        };
        let message = format!("`do` = {} is not a command", quote(&verb.to_string()));
        return Err(mistake(Code::UnknownName, "do", message, help));
    };
    if let Some(key) = map.keys().find(|key| *key != "do" && !fields.contains(&key.as_str())) {
        let valid = if fields.is_empty() { "nothing but `do`".into() } else { fields.join(", ") };
        let help = match nearest(key, fields.iter().copied()) {
            Some(near) => format!("did you mean `{near}`? Valid here: {valid}"),
            None => format!("valid here: {valid}"),
        };
        let message = format!("unknown field `{}` of the command {verb}", quote(key));
        return Err(mistake(Code::UnknownKey, key, message, help));
    }
    match map.get("of") {
        Some(Value::Array(items)) if *verb == "all" => items.iter().try_for_each(check),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What serde knows of the fields of each command, told by its own complaint.
    #[test]
    fn the_list_is_that_of_the_enum() {
        for (verb, fields) in COMMANDS {
            let text = format!("{{\"do\": \"{verb}\", \"?\": 0}}");
            let error = serde_json::from_str::<Command>(&text).unwrap_err().to_string();
            let told: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
            assert_eq!(told, fields, "{error}");
        }
        let error = serde_json::from_str::<Command>("{\"do\": \"?\"}").unwrap_err().to_string();
        let told: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
        assert_eq!(told, COMMANDS.map(|(verb, _)| verb));
    }

    #[test]
    fn mistakes_name_the_nearest() {
        let told = |text: &str| Command::from_json(text).unwrap_err().to_string();
        assert!(told("{\"do\": \"cutt\"}").contains("did you mean \"cut\"?"));
        assert!(told("{\"do\": \"cut\", \"cabel\": \"x\"}").contains("did you mean `cable`?"));
        assert!(told("{\"do\": \"cut\", \"cable\": 3, \"at\": 1}").contains("expected a string"));
        assert!(told("{\"do\": \"cut\", \"cable\": \"x\"}").contains("missing field `at`"));
        assert!(told("[]").contains("a command is an object"));
        assert!(told("{").contains("not valid JSON"));
        assert!(told("{\"do\": \"all\", \"of\": [{\"do\": \"undo\"}]}").contains("is not a command"));
    }
}

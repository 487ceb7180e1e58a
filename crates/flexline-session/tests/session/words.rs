//! Messages about commands speak the language of who reads them. They used to say `untagged enum Quantity`.

use crate::scenes::jargon::assert_plain;
use flexline_session::command::{COMMANDS, Command};

#[test]
fn no_mistake_of_a_command_is_told_in_names_of_types() {
    let mut messages = Vec::new();
    for (verb, fields) in COMMANDS {
        for field in fields {
            for wrong in ["true", "[1]", "{\"a\": 1}", "-1.5", "\"nonsense\"", "null"] {
                let text = format!("{{\"do\": \"{verb}\", \"{field}\": {wrong}}}");
                messages.extend(Command::from_json(&text).err().map(|error| error.to_string()));
            }
        }
    }
    assert!(messages.len() > 300, "{}", messages.len());
    assert_plain(messages);
}

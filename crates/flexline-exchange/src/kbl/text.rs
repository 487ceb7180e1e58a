//! Bytes of an XML file as text, and back again without a byte changed.

use super::KblError;

/// How characters are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8 {
        mark: bool,
    },
    /// ISO 8859-1: a byte a character.
    Latin1,
}

/// The text of a file, and how it was stored.
#[derive(Clone, Debug)]
pub struct Text {
    /// The characters.
    pub text: String,
    encoding: Encoding,
}

/// No file is larger than this.
pub const LARGEST: usize = 256 << 20;

impl Text {
    /// Decodes UTF-8 and ISO 8859-1, as the file says.
    pub fn decode(bytes: &[u8]) -> Result<Self, KblError> {
        let refuse = |message: String| KblError { line: None, message };
        if bytes.len() > LARGEST {
            return Err(refuse(format!(
                "{} bytes: expected at most {LARGEST}; choose a smaller harness",
                bytes.len()
            )));
        }
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err(refuse("UTF-16: expected UTF-8 or ISO 8859-1; save the file as UTF-8".into()));
        }
        let (mark, body) = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(body) => (true, body),
            None => (false, bytes),
        };
        let head = String::from_utf8_lossy(&body[..body.len().min(200)]).to_ascii_lowercase();
        let declared = head.split("encoding").nth(1).and_then(|rest| rest.split(['"', '\'']).nth(1));
        match declared {
            Some("iso-8859-1" | "latin1") if !mark => {
                let text = body.iter().map(|byte| char::from(*byte)).collect();
                Ok(Self { text, encoding: Encoding::Latin1 })
            }
            None | Some("utf-8" | "utf8" | "us-ascii") => match std::str::from_utf8(body) {
                Ok(text) => Ok(Self { text: text.into(), encoding: Encoding::Utf8 { mark } }),
                Err(error) => {
                    let line = body[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
                    let message = "a byte that is not UTF-8: expected UTF-8, or encoding=\"ISO-8859-1\" in the first line";
                    Err(KblError { line: Some(line as u32), message: message.into() })
                }
            },
            Some(other) => Err(refuse(format!(
                "the encoding \"{other}\" is not read: expected UTF-8 or ISO-8859-1; save the file as UTF-8"
            ))),
        }
    }

    /// The bytes of a text, stored as this one was. Characters that it cannot store become character references.
    pub fn encode(&self, text: &str) -> Vec<u8> {
        match self.encoding {
            Encoding::Utf8 { mark: false } => text.as_bytes().to_vec(),
            Encoding::Utf8 { mark: true } => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            Encoding::Latin1 => {
                let mut bytes = Vec::with_capacity(text.len());
                for c in text.chars() {
                    match u8::try_from(u32::from(c)) {
                        Ok(byte) => bytes.push(byte),
                        Err(_) => bytes.extend(format!("&#{};", u32::from(c)).bytes()),
                    }
                }
                bytes
            }
        }
    }
}

//! The bytes of a glTF file: the chunks of a binary one, buffers within the JSON and beside it.

use super::list;
use crate::drawing::{Beside, Builder};
use crate::mesh::{At, MeshError, shown};
use serde_json::Value;
use std::borrow::Cow;

/// JSON and bytes of a binary file.
pub(super) fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshError> {
    let word = |at: usize| {
        let own: Option<[u8; 4]> = bytes.get(at..at + 4).and_then(|own| own.try_into().ok());
        own.map(u32::from_le_bytes)
            .ok_or_else(|| MeshError::new(At::Byte(at), "the file ends here: it is cut short"))
    };
    if word(4)? != 2 {
        let message =
            format!("the version of the container is {}: expected 2; export it again as glTF 2.0", word(4)?);
        return Err(MeshError::new(At::Byte(4), message));
    }
    let (mut json, mut binary) = (None, None);
    let mut from = 12;
    while from < bytes.len() && (json.is_none() || binary.is_none()) {
        let (size, kind) = (word(from)? as usize, word(from + 4)?);
        let own = bytes.get(from + 8..(from + 8).saturating_add(size)).ok_or_else(|| {
            let message = format!(
                "a chunk of {size} bytes begins here, but the file has only {}: it is cut short",
                bytes.len() - from - 8
            );
            MeshError::new(At::Byte(from), message)
        })?;
        match kind {
            0x4e4f_534a => json = Some(own),
            0x004e_4942 => binary = Some(own),
            _ => {}
        }
        // Chunks begin at multiples of four.
        from += 8 + size.next_multiple_of(4);
    }
    let json =
        json.ok_or_else(|| MeshError::new(At::Byte(12), "there is no JSON chunk: expected it first"))?;
    Ok((json, binary))
}

/// All buffers, in their order.
pub(super) fn all<'a>(
    root: &Value,
    binary: Option<&'a [u8]>,
    beside: Beside,
    builder: &mut Builder,
) -> Result<Vec<Cow<'a, [u8]>>, MeshError> {
    let mut all = Vec::new();
    for (i, buffer) in list(root, "buffers").iter().enumerate() {
        all.push(match (buffer["uri"].as_str(), binary) {
            (None, Some(own)) if i == 0 => Cow::Borrowed(own),
            (None, _) => {
                // One that only an extension fills, as meshopt does, is missed where it is asked for.
                Cow::Borrowed(&[][..])
            }
            (Some(uri), _) => match uri.strip_prefix("data:") {
                Some(data) => Cow::Owned(decoded(data)?),
                None => {
                    let name = unescaped(uri);
                    let bytes = beside(&name).ok_or_else(|| {
                        let message = format!(
                            "keeps its numbers in '{}', which is not beside it: put it there, or export one binary file (.glb)",
                            shown(&name)
                        );
                        MeshError::new(At::Whole, message)
                    })?;
                    builder.followed(&name);
                    Cow::Owned(bytes)
                }
            },
        });
    }
    Ok(all)
}

/// `%20` and its like as what they mean.
fn unescaped(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = (bytes[i] == b'%').then(|| bytes.get(i + 1..i + 3)).flatten();
        match hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// What follows `data:`, base64 alone.
fn decoded(data: &str) -> Result<Vec<u8>, MeshError> {
    let wrong =
        |what: &str| MeshError::new(At::Whole, format!("has a buffer in a data URI {what}: expected base64"));
    let text = data.split_once(";base64,").ok_or_else(|| wrong("that is not base64"))?.1;
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.bytes().filter(|b| !b.is_ascii_whitespace() && *b != b'=') {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return Err(wrong(&format!("with the character '{}'", char::from(byte).escape_default()))),
        };
        bits = (bits << 6) | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Ok(out)
}

//! Journals out of any bytes, and what must hold when a session comes back from one. The fuzzer and the tests judge alike.

use flexline_session::session::{Outcome, Recovered, Session, Solving, checksum};
use std::path::{Path, PathBuf};

/// More lines than this add nothing but time.
const MOST: usize = 40;
/// A first line for those who bring none.
const HOSE: &str = include_str!("../../../../../scenes/brake-hose.toml");

/// A journal whose checks are right, so that what is in its lines is read: one line for each of `bodies`. Where the first
/// is no head of a journal, one with the brake hose is put before it.
pub fn journal_of(bodies: &str) -> String {
    let mut all: Vec<String> = bodies.lines().take(MOST).map(String::from).collect();
    if !all.first().is_some_and(|first| first.contains("flexline_journal")) {
        let name = serde_json::to_string(HOSE).unwrap_or_default();
        all.insert(0, format!(r#"{{"flexline_journal":1,"name":"fuzz","text":{name}}}"#));
    }
    // A check goes on from the one before it, as if all bodies were one.
    let mut so_far = String::new();
    let line = |body: &String| {
        so_far += body;
        format!("{{\"check\":\"{:016x}\",\"entry\":{body}}}\n", checksum(so_far.as_bytes()))
    };
    all.iter().map(line).collect()
}

/// Judges any bytes: two say where a journal is damaged and the third how (zero: not at all), the others are its lines.
pub fn judge(bytes: &[u8], folder: &Path) {
    let (damage, bodies) = bytes.split_at(bytes.len().min(3));
    let whole = journal_of(&String::from_utf8_lossy(bodies)).into_bytes();
    // As they are they are a journal as well.
    come_back(bodies, folder);
    let Some(undamaged) = come_back(&whole, folder) else { return };
    let [high, low, by] = [0, 1, 2].map(|i| damage.get(i).copied().unwrap_or(0));
    if by == 0 {
        return;
    }
    let mut damaged = whole.clone();
    let at = (usize::from(u16::from_be_bytes([high, low])) * damaged.len()) >> 16;
    damaged[at] ^= by;
    let good = damaged[..at].iter().filter(|b| **b == b'\n').count();
    let back = come_back(&damaged, folder);
    // Without the head there is nothing to restore; with it everything before the damaged line is, and nothing else.
    assert_eq!(back.is_some(), good > 0, "a journal comes back as long as its first line is whole");
    if let Some(back) = back {
        let expected = undamaged.get(..good - 1).unwrap_or(&undamaged);
        assert_eq!(back, expected, "everything before line {} is restored", good + 1);
    }
}

/// Comes back from a journal of these bytes and says what was done again; `None` where that is refused.
fn come_back(bytes: &[u8], folder: &Path) -> Option<Vec<Outcome>> {
    let path = folder.join("fuzz.journal");
    std::fs::write(&path, bytes).expect("a folder to write to");
    let looked = Session::replayed(&path, Solving::Never);
    assert_eq!(std::fs::read(&path).expect("the journal"), bytes, "who only looks changes nothing");
    let recovered = Session::recover(&path, Solving::Never);
    let aside = path.with_file_name("fuzz.journal.damaged");
    let kept = std::fs::read(&aside).ok();
    let _ = std::fs::remove_file(&aside);
    let back = match (recovered, looked) {
        (Ok(back), Ok(looked)) => {
            assert_eq!((&back.outcomes, &back.damage), (&looked.outcomes, &looked.damage));
            back
        }
        (Err(error), Err(_)) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(std::fs::read(&path).expect("the journal"), bytes, "what is refused is left as it is");
            return None;
        }
        (recovered, looked) => panic!("{:?} but {:?}", recovered.map(drop), looked.map(drop)),
    };
    assert_eq!(back.aside.is_some(), back.damage.is_some());
    assert_eq!(kept.as_deref(), back.damage.as_ref().map(|_| bytes), "what is damaged is kept as it was");
    let Recovered { session, outcomes, .. } = back;
    let text = session.text().to_owned();
    // Its lock ends with it.
    drop(session);
    // What is left is a journal without damage that says the same.
    let again = Session::recover(&path, Solving::Never).expect("it was just gone on in");
    assert!(again.damage.is_none() && !again.torn);
    assert_eq!((again.session.text(), &again.outcomes), (&*text, &outcomes));
    Some(outcomes)
}

/// A folder of its own for this process.
pub fn own_folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("flexline-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder to write to");
    folder
}

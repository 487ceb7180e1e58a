//! Whatever a journal holds and wherever it is damaged: a session comes back up to the damage, or says why not.

use crate::common::journals;
use proptest::prelude::*;

/// The lines of the fuzzer's first inputs, without the three bytes that say where they are damaged.
fn seeds() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/journals");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.is_file()).collect();
    files.sort();
    files.iter().map(|path| std::fs::read(path).unwrap().split_off(3)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Seeds, damaged at any place in any way.
    #[test]
    fn damaged_journals_come_back_up_to_the_damage(
        seed in any::<prop::sample::Index>(), at in any::<u16>(), by in any::<u8>(), cut in any::<prop::sample::Index>(),
    ) {
        let seeds = seeds();
        let seed = &seeds[seed.index(seeds.len())];
        let mut bytes = [&at.to_be_bytes()[..], &[by], seed].concat();
        let folder = journals::own_folder("damaged");
        journals::judge(&bytes, &folder);
        // Cut anywhere it is another journal.
        bytes.truncate(3 + cut.index(bytes.len() - 3));
        journals::judge(&bytes, &folder);
        let _ = std::fs::remove_dir_all(&folder);
    }

    /// Bytes that were never a journal.
    #[test]
    fn nonsense_is_refused_or_left_out(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let folder = journals::own_folder("nonsense");
        journals::judge(&bytes, &folder);
        let _ = std::fs::remove_dir_all(&folder);
    }
}

/// Line by line: each is damaged once, and all before it are restored.
#[test]
fn every_line_can_be_damaged() {
    let folder = journals::own_folder("lines");
    for seed in seeds() {
        let whole = journals::journal_of(&String::from_utf8_lossy(&seed));
        for (start, _) in whole.match_indices('\n') {
            // A byte of the line before the break, and the break itself.
            for at in [start.saturating_sub(9), start] {
                let share = (at << 16).div_ceil(whole.len()) as u16;
                journals::judge(&[&share.to_be_bytes()[..], &[3], &seed].concat(), &folder);
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

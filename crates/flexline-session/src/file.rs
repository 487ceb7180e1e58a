//! Writing files: whole or not at all, and for their owner alone.

use std::io::Write;
use std::path::Path;

/// Replaces a file as a whole: nobody ever sees half of it. Who may read and write it stays as it was; a new one is its
/// owner's alone. What is no plain file, a pipe or a link, is written to as it is.
pub fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let old = match std::fs::symlink_metadata(path) {
        Ok(data) if !data.is_file() => return std::fs::write(path, bytes),
        Ok(data) => Some(data.permissions()),
        Err(_) => None,
    };
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let write = || {
        let _ = std::fs::remove_file(&part);
        let mut file = private_file(&part)?;
        file.write_all(bytes)?;
        if let Some(old) = old {
            file.set_permissions(old)?;
        }
        file.sync_data()?;
        std::fs::rename(&part, path)
    };
    let result = write();
    if result.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    result
}

/// Makes a file, where there is none yet, that its owner alone may read and write.
pub fn private_file(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

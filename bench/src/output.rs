//! Files that are there whole or not at all.

use std::fs::{OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// A file to be written when the measurement is over.
#[derive(Debug)]
pub(crate) struct Destination(PathBuf);

impl Destination {
    /// Finds out now whether the file can be written: nobody wants to learn it after a quarter of an hour.
    pub(crate) fn new(path: &Path) -> Result<Self, String> {
        let destination = Self(path.to_owned());
        destination.probe().map_err(|error| destination.complain(&error))?;
        Ok(destination)
    }

    /// Writes beside the file and renames, so that an interrupted run leaves the old file or none.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), String> {
        self.write_beside(bytes).map_err(|error| self.complain(&error))
    }

    fn probe(&self) -> io::Result<()> {
        match self.0.metadata() {
            Ok(metadata) if !metadata.is_file() => {
                return Err(io::Error::other("not a regular file"));
            }
            Ok(_) => drop(OpenOptions::new().write(true).open(&self.0)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        self.temporary().map(drop)
    }

    fn write_beside(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.temporary()?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(&self.0)?;
        Ok(())
    }

    fn temporary(&self) -> io::Result<NamedTempFile> {
        if self.0.file_name().is_none() {
            return Err(io::Error::other("not a file name"));
        }
        let directory = match self.0.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        // The umask takes from this what the user does not want to give.
        Builder::new()
            .prefix(".qcrypto-bench-")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(directory)
    }

    fn complain(&self, error: &io::Error) -> String {
        // tempfile appends the random name to the reason; the user asked for another one.
        let reason = error.to_string();
        let reason = reason.split(" at path ").next().unwrap_or_default();
        format!("cannot write {}: {reason}", self.0.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        let destination = Destination::new(&path).unwrap();
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0, "the probe left something behind");
        destination.write(b"first").unwrap();
        destination.write(b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
    }

    #[test]
    fn unwritable() {
        let directory = tempfile::tempdir().unwrap();
        for path in [
            directory.path().to_owned(),
            directory.path().join("missing/run.json"),
            PathBuf::from("/dev/null"),
        ] {
            let complaint = Destination::new(&path).unwrap_err();
            assert!(
                complaint.starts_with(&format!("cannot write {}: ", path.display())),
                "{complaint}"
            );
            assert!(!complaint.contains(".qcrypto-bench-"), "{complaint}");
        }
    }
}

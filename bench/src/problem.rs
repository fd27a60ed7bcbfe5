//! Why the program ends early.

use std::process::ExitCode;

/// One line for standard error, and the exit status that goes with it.
#[derive(Debug)]
pub(crate) enum Problem {
    /// What was asked for cannot be done; nothing has been measured.
    Usage(String),
    /// It could, but something went wrong on the way.
    Failure(String),
}

impl Problem {
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Usage(message) | Self::Failure(message) => message,
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Failure(_) => ExitCode::FAILURE,
        }
    }
}

//! The stopwatch.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// What time a piece of work is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Time this thread spent on its core. A neighbour that was given the core in between is not on the bill, which
    /// is what makes two runs on a shared machine agree.
    Thread,
    /// The same of all threads of this process, added up.
    Process,
    /// Time that passed: for work the kernel may have done on another thread.
    Wall,
}

impl Clock {
    /// Runs `work` and tells how long it took.
    pub(crate) fn time<T>(self, work: impl FnOnce() -> T) -> (T, Duration) {
        let start = self.now();
        let value = work();
        (value, self.now().saturating_sub(start))
    }

    fn now(self) -> Duration {
        let id = match self {
            Self::Thread => ClockId::CLOCK_THREAD_CPUTIME_ID,
            Self::Process => ClockId::CLOCK_PROCESS_CPUTIME_ID,
            Self::Wall => ClockId::CLOCK_MONOTONIC,
        };
        clock_gettime(id).expect("Linux has these clocks").into()
    }
}

//! A stopwatch of this thread's own processor time, which other threads and processes do not disturb.

use std::time::Instant;

/// Started when made.
pub(super) struct Stopwatch {
    cpu: Option<u64>,
    wall: Instant,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self { cpu: thread_nanoseconds(), wall: Instant::now() }
    }

    /// The thread's time since the start. Where the system has no such clock, or one that stands still, time on the
    /// wall instead.
    pub(super) fn nanoseconds(&self) -> u64 {
        let cpu = self.cpu.zip(thread_nanoseconds()).map(|(start, end)| end.saturating_sub(start));
        let wall = u64::try_from(self.wall.elapsed().as_nanos()).unwrap_or(u64::MAX);
        match cpu {
            // A clock that missed nearly everything stands still; a thread that merely waited has more than that.
            Some(cpu) if cpu > wall / 1000 => cpu,
            _ => wall,
        }
    }
}

/// CLOCK_THREAD_CPUTIME_ID.
fn thread_nanoseconds() -> Option<u64> {
    let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).ok()?;
    let seconds = u64::try_from(time.tv_sec()).ok()?;
    seconds.checked_mul(1_000_000_000)?.checked_add(u64::try_from(time.tv_nsec()).ok()?)
}

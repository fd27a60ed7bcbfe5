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
        own_time(self.cpu, thread_nanoseconds(), self.wall_nanoseconds())
    }

    /// The time on the wall since the start.
    pub(super) fn wall_nanoseconds(&self) -> u64 {
        u64::try_from(self.wall.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// The thread's time from one reading of its clock to another, between which `wall` passed on the wall.
fn own_time(start: Option<u64>, end: Option<u64>, wall: u64) -> u64 {
    match start.zip(end).map(|(start, end)| end.saturating_sub(start)) {
        // A clock that missed nearly everything stands still; a thread that merely waited has more than that.
        Some(cpu) if cpu > wall / 1000 => cpu,
        _ => wall,
    }
}

/// CLOCK_THREAD_CPUTIME_ID.
fn thread_nanoseconds() -> Option<u64> {
    let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).ok()?;
    let seconds = u64::try_from(time.tv_sec()).ok()?;
    seconds.checked_mul(1_000_000_000)?.checked_add(u64::try_from(time.tv_nsec()).ok()?)
}

#[cfg(test)]
mod tests {
    use super::own_time;

    /// A thread that has burned hours, years even, is measured like a new one.
    #[test]
    fn the_past_does_not_count() {
        for past in [0, 3_600_000_000_000 * 100, u64::MAX / 2] {
            assert_eq!(own_time(Some(past), Some(past + 250), 1000), 250);
        }
    }

    #[test]
    fn a_clock_that_is_missing_or_stands_still_or_goes_back() {
        assert_eq!(own_time(None, Some(250), 1000), 1000);
        assert_eq!(own_time(Some(250), None, 1000), 1000);
        assert_eq!(own_time(Some(250), Some(250), 1000), 1000);
        assert_eq!(own_time(Some(250), Some(0), 1000), 1000);
    }
}

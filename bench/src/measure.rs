//! The method: all contestants by turns, in short slices, many rounds.

use crate::clock::Clock;

/// A fixed number of calls, dealt out over rounds. How long they take is read between slices and never in the loop,
/// where it would cost a small chunk more than the cipher does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    calls: u64,
    rounds: u64,
}

impl Plan {
    pub(crate) fn new(calls: u64, rounds: u32) -> Self {
        let calls = calls.max(1);
        Self { calls, rounds: u64::from(rounds).clamp(1, calls) }
    }

    /// Slices that a contest of `contestants` runs, warming up included.
    pub(crate) fn slices(self, contestants: usize) -> u64 {
        (self.rounds + 1) * contestants as u64
    }

    /// Shares differ by one call at most and add up to all of them.
    fn share(self, round: u64) -> u64 {
        let upto = |round: u64| {
            (u128::from(self.calls) * u128::from(round) / u128::from(self.rounds)) as u64
        };
        upto(round + 1) - upto(round)
    }
}

/// Seconds a call, round by round; or why there are none.
type Track = Result<Vec<f64>, String>;

/// Has `work(who, calls)` done for each of `clocks` in turn, round by round. Who fails once is not called again.
pub(crate) fn interleave(
    clocks: &[Clock],
    plan: Plan,
    mut work: impl FnMut(usize, u64) -> Result<(), String>,
    mut tick: impl FnMut(),
) -> Vec<Track> {
    let mut tracks: Vec<Track> = Vec::new();
    if clocks.is_empty() {
        return tracks;
    }
    for who in 0..clocks.len() {
        // Untimed: page faults, lazy binding and caches are settled before the first round.
        tracks.push(work(who, plan.share(0)).map(|()| Vec::new()));
        tick();
    }
    for round in 0..plan.rounds {
        let calls = plan.share(round);
        for who in order(round as usize, clocks.len()) {
            if let Ok(times) = &mut tracks[who] {
                let (done, time) = clocks[who].time(|| work(who, calls));
                match done {
                    Ok(()) => times.push(time.as_secs_f64() / calls as f64),
                    Err(reason) => tracks[who] = Err(reason),
                }
            }
            tick();
        }
    }
    tracks
}

/// Every contestant takes every place, and after as many rounds as there are contestants the order is turned round,
/// so that nobody always runs behind the same neighbour: what one leaves in caches and clock speeds evens out.
fn order(round: usize, contestants: usize) -> impl Iterator<Item = usize> {
    let turned = (round / contestants) % 2 == 1;
    (0..contestants).map(move |place| {
        let who = (place + round) % contestants;
        if turned { contestants - 1 - who } else { who }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        for (calls, rounds) in [(1, 1), (1, 25), (7, 3), (100, 7), (4_194_304, 64)] {
            let plan = Plan::new(calls, rounds);
            let shares: Vec<u64> = (0..plan.rounds).map(|round| plan.share(round)).collect();
            assert_eq!(shares.iter().sum::<u64>(), calls);
            assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
            assert!(shares.iter().all(|share| *share > 0));
        }
    }

    #[test]
    fn everyone_takes_every_place() {
        let orders: Vec<Vec<usize>> = (0..6).map(|round| order(round, 3).collect()).collect();
        for place in 0..3 {
            for half in orders.chunks(3) {
                let mut there: Vec<usize> = half.iter().map(|order| order[place]).collect();
                there.sort_unstable();
                assert_eq!(there, [0, 1, 2]);
            }
        }
        assert_eq!([&orders[0][..], &orders[3][..]], [[0, 1, 2], [2, 1, 0]]);
    }

    #[test]
    fn nobody_there() {
        assert!(interleave(&[], Plan::new(1, 1), |_, _| unreachable!(), || {}).is_empty());
    }

    #[test]
    fn who_fails_is_out() {
        let mut calls = [0; 2];
        let mut ticks = 0;
        let plan = Plan::new(10, 5);
        let work = |who: usize, _| {
            calls[who] += 1;
            if who == 1 && calls[1] == 3 { Err("no more".to_owned()) } else { Ok(()) }
        };
        let tracks = interleave(&[Clock::Thread; 2], plan, work, || ticks += 1);
        assert_eq!(tracks[0].as_ref().unwrap().len(), 5);
        assert_eq!(tracks[1], Err("no more".to_owned()));
        assert_eq!(calls, [6, 3]);
        assert_eq!(ticks, plan.slices(2));
    }
}

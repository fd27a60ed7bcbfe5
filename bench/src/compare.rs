//! Before anything is timed: do all implementations give the same output?

use crate::contest::{Entrant, Outcome};

/// For each entrant, why it must not be timed; none if it may. Entrants without an engine are passed over.
pub(crate) fn check<E: ?Sized>(
    entrants: &mut [Entrant<'_, E>],
    mut output: impl FnMut(&mut E) -> Result<Vec<u8>, Outcome>,
) -> Vec<Option<Outcome>> {
    let outputs: Vec<Option<Result<Vec<u8>, Outcome>>> = entrants
        .iter_mut()
        .map(|entrant| entrant.engine.as_mut().ok().map(|engine| output(engine)))
        .collect();
    let given: Vec<Option<&[u8]>> =
        outputs.iter().map(|output| output.as_ref()?.as_deref().ok()).collect();
    let odd = odd_ones_out(&given);
    let differs = || Outcome::Differs { reason: "not the output that most others give".to_owned() };
    outputs
        .iter()
        .zip(odd)
        .map(|(output, odd)| match output {
            Some(Err(outcome)) => Some(outcome.clone()),
            Some(Ok(_)) if odd => Some(differs()),
            _ => None,
        })
        .collect()
}

/// Marks those outside the largest group that agrees. Where no group is the largest, nobody can be believed.
fn odd_ones_out<T: PartialEq>(given: &[Option<T>]) -> Vec<bool> {
    let agreeing = |output: &Option<T>| given.iter().filter(|other| *other == output).count();
    let sizes: Vec<usize> =
        given.iter().map(|output| if output.is_some() { agreeing(output) } else { 0 }).collect();
    let largest = sizes.iter().copied().max().unwrap_or(0);
    // Each member of the largest group counts the whole group; two such groups make twice as many members.
    let tied = sizes.iter().filter(|size| **size == largest).count() > largest;
    given
        .iter()
        .zip(sizes)
        .map(|(output, size)| output.is_some() && (tied || size < largest))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::peers::{Refusal, Title};

    #[test]
    fn who_may_not_be_timed() {
        let title = Title {
            name: String::new(),
            version: String::new(),
            ours: false,
            clock: Clock::Thread,
        };
        let absent = || Err(Refusal::Unsupported("no".to_owned()));
        let mut entrants: Vec<Entrant<'_, u8>> = [Ok(1), Ok(2), Ok(1), Ok(0), absent()]
            .map(|engine| Entrant {
                title: &title,
                kernel: String::new(),
                engine: engine.map(Box::new),
            })
            .into();
        let verdict = check(&mut entrants, |engine| match *engine {
            0 => Err(Outcome::Failed { reason: "tired".to_owned() }),
            digest => Ok(vec![digest]),
        });
        let complaints: Vec<Option<String>> =
            verdict.iter().map(|outcome| outcome.as_ref()?.complaint()).collect();
        assert!(complaints[1].as_ref().unwrap().starts_with("differs: "));
        assert_eq!(complaints[3].as_ref().unwrap(), "failed: tired");
        assert!([0, 2, 4].iter().all(|row| complaints[*row].is_none()));
    }

    #[test]
    fn most_are_right() {
        assert_eq!(odd_ones_out(&[Some(1), Some(1), Some(2)]), [false, false, true]);
        assert_eq!(odd_ones_out(&[Some(2), None, Some(1), Some(1)]), [true, false, false, false]);
        assert_eq!(odd_ones_out(&[Some(7)]), [false]);
        assert_eq!(odd_ones_out::<u8>(&[None]), [false]);
        assert!(odd_ones_out::<u8>(&[]).is_empty());
    }

    #[test]
    fn a_tie_convicts_all() {
        assert_eq!(odd_ones_out(&[Some(1), Some(2)]), [true, true]);
        assert_eq!(
            odd_ones_out(&[Some(1), Some(2), Some(2), Some(1), None]),
            [true, true, true, true, false]
        );
    }
}

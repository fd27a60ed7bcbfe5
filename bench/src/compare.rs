//! Before anything is timed: do all implementations give the same output?

use crate::algorithm::{Direction, Spec};
use crate::buffer::sample;
use crate::contest::{Entrant, Outcome};
use crate::peers::Engine;

/// For each entrant, why it must not be timed; none if it may. Entrants without an engine are passed over.
pub(crate) fn check(
    entrants: &mut [Entrant<'_, dyn Engine>],
    spec: Spec,
    chunk: usize,
) -> Vec<Option<Outcome>> {
    let lengths = lengths(spec.algorithm.block_len(), chunk);
    let outputs: Vec<Option<Result<Vec<u8>, Outcome>>> = entrants
        .iter_mut()
        .map(|entrant| {
            let engine = entrant.engine.as_mut().ok()?;
            Some(
                lengths
                    .iter()
                    .map(|len| try_out(engine.as_mut(), *len))
                    .collect::<Result<Vec<_>, _>>(),
            )
        })
        .map(|outputs| outputs.map(|result| result.map(|parts| parts.concat())))
        .collect();

    let given: Vec<Option<&[u8]>> =
        outputs.iter().map(|output| output.as_ref()?.as_deref().ok()).collect();
    let odd = odd_ones_out(&given);
    outputs
        .iter()
        .zip(odd)
        .map(|(output, odd)| match output {
            Some(Err(outcome)) => Some(outcome.clone()),
            Some(Ok(_)) if odd => Some(differs("not the output that most others give")),
            _ => None,
        })
        .collect()
}

/// One block, the odd counts around the widths of kernels, a sector, a page and a bit, and what will be timed.
fn lengths(block_len: usize, chunk: usize) -> Vec<usize> {
    let mut lengths: Vec<usize> = [1, 2, 3, 5, 9, 17].map(|blocks| blocks * block_len).to_vec();
    lengths.extend([512, 4096 + block_len, chunk]);
    lengths
}

/// Both directions of one length; what one does the other must undo.
fn try_out(engine: &mut dyn Engine, len: usize) -> Result<Vec<u8>, Outcome> {
    let (iv, plain) = (sample(16, 2), sample(len, 3));
    let mut crypt = |direction, input: &[u8]| {
        let mut output = vec![0; len];
        match engine.crypt(direction, &iv, input, &mut output) {
            Ok(()) => Ok(output),
            Err(reason) => Err(Outcome::Failed {
                reason: format!("{} of {len} bytes: {reason}", direction.name()),
            }),
        }
    };
    let encrypted = crypt(Direction::Encrypt, &plain)?;
    let back = crypt(Direction::Decrypt, &encrypted)?;
    if back == plain {
        Ok(encrypted)
    } else {
        Err(differs(&format!("{len} bytes do not come back from decryption")))
    }
}

fn differs(reason: &str) -> Outcome {
    Outcome::Differs { reason: reason.to_owned() }
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

    #[test]
    fn lengths_fit_the_block() {
        for block_len in [8, 16] {
            assert!(lengths(block_len, 65_536).iter().all(|len| len % block_len == 0));
        }
    }
}

//! The positional filters: names and numbers of bytes, in any order. What they mean is for each subcommand to say.

use crate::algorithm::Named;
use crate::units::{format_size, parse_size};

/// QEMU's chunks: a sector, a page, a cluster's quarter, a cluster.
const DEFAULT_CHUNKS: [usize; 4] = [512, 4096, 16_384, 65_536];

/// Where libgcrypt ends an XTS data unit; nobody's I/O is larger.
const LARGEST_CHUNK: u64 = 16 << 20;

/// The words of a command line that nobody has taken yet.
pub(crate) struct Words(Vec<String>);

impl Words {
    pub(crate) fn new(words: &[String]) -> Self {
        Self(words.to_vec())
    }

    /// Takes the names of `N`s.
    pub(crate) fn names<N: Named>(&mut self) -> Vec<N> {
        self.0
            .extract_if(.., |word| N::from_name(word).is_some())
            .filter_map(|word| N::from_name(&word))
            .collect()
    }

    /// Takes the numbers of bytes, in order; `what` they count is for the complaint about more than `largest`. To be
    /// called after the names, some of which begin with a digit.
    pub(crate) fn lengths(&mut self, what: &str, largest: u64) -> Result<Vec<usize>, String> {
        let numbers =
            self.0.extract_if(.., |word| word.starts_with(|letter: char| letter.is_ascii_digit()));
        let mut lengths: Vec<usize> =
            numbers.map(|word| length(&word, what, largest)).collect::<Result<_, _>>()?;
        lengths.sort_unstable();
        lengths.dedup();
        Ok(lengths)
    }

    /// Takes the chunk sizes, or those of QEMU's benchmarks, if a case of `size` bytes has room for them.
    pub(crate) fn chunks(&mut self, size: u64) -> Result<Vec<usize>, String> {
        let mut chunks = self.lengths("chunks", LARGEST_CHUNK)?;
        if chunks.is_empty() {
            chunks = DEFAULT_CHUNKS.to_vec();
        }
        match chunks.iter().find(|chunk| **chunk as u64 > size) {
            Some(chunk) => Err(format!(
                "a size of {} is less than one chunk of {chunk} bytes",
                format_size(size)
            )),
            None => Ok(chunks),
        }
    }

    /// Complains of a word that is left: it is none of `known`.
    pub(crate) fn end(self, known: &str) -> Result<(), String> {
        match self.0.first() {
            Some(word) => Err(format!("unknown filter '{word}': neither {known}")),
            None => Ok(()),
        }
    }
}

fn length(word: &str, what: &str, largest: u64) -> Result<usize, String> {
    // 3des begins like a number too, and so may a slip of the pen.
    let bytes = parse_size(word).map_err(|reason| format!("unknown filter '{word}': {reason}"))?;
    if bytes > largest {
        return Err(format!("{what} of {word} are more than {}", format_size(largest)));
    }
    Ok(bytes as usize)
}

/// The names given to `--alg`.
pub(crate) fn algorithms<N: Named>(names: &[String]) -> Result<Vec<N>, String> {
    let algorithm = |name: &String| {
        N::from_name(name)
            .ok_or_else(|| format!("unknown algorithm '{name}': there are {}", N::names()))
    };
    names.iter().map(algorithm).collect()
}

/// Those that are `chosen` in the order of the tables, or the `default` where none is.
pub(crate) fn choose<N: Named>(chosen: &[N], default: &[N]) -> Vec<N> {
    let chosen = if chosen.is_empty() { default } else { chosen };
    N::ALL.iter().copied().filter(|one| chosen.contains(one)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{Algorithm, Hash, Mode};

    fn words(line: &str) -> Words {
        Words(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn any_order_and_twice() {
        let mut words = words("4K xts 512 aes-256 512 3des");
        assert_eq!(words.names::<Mode>(), [Mode::Xts]);
        assert_eq!(words.names::<Algorithm>(), [Algorithm::Aes256, Algorithm::TripleDes]);
        assert_eq!(words.chunks(1 << 20).unwrap(), [512, 4096]);
        words.end("anything").unwrap();
    }

    #[test]
    fn nothing_means_the_default() {
        assert_eq!(words("").chunks(1 << 20).unwrap(), DEFAULT_CHUNKS);
        assert_eq!(choose(&[], Hash::DEFAULT), Hash::DEFAULT);
        assert_eq!(choose(&[Hash::Sm3, Hash::Md5], Hash::DEFAULT), [Hash::Md5, Hash::Sm3]);
    }

    #[test]
    fn impossible() {
        for line in ["0", "512x", "17M", "99999999999999999999"] {
            assert!(words(line).chunks(1 << 30).is_err(), "{line}");
        }
        assert!(words("24").chunks(16).is_err());
        let complaint = words("gcm -1").end("a mode nor a chunk size").unwrap_err();
        assert_eq!(complaint, "unknown filter 'gcm': neither a mode nor a chunk size");
        assert!(algorithms::<Hash>(&["aes-128".to_owned()]).unwrap_err().contains("sha256"));
    }
}

//! The positional filters: modes, chunk sizes and algorithms, in any order.

use crate::algorithm::{Algorithm, Mode, Spec};
use crate::units::{format_size, parse_size};

/// QEMU's chunks: a sector, a page, a cluster's quarter, a cluster.
const DEFAULT_CHUNKS: [usize; 4] = [512, 4096, 16_384, 65_536];

/// Where libgcrypt ends an XTS data unit; nobody's I/O is larger.
const LARGEST_CHUNK: u64 = 16 << 20;

/// What the words on the command line ask for; nothing of a kind means all of that kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Filters {
    algorithms: Vec<Algorithm>,
    modes: Vec<Mode>,
    chunks: Vec<usize>,
}

impl Filters {
    pub(crate) fn parse(words: &[String], algorithms: &[Algorithm]) -> Result<Self, String> {
        let mut filters = Self { algorithms: algorithms.to_vec(), ..Self::default() };
        for word in words {
            filters.add(word)?;
        }
        filters.chunks.sort_unstable();
        filters.chunks.dedup();
        Ok(filters)
    }

    fn add(&mut self, word: &str) -> Result<(), String> {
        if let Some(mode) = Mode::from_name(word) {
            self.modes.push(mode);
        } else if let Some(algorithm) = Algorithm::from_name(word) {
            self.algorithms.push(algorithm);
        } else if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            self.chunks.push(chunk(word)?);
        } else {
            return Err(format!(
                "unknown filter '{word}': neither a mode ({}), an algorithm nor a chunk size",
                modes()
            ));
        }
        Ok(())
    }

    /// The ciphers chosen, `default` algorithms where none is named.
    pub(crate) fn specs(&self, default: &[Algorithm]) -> Result<Vec<Spec>, String> {
        let algorithms = if self.algorithms.is_empty() { default } else { &self.algorithms };
        let modes = if self.modes.is_empty() { &Mode::ALL[..] } else { &self.modes };
        let chosen = |algorithm: &Algorithm| algorithms.contains(algorithm);
        let specs: Vec<Spec> = Algorithm::ALL
            .into_iter()
            .filter(chosen)
            .flat_map(|algorithm| Mode::ALL.map(|mode| Spec { algorithm, mode }))
            .filter(|spec| modes.contains(&spec.mode) && spec.exists())
            .collect();
        if specs.is_empty() {
            return Err("nothing to measure: XTS needs a cipher of 16-byte blocks".to_owned());
        }
        Ok(specs)
    }

    /// The chunk sizes chosen, if each can be measured with `size` bytes a case.
    pub(crate) fn chunks(&self, specs: &[Spec], size: u64) -> Result<Vec<usize>, String> {
        let chunks = if self.chunks.is_empty() { &DEFAULT_CHUNKS[..] } else { &self.chunks };
        for chunk in chunks {
            if let Some(spec) = specs.iter().find(|spec| chunk % spec.algorithm.block_len() != 0) {
                let block_len = spec.algorithm.block_len();
                return Err(format!(
                    "chunks of {chunk} bytes are no multiple of the {block_len}-byte block of {spec}"
                ));
            }
            if *chunk as u64 > size {
                return Err(format!(
                    "a size of {} is less than one chunk of {chunk} bytes",
                    format_size(size)
                ));
            }
        }
        Ok(chunks.to_vec())
    }

    pub(crate) fn has_chunks(&self) -> bool {
        !self.chunks.is_empty()
    }
}

fn chunk(word: &str) -> Result<usize, String> {
    // 3des begins like a number too, and so may a slip of the pen.
    let bytes = parse_size(word).map_err(|reason| format!("unknown filter '{word}': {reason}"))?;
    if bytes > LARGEST_CHUNK {
        return Err(format!("chunks of {word} are more than {}", format_size(LARGEST_CHUNK)));
    }
    Ok(bytes as usize)
}

fn modes() -> String {
    Mode::ALL.map(Mode::name).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<Filters, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Filters::parse(&words, &[])
    }

    #[test]
    fn nothing_means_the_default() {
        let filters = parse("").unwrap();
        let specs = filters.specs(&Algorithm::DEFAULT).unwrap();
        assert_eq!(specs.len(), 12);
        assert_eq!(filters.chunks(&specs, 1 << 20).unwrap(), DEFAULT_CHUNKS);
    }

    #[test]
    fn any_order_and_twice() {
        let filters = parse("4K xts 512 aes-256 512 3des").unwrap();
        let specs = filters.specs(&Algorithm::DEFAULT).unwrap();
        assert_eq!(specs, [Spec { algorithm: Algorithm::Aes256, mode: Mode::Xts }]);
        assert_eq!(filters.chunks(&specs, 1 << 20).unwrap(), [512, 4096]);
    }

    #[test]
    fn impossible() {
        for words in ["gcm", "0", "512x", "17M", "aes", "-1"] {
            assert!(parse(words).is_err(), "{words}");
        }
        assert!(parse("xts des").unwrap().specs(&[]).is_err());
        let filters = parse("24").unwrap();
        let eight = [Spec { algorithm: Algorithm::Des, mode: Mode::Cbc }];
        let sixteen = [Spec { algorithm: Algorithm::Sm4, mode: Mode::Cbc }];
        assert!(filters.chunks(&eight, 1 << 20).is_ok());
        assert!(filters.chunks(&sixteen, 1 << 20).is_err());
        assert!(filters.chunks(&eight, 16).is_err());
    }
}

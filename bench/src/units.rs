//! Amounts of data as people write them.

/// The seeds' "MB": 2^20 bytes.
const MIB: f64 = 1_048_576.0;

/// How fast chunks go through that take `seconds` each.
pub(crate) fn mib_per_second(chunk: usize, seconds: f64) -> f64 {
    chunk as f64 / MIB / seconds
}

/// How many whole chunks hold `size` bytes.
pub(crate) fn calls_for(size: u64, chunk: usize) -> u64 {
    size.div_ceil(chunk as u64)
}

/// A number of bytes, with K, M or G for powers of 1024: `512`, `4K`, `2G`.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.char_indices().last() {
        Some((end, 'K' | 'k')) => (&text[..end], 10),
        Some((end, 'M' | 'm')) => (&text[..end], 20),
        Some((end, 'G' | 'g')) => (&text[..end], 30),
        _ => (text, 0),
    };
    // u64's own parser would also take a sign.
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("'{text}' is not a number of bytes (512, 4K, 64M, 2G)"));
    }
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    match bytes {
        Some(0) => Err("0 bytes cannot be measured".to_owned()),
        Some(bytes) => Ok(bytes),
        None => Err(format!("'{text}' is more than can be counted")),
    }
}

/// The shortest way to write a size that `parse_size` reads back.
pub(crate) fn format_size(bytes: u64) -> String {
    for (shift, suffix) in [(30, "G"), (20, "M"), (10, "K")] {
        if bytes != 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{}{suffix}", bytes >> shift);
        }
    }
    bytes.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_and_written() {
        for (text, bytes) in [("512", 512), ("4k", 4096), ("64M", 64 << 20), ("2G", 2 << 30)] {
            assert_eq!(parse_size(text), Ok(bytes));
        }
        for bytes in [1, 512, 1000, 4096, 1 << 20, 3 << 30] {
            assert_eq!(parse_size(&format_size(bytes)), Ok(bytes));
        }
    }

    #[test]
    fn impossible_sizes() {
        for text in [
            "",
            "K",
            "0",
            "0G",
            "-1",
            "+1",
            "1.5G",
            "2GB",
            "many",
            "99999999999999999999",
            "99999999999G",
            "1é",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}

//! The command line.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};

use crate::peers;
use crate::units::parse_size;

/// `--size`, where none is given.
const DEFAULT_SIZE: u64 = 2 << 30;

/// `--threads`, where none are given.
const DEFAULT_THREADS: u16 = 2;

/// `--iterations`, where none are given: some ten milliseconds of a fast library's time in each round.
const DEFAULT_ITERATIONS: u64 = 1_500_000;

/// Times libqcrypto and the other crypto libraries of this machine side by side
#[derive(Debug, Parser)]
#[command(name = "qcrypto-bench", version, subcommand_required = false)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: Options,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Throughput of encryption and decryption, by mode and chunk size
    Cipher {
        /// Modes (ecb cbc ctr xts), algorithms (aes-128 ... sm4) and chunk sizes (512 4096 16384 65536 or any other)
        #[arg(value_name = "FILTER")]
        filters: Vec<String>,
    },
    /// Throughput of hashes, by chunk size; each chunk is a message
    Hash {
        /// Hashes (md5 sha1 sha224 sha256 sha384 sha512 ripemd160 sm3) and chunk sizes
        #[arg(value_name = "FILTER")]
        filters: Vec<String>,
    },
    /// Throughput of HMAC, by chunk size; each chunk is a message
    Hmac {
        /// Hashes and chunk sizes
        #[arg(value_name = "FILTER")]
        filters: Vec<String>,
    },
    /// Iterations of PBKDF2 a second, by length of the key
    Pbkdf {
        /// Hashes and lengths of the key in bytes (20 32 64 or any other)
        #[arg(value_name = "FILTER")]
        filters: Vec<String>,
    },
    /// Throughput of runs of disk sectors with an IV each, by mode, IV generator and sector size
    Sectors {
        /// Modes, algorithms, IV generators (plain64 essiv) and sector sizes
        #[arg(value_name = "FILTER")]
        filters: Vec<String>,
    },
    /// The same from several threads, with one object for all and with one each
    Threads {
        /// Modes, algorithms, IV generators and sector sizes
        #[arg(value_name = "FILTER")]
        filters: Vec<String>,
    },
    /// Nanoseconds a call: a new object and its end, setiv, one block, one sector
    Cost {
        /// Modes and algorithms
        #[arg(value_name = "FILTER")]
        filters: Vec<String>,
    },
}

#[derive(Debug, Args)]
#[cfg_attr(test, derive(Default))]
pub(crate) struct Options {
    /// Bytes for each implementation, case and direction, with K, M or G [default: 2G]
    #[arg(long, global = true, value_name = "BYTES", value_parser = parse_size)]
    size: Option<u64>,

    /// Iterations of PBKDF2 for each implementation and case [default: 1500000]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,

    /// Threads of the subcommand of that name [default: 2]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Times the whole list of cases is gone through
    #[arg(long, global = true, value_name = "N", default_value = "15", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) passes: u32,

    /// Rounds in each pass, in all of which everyone has a turn
    #[arg(long, global = true, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) rounds: u32,

    /// Algorithms, besides those among the filters
    #[arg(long = "alg", global = true, value_name = "NAME", value_delimiter = ',')]
    pub(crate) algorithms: Vec<String>,

    /// Set the IV once a round, not before every chunk
    #[arg(long, global = true)]
    pub(crate) keep_iv: bool,

    /// Print a line for each figure, as QEMU's benchmarks do, in place of tables
    #[arg(long, global = true)]
    pub(crate) plain: bool,

    /// Write all figures to FILE as JSON; "-" prints them in place of tables
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Draw throughput over chunk size to FILE
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// The same as a bitmap
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) png: Option<PathBuf>,

    /// Measure this build of libqcrypto; may be given more than once
    #[arg(long = "lib", global = true, value_name = "PATH")]
    pub(crate) libraries: Vec<String>,

    /// Measure against these only: gcrypt, nettle, openssl, gnutls, afalg, keylocker; or none
    #[arg(long, global = true, value_name = "LIST", value_delimiter = ',', value_parser = peer)]
    pub(crate) peers: Option<Vec<String>>,

    /// Stay on this core
    #[arg(long, global = true, value_name = "N")]
    pub(crate) core: Option<usize>,

    /// Show no progress bar
    #[arg(long, global = true)]
    pub(crate) no_progress: bool,

    /// Say what implementations there are, and why others are not
    #[arg(long)]
    pub(crate) list: bool,
}

/// Options that mean something to some subcommands only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    Size,
    Iterations,
    KeepIv,
    Picture,
    Threads,
}

impl Options {
    /// Whether an implementation of this name takes part.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.peers.as_ref().is_none_or(|peers| peers.iter().any(|peer| peer == name))
    }

    pub(crate) fn size(&self) -> u64 {
        self.size.unwrap_or(DEFAULT_SIZE)
    }

    pub(crate) fn iterations(&self) -> u64 {
        self.iterations.unwrap_or(DEFAULT_ITERATIONS)
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or(DEFAULT_THREADS).into()
    }

    /// Complains of an option that the subcommand `name`, which takes `extras`, would pass over in silence.
    pub(crate) fn expect(&self, name: &str, extras: &[Extra]) -> Result<(), String> {
        let given = [
            (Extra::Size, "--size", self.size.is_some()),
            (Extra::Iterations, "--iterations", self.iterations.is_some()),
            (Extra::KeepIv, "--keep-iv", self.keep_iv),
            (Extra::Threads, "--threads", self.threads.is_some()),
            (Extra::Picture, "--svg", self.svg.is_some()),
            (Extra::Picture, "--png", self.png.is_some()),
        ];
        match given.iter().find(|(extra, _, given)| *given && !extras.contains(extra)) {
            Some((_, option, _)) => Err(format!("{option} means nothing to {name}")),
            None => Ok(()),
        }
    }
}

fn peer(name: &str) -> Result<String, String> {
    if name == "none" || peers::NAMES.contains(&name) {
        Ok(name.to_owned())
    } else {
        Err(format!("the implementations are {}", peers::NAMES.join(" ")))
    }
}

/// What came of reading the command line.
pub(crate) enum Parsed {
    Run(Box<Cli>),
    /// Help or the version was asked for.
    Print(String),
    /// One line that says what is wrong.
    Wrong(String),
}

pub(crate) fn parse(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> Parsed {
    match Cli::try_parse_from(arguments) {
        Ok(cli) => Parsed::Run(Box::new(cli)),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Parsed::Print(error.to_string()),
            _ => Parsed::Wrong(first_paragraph(&error.to_string())),
        },
    }
}

/// clap explains at length; its first paragraph says it, and the manual says the rest.
fn first_paragraph(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    line.strip_prefix("error: ").unwrap_or(&line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Parsed {
        parse(line.split_whitespace().map(std::ffi::OsString::from))
    }

    #[test]
    fn options_stand_anywhere() {
        for line in
            ["qcrypto-bench --size 1M cipher xts 512", "qcrypto-bench cipher xts --size 1M 512"]
        {
            let Parsed::Run(cli) = read(line) else { panic!("{line}") };
            assert_eq!(cli.options.size(), 1 << 20);
            assert!(
                matches!(cli.command, Some(Command::Cipher { filters }) if filters == ["xts", "512"])
            );
        }
    }

    #[test]
    fn lists() {
        let Parsed::Run(cli) =
            read("qcrypto-bench cost --alg sm4,des --alg 3des --peers gcrypt,nettle")
        else {
            panic!()
        };
        assert_eq!(cli.options.algorithms, ["sm4", "des", "3des"]);
        assert!(cli.options.wants("nettle") && !cli.options.wants("openssl"));
    }

    #[test]
    fn one_line_each() {
        for line in [
            "--size 0",
            "--size x",
            "--rounds 0",
            "--peers rust",
            "--core x",
            "--frobnicate",
            "dance",
        ] {
            let Parsed::Wrong(message) = read(&format!("qcrypto-bench {line}")) else {
                panic!("{line}")
            };
            assert!(!message.contains('\n') && !message.starts_with("error"), "{message}");
        }
    }

    #[test]
    fn nothing_is_passed_over() {
        for option in
            ["--size 1M", "--iterations 9", "--keep-iv", "--svg x", "--png x", "--threads 4"]
        {
            let Parsed::Run(cli) = read(&format!("qcrypto-bench cost {option}")) else { panic!() };
            assert!(cli.options.expect("cost", &[]).unwrap_err().contains(&option[..5]));
            let all =
                [Extra::Size, Extra::Iterations, Extra::KeepIv, Extra::Picture, Extra::Threads];
            assert_eq!(cli.options.expect("cipher", &all), Ok(()));
        }
    }

    #[test]
    fn clap_agrees_with_itself() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}

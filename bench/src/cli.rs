//! The command line.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};

use crate::algorithm::Algorithm;
use crate::peers;
use crate::units::parse_size;

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
    /// Nanoseconds a call: a new object and its end, setiv, one block, one sector
    Cost {
        /// Modes and algorithms
        #[arg(value_name = "FILTER")]
        filters: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Bytes for each implementation, case and direction, with K, M or G
    #[arg(long, global = true, value_name = "BYTES", default_value = "2G", value_parser = parse_size)]
    pub(crate) size: u64,

    /// Times the whole list of cases is gone through
    #[arg(long, global = true, value_name = "N", default_value = "15", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) passes: u32,

    /// Rounds in each pass, in all of which everyone has a turn
    #[arg(long, global = true, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) rounds: u32,

    /// Algorithms, besides those among the filters
    #[arg(long = "alg", global = true, value_name = "NAME", value_delimiter = ',', value_parser = algorithm)]
    pub(crate) algorithms: Vec<Algorithm>,

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

impl Options {
    /// Whether an implementation of this name takes part.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.peers.as_ref().is_none_or(|peers| peers.iter().any(|peer| peer == name))
    }
}

fn algorithm(name: &str) -> Result<Algorithm, String> {
    Algorithm::from_name(name).ok_or_else(|| {
        format!("the algorithms are {}", Algorithm::ALL.map(Algorithm::name).join(" "))
    })
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
            assert_eq!(cli.options.size, 1 << 20);
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
        assert_eq!(cli.options.algorithms, [Algorithm::Sm4, Algorithm::Des, Algorithm::TripleDes]);
        assert!(cli.options.wants("nettle") && !cli.options.wants("openssl"));
    }

    #[test]
    fn one_line_each() {
        for line in [
            "--size 0",
            "--size x",
            "--rounds 0",
            "--alg rot13",
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
    fn clap_agrees_with_itself() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}

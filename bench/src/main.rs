//! qcrypto-bench: libqcrypto and the other crypto libraries of a machine, timed side by side.
//!
//! - `cli`, `select`, `units`: what is asked for
//! - `peers`: the libraries, each opened at run time
//! - `cipher`, `hash`, `pbkdf`, `sectors`, `threads`, `cost`: the subcommands
//! - `tournament`: what they have in common
//! - `compare`, `contest`, `measure`, `clock`, `buffer`, `stats`: same outputs, then same work by turns, then medians
//! - `session`, `machine`, `output`, `report`: where it happens and what comes out

mod algorithm;
mod buffer;
mod cipher;
mod cli;
mod clock;
mod compare;
mod contest;
mod cost;
mod hash;
mod machine;
mod measure;
mod output;
mod pbkdf;
mod peers;
mod problem;
mod report;
mod sectors;
mod select;
mod session;
mod stats;
mod threads;
mod tournament;
mod units;

use std::process::ExitCode;

use cipher::Throughput;
use cli::{Cli, Command, Parsed};
use cost::Cost;
use hash::{Kind, Messages};
use pbkdf::Keys;
use peers::Family;
use problem::Problem;
use sectors::Sectors;
use session::write_out;
use threads::Threads;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("qcrypto-bench: {}", problem.message());
            problem.exit_code()
        }
    }
}

fn run() -> Result<ExitCode, Problem> {
    let cli = match cli::parse(std::env::args_os()) {
        Parsed::Run(cli) => *cli,
        Parsed::Print(text) => return write_out(&text).map(|()| ExitCode::SUCCESS),
        Parsed::Wrong(line) => return Err(Problem::Usage(line)),
    };
    let Cli { options, command } = cli;
    if options.list {
        let found = peers::find(&options.libraries, |name| options.wants(name), Family::Ciphers)
            .map_err(Problem::Usage)?;
        return write_out(&report::list(&found)).map(|()| ExitCode::SUCCESS);
    }
    match command {
        Some(Command::Cipher { filters }) => {
            tournament::run(options, |options| Throughput::new(options, &filters))
        }
        Some(Command::Hash { filters }) => {
            tournament::run(options, |options| Messages::new(Kind::Hash, options, &filters))
        }
        Some(Command::Hmac { filters }) => {
            tournament::run(options, |options| Messages::new(Kind::Hmac, options, &filters))
        }
        Some(Command::Pbkdf { filters }) => {
            tournament::run(options, |options| Keys::new(options, &filters))
        }
        Some(Command::Sectors { filters }) => {
            tournament::run(options, |options| Sectors::new(options, &filters))
        }
        Some(Command::Threads { filters }) => {
            tournament::run(options, |options| Threads::new(options, &filters))
        }
        Some(Command::Cost { filters }) => {
            tournament::run(options, |options| Cost::new(options, &filters))
        }
        None => Err(Problem::Usage(
            "what shall be measured: cipher, hash, hmac, pbkdf, sectors, threads or cost?"
                .to_owned(),
        )),
    }
}

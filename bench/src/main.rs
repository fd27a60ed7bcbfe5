//! qcrypto-bench: libqcrypto and the other crypto libraries of a machine, timed side by side.
//!
//! - `cli`, `select`, `units`: what is asked for
//! - `peers`: the libraries, each opened at run time
//! - `cipher`, `cost`: the subcommands
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
mod machine;
mod measure;
mod output;
mod peers;
mod problem;
mod report;
mod select;
mod session;
mod stats;
mod units;

use std::process::ExitCode;

use cli::{Cli, Command, Parsed};
use problem::Problem;
use select::Filters;
use session::{Session, write_out};

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
        let found =
            peers::find(&options.libraries, |name| options.wants(name)).map_err(Problem::Usage)?;
        return write_out(&report::list(&found)).map(|()| ExitCode::SUCCESS);
    }
    let parse =
        |words: &[String]| Filters::parse(words, &options.algorithms).map_err(Problem::Usage);
    let session = match command {
        Some(Command::Cipher { filters }) => {
            let filters = parse(&filters)?;
            let session = Session::open(options)?;
            cipher::run(&session, &filters)?;
            session
        }
        Some(Command::Cost { filters }) => {
            let filters = parse(&filters)?;
            let session = Session::open(options)?;
            cost::run(&session, &filters)?;
            session
        }
        None => return Err(Problem::Usage("what shall be measured: cipher or cost?".to_owned())),
    };
    // A library that gives wrong answers or none must not look like success to a script.
    Ok(if session.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

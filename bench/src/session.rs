//! What every subcommand shares: the options, the implementations, where the output goes.

use std::cell::Cell;
use std::io::{self, Write};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::cli::Options;
use crate::contest::{Case, Contest, Entrant, Outcome};
use crate::machine::{Machine, pin};
use crate::measure::Plan;
use crate::output::Destination;
use crate::peers::{Absent, Family, Found, Implementation, Title, find};
use crate::problem::Problem;
use crate::report::{self, Figure, Label};

/// Where the JSON goes.
enum Json {
    StandardOutput,
    File(Destination),
}

pub(crate) struct Session {
    pub(crate) options: Options,
    pub(crate) machine: Machine,
    pub(crate) core: usize,
    pub(crate) svg: Option<Destination>,
    pub(crate) png: Option<Destination>,
    json: Option<Json>,
    found: Found,
    bar: ProgressBar,
    complained: Cell<bool>,
}

impl Session {
    /// Everything that can be wrong with the options is found out here, before hours are spent.
    pub(crate) fn open(options: Options, family: Family) -> Result<Self, Problem> {
        let destination = |path: &Option<_>| {
            path.as_deref().map(Destination::new).transpose().map_err(Problem::Usage)
        };
        let (svg, png) = (destination(&options.svg)?, destination(&options.png)?);
        let json = match options.json.as_deref() {
            Some(path) if path == Path::new("-") => Some(Json::StandardOutput),
            path => destination(&path.map(Path::to_owned))?.map(Json::File),
        };
        let found =
            find(&options.libraries, |name| options.wants(name), family).map_err(Problem::Usage)?;
        if found.implementations.is_empty() {
            return Err(Problem::Failure(
                "no implementation to measure; --list says why".to_owned(),
            ));
        }
        let core = pin(options.core).map_err(Problem::Usage)?;
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg:32} {wide_bar} {percent:>3}%, {eta} to go");
        bar.set_style(style.expect("a template that indicatif reads"));
        if options.no_progress {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let machine = Machine::read();
        Ok(Self {
            options,
            machine,
            core,
            svg,
            png,
            json,
            found,
            bar,
            complained: Cell::new(false),
        })
    }

    pub(crate) fn implementations(&self) -> impl Iterator<Item = &Implementation> {
        self.found.implementations.iter()
    }

    pub(crate) fn titles(&self) -> impl Iterator<Item = &Title> {
        self.implementations().map(|implementation| &implementation.title)
    }

    pub(crate) fn absent(&self) -> &[Absent] {
        &self.found.absent
    }

    pub(crate) fn contest<L>(&self, label: L) -> Contest<'_, L> {
        Contest::new(label, self.titles())
    }

    /// How long the progress bar is: every pass of these plans.
    pub(crate) fn expect_slices(&self, plans: impl Iterator<Item = Plan>) {
        let slices: u64 = plans.map(|plan| plan.slices(self.found.implementations.len())).sum();
        self.bar.set_length(slices * u64::from(self.options.passes));
    }

    /// One pass of one contest, with the progress bar saying so.
    pub(crate) fn pass<E: ?Sized, L: Label>(
        &self,
        contest: &mut Contest<'_, L>,
        entrants: &mut [Entrant<'_, E>],
        excluded: &[Option<Outcome>],
        plan: Plan,
        work: impl FnMut(&mut E, u64) -> Result<(), String>,
    ) {
        let end = self.bar.position() + plan.slices(entrants.len());
        self.bar.set_message(contest.label.line());
        contest.pass(entrants, excluded, plan, work, || self.bar.inc(1));
        // Who cannot take part has no slices.
        self.bar.set_position(end);
    }

    /// Prints what was measured and writes the JSON; says on standard error what failed.
    pub(crate) fn show<L: Label + Serialize>(
        &self,
        figure: &Figure,
        cases: &[Case<L>],
    ) -> Result<(), Problem> {
        self.bar.finish_and_clear();
        for case in cases {
            for row in &case.rows {
                if let Some(complaint) = row.outcome.complaint() {
                    self.complained.set(true);
                    eprintln!(
                        "qcrypto-bench: {}: {} {complaint}",
                        case.label.line(),
                        row.implementation
                    );
                }
            }
        }
        match &self.json {
            Some(Json::StandardOutput) => write_out(&report::json(self, figure, cases)),
            Some(Json::File(destination)) => {
                write_out(&report::text(self, figure, cases))?;
                destination
                    .write(report::json(self, figure, cases).as_bytes())
                    .map_err(Problem::Failure)
            }
            None => write_out(&report::text(self, figure, cases)),
        }
    }

    /// Whether nothing failed.
    pub(crate) fn is_clean(&self) -> bool {
        !self.complained.get()
    }
}

pub(crate) fn write_out(text: &str) -> Result<(), Problem> {
    let mut output = io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
        .map_err(|error| Problem::Failure(format!("cannot write to standard output: {error}")))
}

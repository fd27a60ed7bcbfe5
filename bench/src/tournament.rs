//! What all subcommands do: every case in every pass, everyone's output compared before it is timed.

use std::process::ExitCode;

use serde::Serialize;

use crate::cli::{Extra, Options};
use crate::compare;
use crate::contest::{Contest, Entrant, Outcome};
use crate::measure::Plan;
use crate::peers::{Family, Implementation, Refusal};
use crate::problem::Problem;
use crate::report::{self, Figure, plot};
use crate::session::Session;

/// A subcommand: what it measures.
pub(crate) trait Discipline {
    /// What an engine is opened for.
    type Subject: Copy + PartialEq;
    /// What is done with it. A subject in an event is a case.
    type Event: Copy;
    type Engine: ?Sized;
    type Label: report::Label + Serialize;

    /// Whose functions are called.
    const FAMILY: Family;
    /// The options that mean something here, of those that do not everywhere.
    const EXTRAS: &'static [Extra];

    fn figure(&self) -> Figure;

    /// All cases, those of a subject side by side.
    fn cases(&self) -> Vec<(Self::Subject, Self::Event)>;

    fn label(&self, subject: Self::Subject, event: Self::Event) -> Self::Label;

    /// The calls to be timed, over all passes.
    fn calls(&self, event: Self::Event) -> u64;

    fn open(
        &self,
        implementation: &Implementation,
        subject: Self::Subject,
    ) -> Result<Box<Self::Engine>, Refusal>;

    /// What serves inside, where the library tells.
    fn kernel(&self, _engine: &Self::Engine) -> String {
        String::new()
    }

    /// Output that must be everyone's.
    fn output(
        &self,
        engine: &mut Self::Engine,
        subject: Self::Subject,
        event: Self::Event,
    ) -> Result<Vec<u8>, Outcome>;

    /// Does as many calls as it is told.
    fn work(
        &self,
        subject: Self::Subject,
        event: Self::Event,
    ) -> impl FnMut(&mut Self::Engine, u64) -> Result<(), String>;

    /// The figure to show, from the seconds a call took.
    fn value(&self, event: Self::Event, seconds: f64) -> f64;
}

/// A case on its way.
struct Match<'a, D: Discipline> {
    subject: D::Subject,
    event: D::Event,
    plan: Plan,
    contest: Contest<'a, D::Label>,
}

/// Everything, from the options to the report. What is wrong with the command line is found out first.
pub(crate) fn run<D: Discipline>(
    options: Options,
    discipline: impl FnOnce(&Options) -> Result<D, String>,
) -> Result<ExitCode, Problem> {
    let discipline = discipline(&options).map_err(Problem::Usage)?;
    options.expect(discipline.figure().kind, D::EXTRAS).map_err(Problem::Usage)?;
    let session = Session::open(options, D::FAMILY)?;
    measure(&session, &discipline)?;
    // A library that gives wrong answers or none must not look like success to a script.
    Ok(if session.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn measure<D: Discipline>(session: &Session, discipline: &D) -> Result<(), Problem> {
    let (passes, rounds) = (session.options.passes, session.options.rounds);
    let enter = |(subject, event)| Match::<D> {
        subject,
        event,
        plan: Plan::new(discipline.calls(event).div_ceil(passes.into()), rounds),
        contest: session.contest(discipline.label(subject, event)),
    };
    let mut matches: Vec<Match<'_, D>> = discipline.cases().into_iter().map(enter).collect();
    session.expect_slices(matches.iter().map(|one| one.plan));
    for _ in 0..passes {
        for of_one_subject in matches.chunk_by_mut(|a, b| a.subject == b.subject) {
            pass(session, discipline, of_one_subject);
        }
    }
    let judge = |one: Match<'_, D>| {
        let event = one.event;
        one.contest.judge(|seconds| discipline.value(event, seconds))
    };
    let cases: Vec<_> = matches.into_iter().map(judge).collect();
    session.show(&discipline.figure(), &cases)?;
    plot::write(session, &cases)
}

/// All cases of one subject, with new engines.
fn pass<D: Discipline>(session: &Session, discipline: &D, matches: &mut [Match<'_, D>]) {
    let subject = matches[0].subject;
    let mut entrants: Vec<Entrant<'_, D::Engine>> = session
        .implementations()
        .map(|implementation| {
            let engine = discipline.open(implementation, subject);
            let kernel =
                engine.as_ref().map(|engine| discipline.kernel(engine)).unwrap_or_default();
            Entrant { title: &implementation.title, kernel, engine }
        })
        .collect();
    for Match { event, plan, contest, .. } in matches {
        let verdict =
            compare::check(&mut entrants, |engine| discipline.output(engine, subject, *event));
        session.pass(contest, &mut entrants, &verdict, *plan, discipline.work(subject, *event));
    }
}

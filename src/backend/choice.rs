//! Which backends are asked, and in which order.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{BACKENDS, Backend, named};
use crate::cpu;
use crate::error::Error;

/// The variable that holds a list for programs that set none.
const VARIABLE: &str = "QCRYPTO_BACKENDS";

/// The backend that ends every list that does not end in `!`.
const LAST_RESORT: &str = "native";

/// An order of backends.
///
/// It is one number, four bits a place with the first place lowest: a backend's position in [`BACKENDS`] plus one. So a
/// thread that makes an object never waits for one that changes the order, nor a child of fork() for a thread that it
/// does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Choice(u64);

/// What [`set`] was last told; [`Choice::UNSET`] until then.
static SET: AtomicU64 = AtomicU64::new(Choice::UNSET.0);

impl Choice {
    const PLACE_BITS: u32 = 4;
    /// All places taken by a backend that does not exist.
    const UNSET: Self = Self(u64::MAX);
    const EMPTY: Self = Self(0);

    /// The order that objects made now follow: that of the last call, else of the environment, else the default.
    pub(super) fn current() -> Self {
        match Self(SET.load(Ordering::Relaxed)) {
            Self::UNSET => Environment::get().choice,
            choice => choice,
        }
    }

    /// The backends, the first to be asked first.
    pub(super) fn backends(self) -> impl Iterator<Item = &'static dyn Backend> {
        let places = (0..u64::BITS / Self::PLACE_BITS).map(move |place| self.place(place));
        places.map_while(|position| BACKENDS.get(position?).copied())
    }

    /// The position in [`BACKENDS`] that stands in a place.
    fn place(self, place: u32) -> Option<usize> {
        let bits = (self.0 >> (place * Self::PLACE_BITS)) & ((1 << Self::PLACE_BITS) - 1);
        (bits as usize).checked_sub(1)
    }

    /// With one more at the end, unless it is there already: a second time would ask in vain.
    fn with(self, backend: &str) -> Self {
        if self.backends().any(|known| known.name() == backend) {
            return self;
        }
        let Some(position) = BACKENDS.iter().position(|known| known.name() == backend) else {
            return self;
        };
        let places = self.backends().count() as u32;
        Self(self.0 | (position as u64 + 1) << (places * Self::PLACE_BITS))
    }

    /// Reads a list: names with commas between them; `!` at the end leaves out the backend that stands last otherwise.
    /// Also returns the names that no backend has.
    fn read(list: &str) -> (Self, Vec<&str>) {
        let (names, last) = match list.trim().strip_suffix('!') {
            Some(names) => (names, None),
            None => (list, Some(LAST_RESORT)),
        };
        let (known, unknown): (Vec<_>, Vec<_>) =
            names.split(',').map(str::trim).partition(|name| named(name).is_some());
        let choice = known.into_iter().chain(last).fold(Self::EMPTY, Self::with);
        (choice, unknown)
    }
}

/// What the environment says, read once.
struct Environment {
    choice: Choice,
    unknown: Vec<String>,
}

impl Environment {
    fn get() -> &'static Self {
        static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
        ENVIRONMENT.get_or_init(|| Self::read(&cpu::environment(VARIABLE).unwrap_or_default()))
    }

    /// A name that no backend has is passed over, as a library would be that is not there: with `!` at the end there may
    /// be nothing left, and that is what was asked for.
    fn read(list: &str) -> Self {
        if list.trim().is_empty() {
            return Self { choice: Choice::EMPTY.with(LAST_RESORT), unknown: Vec::new() };
        }
        let (choice, unknown) = Choice::read(list);
        Self { choice, unknown: unknown.into_iter().map(str::to_owned).collect() }
    }
}

/// Makes objects made from now on follow a list; without one, the environment again.
///
/// # Errors
/// A name that no backend has, which leaves everything as it was.
pub(crate) fn set(list: Option<&str>) -> Result<(), Error> {
    let choice = match list {
        None => Choice::UNSET,
        Some(list) => match Choice::read(list) {
            (choice, unknown) if unknown.is_empty() => choice,
            (_, unknown) => return Err(Error::UnknownBackend(unknown[0].into())),
        },
    };
    SET.store(choice.0, Ordering::Relaxed);
    Ok(())
}

/// Opens what the order names.
///
/// # Errors
/// Nothing of it is there.
pub(crate) fn open_all() -> Result<(), Error> {
    let opened = Choice::current().backends().filter(|backend| backend.version().is_ok()).count();
    if opened == 0 { Err(Error::NoBackend) } else { Ok(()) }
}

/// A line for each backend: its name, whether it is in use, available or not available, and its version or the reason
/// why not. Those of the order come first, in that order.
pub(crate) fn describe() -> String {
    let chosen: Vec<_> = Choice::current().backends().collect();
    let is_chosen = |name| chosen.iter().any(|backend| backend.name() == name);
    let others = BACKENDS.iter().copied().filter(|backend| !is_chosen(backend.name()));
    let mut lines = String::new();
    for backend in chosen.iter().copied().chain(others) {
        let name = backend.name();
        let (state, detail) = match backend.version() {
            Ok(version) if is_chosen(name) => ("in use", version),
            Ok(version) => ("available", version),
            Err(reason) => ("not available", reason),
        };
        lines += &format!("{name}: {state}, {detail}\n");
    }
    for name in &Environment::get().unknown {
        lines += &format!("{name}: unknown, from {VARIABLE}\n");
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(choice: Choice) -> Vec<&'static str> {
        choice.backends().map(Backend::name).collect()
    }

    #[test]
    fn native_stands_last() {
        assert_eq!(names(Choice::read("gcrypt, nettle").0), ["gcrypt", "nettle", "native"]);
        assert_eq!(names(Choice::read("native,gcrypt").0), ["native", "gcrypt"]);
        assert_eq!(names(Choice::read("nettle,nettle,gcrypt!").0), ["nettle", "gcrypt"]);
        assert_eq!(names(Choice::read(" gcrypt ! ").0), ["gcrypt"]);
    }

    #[test]
    fn names_nobody_has() {
        assert_eq!(Choice::read("gcrypt,foo,,").1, ["foo", "", ""]);
        assert_eq!(Choice::read("").1, [""]);
        assert_eq!(Choice::read("!").1, [""]);
        assert_eq!(Choice::read("gcrypt!,nettle").1, ["gcrypt!"]);
        assert_eq!(names(Choice::read("foo!").0), [""; 0]);
    }

    #[test]
    fn environment() {
        assert_eq!(names(Environment::read(" ").choice), ["native"]);
        let foo = Environment::read("foo,gcrypt");
        assert_eq!(
            (names(foo.choice), foo.unknown),
            (vec!["gcrypt", "native"], vec!["foo".to_owned()])
        );
    }

    #[test]
    fn every_backend_has_a_place() {
        let all: Vec<_> = BACKENDS.iter().map(|backend| backend.name()).collect();
        assert!(all.len() < 1 << Choice::PLACE_BITS);
        assert_eq!(names(Choice::read(&format!("{}!", all.join(","))).0), all);
    }
}

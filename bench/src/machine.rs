//! What the figures were measured on, and the core they are measured on.

use std::fs;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use serde::Serialize;

/// CPU features that decide which kernels a library picks, as `/proc/cpuinfo` spells them.
const TELLING_FLAGS: [&str; 13] = [
    "aes",
    "vaes",
    "pclmulqdq",
    "vpclmulqdq",
    "avx2",
    "avx512f",
    "gfni",
    "sha_ni",
    "aeskle",
    "pmull",
    "sha2",
    "sha3",
    "sve",
];

/// The CPU, as far as it matters for ciphers.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) flags: Vec<&'static str>,
    pub(crate) cpus: usize,
}

impl Machine {
    pub(crate) fn read() -> Self {
        Self::parse(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
    }

    fn parse(cpuinfo: &str) -> Self {
        let field = |wanted: &str| {
            cpuinfo.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                (name.trim() == wanted).then_some(value.trim())
            })
        };
        let present: Vec<&str> = field("flags")
            .or_else(|| field("Features"))
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        // ARM kernels name no model, only numbers of the maker and the part.
        let cpu = field("model name").map(str::to_owned).unwrap_or_else(|| {
            match (field("CPU implementer"), field("CPU part")) {
                (Some(implementer), Some(part)) => format!("implementer {implementer} part {part}"),
                _ => format!("unknown {} CPU", std::env::consts::ARCH),
            }
        });
        Self {
            cpu,
            flags: TELLING_FLAGS.into_iter().filter(|flag| present.contains(flag)).collect(),
            cpus: cpuinfo.lines().filter(|line| line.starts_with("processor")).count(),
        }
    }

    /// One line for the top of a report.
    pub(crate) fn describe(&self) -> String {
        if self.flags.is_empty() {
            self.cpu.clone()
        } else {
            format!("{}; {}", self.cpu, self.flags.join(" "))
        }
    }
}

/// Keeps the thread on `wanted`, or on the last core it may use: the first one serves most interrupts.
pub(crate) fn pin(wanted: Option<usize>) -> Result<usize, String> {
    let this_thread = Pid::from_raw(0);
    let allowed = sched_getaffinity(this_thread)
        .map_err(|error| format!("cannot tell the cores to run on: {error}"))?;
    let may_use = |core: &usize| allowed.is_set(*core).unwrap_or(false);
    let core = match wanted {
        Some(core) if may_use(&core) => core,
        Some(core) => return Err(format!("core {core} is not one this process may run on")),
        None => (0..CpuSet::count()).rev().find(may_use).ok_or("no core to run on")?,
    };
    let mut only = CpuSet::new();
    only.set(core)
        .and_then(|()| sched_setaffinity(this_thread, &only))
        .map_err(|error| format!("cannot stay on core {core}: {error}"))?;
    Ok(core)
}

/// Puts the calling thread on a core of its own, the `number`th of those it may have, or shares them where they are
/// fewer. The thread that started it may be pinned to one.
pub(crate) fn spread(number: usize) -> Result<(), String> {
    let fail = |error| format!("cannot choose a core: {error}");
    let this_thread = Pid::from_raw(0);
    let mut all = CpuSet::new();
    (0..CpuSet::count()).try_for_each(|core| all.set(core)).map_err(fail)?;
    // The kernel leaves those that the process may have.
    sched_setaffinity(this_thread, &all).map_err(fail)?;
    let allowed = sched_getaffinity(this_thread).map_err(fail)?;
    let cores: Vec<_> =
        (0..CpuSet::count()).filter(|core| allowed.is_set(*core).unwrap_or(false)).collect();
    let mut only = CpuSet::new();
    only.set(cores[number % cores.len()]).map_err(fail)?;
    sched_setaffinity(this_thread, &only).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x86() {
        let machine = Machine::parse(
            "processor\t: 0\nmodel name\t: AMD EPYC 7763\nflags\t\t: fpu aes avx2 vaes\nprocessor\t: 1\n",
        );
        assert_eq!(machine.describe(), "AMD EPYC 7763; aes vaes avx2");
        assert_eq!(machine.cpus, 2);
    }

    #[test]
    fn arm() {
        let machine = Machine::parse(
            "processor : 0\nFeatures : fp aes pmull sha2\nCPU implementer : 0x41\nCPU part : 0xd0c\n",
        );
        assert_eq!(machine.describe(), "implementer 0x41 part 0xd0c; aes pmull sha2");
    }

    #[test]
    fn nothing_known() {
        assert!(Machine::parse("").describe().starts_with("unknown "));
    }
}

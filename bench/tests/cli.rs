//! The program as a user meets it: what it refuses, what it leaves behind, and one tiny run of everything.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::{TempDir, tempdir};

fn bench(arguments: &str) -> Output {
    let arguments = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_qcrypto-bench"))
        .args(arguments)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Some library must be there to be measured; a machine without one has nothing to test here.
fn has_peers() -> bool {
    let listed = text(&bench("--list").stdout);
    let found = listed.lines().any(|line| !line.contains("not available"));
    if !found {
        eprintln!("no crypto library on this machine:\n{listed}");
    }
    found
}

fn files(directory: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// One clear line, exit status 2, nothing on standard output.
fn refused(arguments: &str) -> String {
    let output = bench(arguments);
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments}: {complaint}");
    assert_eq!(complaint.lines().count(), 1, "{arguments}: {complaint}");
    assert!(complaint.starts_with("qcrypto-bench: "), "{arguments}: {complaint}");
    assert!(output.stdout.is_empty(), "{arguments}");
    complaint
}

#[test]
fn bad_command_lines() {
    assert!(refused("").contains("threads or cost"));
    assert!(refused("cipher gcm").contains("unknown filter 'gcm'"));
    assert!(refused("sing").contains("sing"));
    assert!(refused("cipher --frobnicate").contains("--frobnicate"));
    assert!(refused("cipher --alg rot13").contains("rot13"));
    assert!(refused("cipher --peers rust").contains("rust"));
    assert!(refused("cipher --rounds 0").contains('0'));
    assert!(refused("cost 512").contains("chunk size"));
    assert!(refused("sectors 500").contains("sectors of 500 bytes"));
    assert!(refused("sectors plain").contains("plain64"));
    assert!(refused("threads --threads 0").contains('0'));
    assert!(refused("hash xts").contains("unknown filter 'xts'"));
    assert!(refused("hmac --alg aes-128").contains("sha256"));
    assert!(refused("pbkdf sha256 2000").contains("more than 1K"));
    assert!(refused("pbkdf --iterations 0").contains('0'));
}

#[test]
fn options_that_mean_nothing_there() {
    for (subcommand, option) in [
        ("hash", "--keep-iv"),
        ("hmac", "--iterations 5"),
        ("pbkdf", "--size 1M"),
        ("pbkdf", "--png out.png"),
        ("cipher", "--threads 2"),
        ("sectors", "--keep-iv"),
        ("threads", "--png out.png"),
        ("cost", "--size 1M"),
        ("cost", "--svg out.svg"),
    ] {
        let complaint = refused(&format!("{subcommand} {option}"));
        assert!(complaint.contains(&format!("means nothing to {subcommand}")), "{complaint}");
    }
}

#[test]
fn impossible_sizes() {
    for size in ["0", "0G", "x", "1.5G", "-1", "99999999999G"] {
        refused(&format!("cipher --size={size}"));
    }
    assert!(refused("cipher xts 4096 --size 512").contains("less than one chunk"));
    assert!(refused("cipher xts 24").contains("no multiple"));
    assert!(refused("cipher xts 0").contains('0'));
    assert!(refused("cipher xts 32M").contains("more than 16M"));
    assert!(refused("hash 4096 --size 512").contains("less than one chunk"));
}

#[test]
fn unusable_libraries_and_cores() {
    assert!(
        refused("cipher --lib /nonexistent/libqcrypto.so").contains("/nonexistent/libqcrypto.so")
    );
    assert!(refused("--list --lib ./Cargo.toml").contains("Cargo.toml"));
    if has_peers() {
        assert!(refused("cipher --core 1000000").contains("1000000"));
    }
}

#[test]
fn unwritable_files_are_found_out_first() {
    let directory = tempdir().unwrap();
    let missing = directory.path().join("missing/out");
    for option in ["--json", "--svg", "--png"] {
        for path in [directory.path(), &missing, Path::new("/dev/full")] {
            let path = path.display();
            let complaint = refused(&format!("cipher xts --size 64K {option} {path}"));
            assert!(complaint.contains(&format!("cannot write {path}: ")), "{complaint}");
        }
    }
    assert!(files(&directory).is_empty());
}

#[test]
fn a_refused_run_leaves_old_files_alone() {
    let directory = tempdir().unwrap();
    let json = directory.path().join("run.json");
    fs::write(&json, "old").unwrap();
    refused(&format!("cipher xts 24 --json {}", json.display()));
    assert_eq!(fs::read_to_string(&json).unwrap(), "old");
    assert_eq!(files(&directory), ["run.json"]);
}

#[test]
fn help_and_version() {
    let help = bench("--help");
    assert!(help.status.success());
    assert!(text(&help.stdout).contains("--keep-iv"));
    let version = text(&bench("--version").stdout);
    assert_eq!(version, format!("qcrypto-bench {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_tiny_run_in_json() {
    if !has_peers() {
        return;
    }
    let output = bench("cipher aes-128 aes-256 --size 1M --passes 2 --rounds 5 --json -");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let run: Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert_eq!((&run["kind"], &run["unit"]), (&"cipher".into(), &"MiB/s".into()));
    assert_eq!(run["settings"]["size"], 1 << 20);
    // Two algorithms, four modes, two directions, four chunks.
    assert_eq!(run["cases"].as_array().unwrap().len(), 64);
    expect_figures(&run);
}

/// Every row has a figure that makes sense, or a reason why there is none.
fn expect_figures(run: &Value) {
    let implementations = run["implementations"].as_array().unwrap();
    for case in run["cases"].as_array().unwrap() {
        let rows = case["rows"].as_array().unwrap();
        assert_eq!(rows.len(), implementations.len());
        for row in rows {
            match row["status"].as_str().unwrap() {
                "measured" => {
                    let value = |name: &str| row["value"][name].as_f64().unwrap();
                    assert!(
                        0.0 < value("min")
                            && value("min") <= value("median")
                            && value("median") <= value("max")
                    );
                }
                "unsupported" => assert!(row["reason"].is_string()),
                other => panic!("{other}: {case}"),
            }
        }
    }
}

/// All hashes: whoever disagrees with the rest would show as "differs" and in the exit status.
#[test]
fn tiny_runs_of_the_hashes() {
    if !has_peers() {
        return;
    }
    let all = "md5 sha1 sha224 sha256 sha384 sha512 ripemd160 sm3";
    for (kind, amount, cases) in [
        ("hash", "--size 128K", 32),
        ("hmac", "--size 128K", 32),
        ("pbkdf", "--iterations 200", 24),
    ] {
        let output = bench(&format!("{kind} {all} {amount} --passes 1 --rounds 2 --json -"));
        assert!(output.status.success(), "{kind}: {}", text(&output.stderr));
        let run: Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
        assert_eq!(run["kind"], kind);
        assert_eq!(run["cases"].as_array().unwrap().len(), cases, "{kind}");
        expect_figures(&run);
    }
}

/// All peers, which make the IVs by themselves; libqcrypto's rows are there where it is installed.
#[test]
fn a_tiny_run_of_sectors() {
    if !has_peers() {
        return;
    }
    let output = bench("sectors --size 128K --passes 1 --rounds 2 --json -");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let run: Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert_eq!(run["kind"], "sectors");
    // Three modes, two generators, two directions, three sizes.
    assert_eq!(run["cases"].as_array().unwrap().len(), 36);
    expect_figures(&run);
}

#[test]
fn a_tiny_cost_run() {
    if !has_peers() {
        return;
    }
    let output = bench("cost xts --passes 1 --rounds 2 --json -");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    let operations: Vec<&str> = run["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| case["operation"].as_str().unwrap())
        .collect();
    assert_eq!(operations, ["new+free", "setiv", "one block", "setiv+512 bytes"]);
}

#[test]
fn lines_as_qemu_prints_them() {
    if !has_peers() {
        return;
    }
    let hashes = text(&bench("hash sha256 512 --size 64K --passes 1 --plain").stdout);
    assert!(hashes.lines().all(|line| line.starts_with("hash(sha256) chunk 512 bytes ")));
    let keys = text(&bench("pbkdf sha256 32 --iterations 100 --passes 1 --plain").stdout);
    assert!(keys.lines().all(|line| line.starts_with("pbkdf2(sha256) key 32 bytes ")));
    let output = text(&bench("cipher cbc 512 aes-256 --size 64K --passes 1 --plain").stdout);
    let lines: Vec<&str> = output.lines().collect();
    assert!(!lines.is_empty());
    for line in &lines {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(["enc(aes-256-cbc)", "dec(aes-256-cbc)"].contains(&words[0]), "{line}");
        assert_eq!(
            [words[1], words[2], words[3], words[5]],
            ["chunk", "512", "bytes", "MB/sec"],
            "{line}"
        );
        assert!(words[4].parse::<f64>().unwrap() > 0.0, "{line}");
    }
}

#[test]
fn all_files_of_a_run() {
    if !has_peers() {
        return;
    }
    let directory = tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let [json, svg, png] = ["run.json", "run.svg", "run.png"].map(path);
    let output = bench(&format!(
        "cipher xts cbc aes-256 --size 256K --passes 1 --json {} --svg {} --png {}",
        json.display(),
        svg.display(),
        png.display()
    ));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("enc(aes-256-xts)"));
    let mut written = files(&directory);
    written.sort();
    assert_eq!(written, ["run.json", "run.png", "run.svg"]);
    let drawn = fs::read_to_string(&svg).unwrap();
    assert!(drawn.trim_end().ends_with("</svg>") && drawn.contains("dec(aes-256-cbc)"));
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(serde_json::from_slice::<Value>(&fs::read(&json).unwrap()).is_ok());
}

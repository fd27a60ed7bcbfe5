//! Every known answer of `tests/vectors/cipher`, in both directions and every way of calling.
//!
//! With a backend's name and `!` in `QCRYPTO_BACKENDS` that one must give the answers, but for pairs that it lacks.

mod common;

use common::backends::demanded;
use common::bytes::hex;
use common::calls::Direction;
use common::vectors::{self, Record};
use qcrypto::algorithm::{CipherAlgorithm, CipherMode};
use qcrypto::cipher::Cipher;
use qcrypto::error::Error;

/// One test a file: its name, how many records have an answer, how many must be refused.
macro_rules! files {
    ($($test:ident $file:literal $answered:literal $refused:literal;)*) => {
        const FILES: &[&str] = &[$($file),*];
        $(#[test]
        fn $test() {
            check_file($file, $answered, $refused);
        })*
    };
}

files! {
    aes_cbc "aes-cbc.txt" 762 0;
    aes_ctr "aes-ctr.txt" 33 14;
    aes_ecb "aes-ecb.txt" 3424 0;
    aes_monte_carlo "aes-mct.txt" 308 0;
    aes_xts "aes-xts.txt" 1675 770;
    cast5_cbc "cast5-cbc.txt" 19 0;
    cast5_ctr "cast5-ctr.txt" 10 5;
    cast5_ecb "cast5-ecb.txt" 701 2;
    des_cbc "des-cbc.txt" 191 0;
    des_ctr "des-ctr.txt" 9 13;
    des_ecb "des-ecb.txt" 782 0;
    serpent_cbc "serpent-cbc.txt" 15 0;
    serpent_ctr "serpent-ctr.txt" 32 79;
    serpent_ecb "serpent-ecb.txt" 1297 0;
    serpent_xts "serpent-xts.txt" 41 168;
    sm4_cbc "sm4-cbc.txt" 28 0;
    sm4_ctr "sm4-ctr.txt" 9 3;
    sm4_ecb "sm4-ecb.txt" 72 0;
    sm4_xts "sm4-xts.txt" 9 3;
    triple_des_cbc "3des-cbc.txt" 183 0;
    triple_des_ctr "3des-ctr.txt" 61 56;
    triple_des_ecb "3des-ecb.txt" 1084 0;
    twofish_cbc "twofish-cbc.txt" 18 0;
    twofish_ctr "twofish-ctr.txt" 23 10;
    twofish_ecb "twofish-ecb.txt" 680 0;
    twofish_xts "twofish-xts.txt" 39 168;
}

#[test]
fn every_file_has_a_test() {
    let mut tested = FILES.to_vec();
    tested.sort_unstable();
    let found = common::files("tests/vectors/cipher", "txt");
    assert_eq!(found, tested.iter().map(std::path::PathBuf::from).collect::<Vec<_>>());
}

/// What a record was good for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Answered,
    Refused,
}

fn check_file(file: &str, answered: usize, refused: usize) {
    let (mut counts, mut lacking) = ((0, 0), 0);
    for record in vectors::read(&format!("cipher/{file}")) {
        if is_lacking(&record) {
            lacking += 1;
            continue;
        }
        match check(&record) {
            Ok(Outcome::Answered) => counts.0 += 1,
            Ok(Outcome::Refused) => counts.1 += 1,
            Err(problem) => panic!("{file}: {}: {problem}", record.text("id").expect("an id")),
        }
    }
    println!(
        "{file}: {} answered, {} refused, {lacking} of pairs that are lacking",
        counts.0, counts.1
    );
    if lacking == 0 {
        assert_eq!(counts, (answered, refused), "{file}: records answered, refused");
    } else {
        assert_eq!(counts.0 + counts.1 + lacking, answered + refused, "{file}: records");
    }
}

/// Whether the backend that the environment demands lacks the record's pair, and may.
fn is_lacking(record: &Record) -> bool {
    pair(record).is_ok_and(|(algorithm, mode)| {
        let must_be_there = match demanded().as_deref() {
            None => true,
            Some("keylocker") => {
                [CipherAlgorithm::Aes128, CipherAlgorithm::Aes256].contains(&algorithm)
            }
            Some(_) => false,
        };
        !must_be_there && !Cipher::supports(algorithm, mode)
    })
}

fn check(record: &Record) -> Result<Outcome, String> {
    match record.text("kind")? {
        "cipher" => check_cipher(record),
        "iterate" => check_iterate(record),
        "mct" => check_monte_carlo(record),
        kind => Err(format!("unknown kind {kind}")),
    }
}

/// `kind = cipher`: encrypting pt gives ct and decrypting ct gives pt, however it is called.
fn check_cipher(record: &Record) -> Result<Outcome, String> {
    let (algorithm, mode) = pair(record)?;
    if record.flag("short-key") {
        let given = record.bytes("key")?.len();
        let expected = algorithm.key_len();
        let refusal = Cipher::new(algorithm, mode, &record.bytes("key")?).err();
        return same(refusal, Some(Error::KeyLength { given, expected }), Outcome::Refused);
    }
    let cipher = &mut new(record)?;
    let (pt, ct) = (record.bytes("pt")?, record.bytes("ct")?);
    for direction in Direction::BOTH {
        let (input, output) = match direction {
            Direction::Encrypt => (&pt, &ct),
            Direction::Decrypt => (&ct, &pt),
        };
        if record.flag("partial") {
            let refusal =
                Error::PartialBlock { len: input.len(), block_len: algorithm.block_len() };
            same(direction.apart(cipher, input), Err(refusal.clone()), ())?;
            same(direction.in_place(cipher, input), Err(refusal), ())?;
            continue;
        }
        for call in [Direction::apart, Direction::in_place] {
            set_iv(cipher, record)?;
            expect(direction, call(direction, cipher, input), output)?;
        }
        if mode != CipherMode::Xts {
            set_iv(cipher, record)?;
            let lengths = growing_calls(input.len(), algorithm.block_len());
            expect(direction, direction.split(cipher, input, lengths), output)?;
        }
    }
    Ok(if record.flag("partial") { Outcome::Refused } else { Outcome::Answered })
}

/// `kind = iterate`: encrypting pt many times over gives ct.
fn check_iterate(record: &Record) -> Result<Outcome, String> {
    let cipher = &mut new(record)?;
    for (direction, from, to) in
        [(Direction::Encrypt, "pt", "ct"), (Direction::Decrypt, "ct", "pt")]
    {
        let mut buffer = record.bytes(from)?;
        for _ in 0..record.number("iterations")? {
            direction.call(cipher, buffer.as_mut_slice().into()).map_err(|e| e.to_string())?;
        }
        expect(direction, Ok(buffer), &record.bytes(to)?)?;
    }
    Ok(Outcome::Answered)
}

/// `kind = mct`: one outer round of AESAVS section 6.4, a thousand calls that each feed the next.
fn check_monte_carlo(record: &Record) -> Result<Outcome, String> {
    let (direction, from, to) = match record.text("dir")? {
        "encrypt" => (Direction::Encrypt, "pt", "ct"),
        "decrypt" => (Direction::Decrypt, "ct", "pt"),
        dir => return Err(format!("unknown dir {dir}")),
    };
    let cipher = &mut new(record)?;
    set_iv(cipher, record)?;
    let mut input = record.bytes(from)?;
    let mut output = Vec::new();
    // In CBC the input is the output before last, and the IV before that; in ECB it is the last output.
    let mut before = if record.has("iv") { Some(record.bytes("iv")?) } else { None };
    for _ in 0..1000 {
        output = direction.in_place(cipher, &input).map_err(|error| error.to_string())?;
        input = match &mut before {
            Some(before) => std::mem::replace(before, output.clone()),
            None => output.clone(),
        };
    }
    expect(direction, Ok(output), &record.bytes(to)?)?;
    Ok(Outcome::Answered)
}

fn pair(record: &Record) -> Result<(CipherAlgorithm, CipherMode), String> {
    let (alg, mode) = (record.text("alg")?, record.text("mode")?);
    let algorithm = CipherAlgorithm::ALL.into_iter().find(|known| known.name() == alg);
    let mode = CipherMode::ALL.into_iter().find(|known| known.name() == mode);
    algorithm.zip(mode).ok_or_else(|| format!("unknown alg {alg} or mode"))
}

fn new(record: &Record) -> Result<Cipher, String> {
    let (algorithm, mode) = pair(record)?;
    let cipher = Cipher::new(algorithm, mode, &record.bytes("key")?);
    let cipher = cipher.map_err(|error| error.to_string())?;
    let serves = cipher.backend().to_string_lossy().into_owned();
    match demanded() {
        Some(demanded) if !serves.starts_with(&demanded) => Err(format!("{serves} serves")),
        _ => Ok(cipher),
    }
}

fn set_iv(cipher: &mut Cipher, record: &Record) -> Result<(), String> {
    match record.bytes("iv") {
        Ok(iv) => cipher.set_iv(&iv).map_err(|error| error.to_string()),
        Err(_) if record.text("mode")? == "ecb" => Ok(()),
        Err(problem) => Err(problem),
    }
}

/// Lengths of 1, 2, 3 ... blocks, as far as the data goes: they end everywhere in a pass of any kernel.
fn growing_calls(len: usize, block_len: usize) -> impl Iterator<Item = usize> {
    let mut rest = len;
    (1..).map_while(move |blocks| {
        let call = (blocks * block_len).min(rest);
        rest -= call;
        (call > 0).then_some(call)
    })
}

fn expect(
    direction: Direction,
    found: Result<Vec<u8>, Error>,
    wanted: &[u8],
) -> Result<(), String> {
    let found = found.map_err(|error| format!("{direction:?}: {error}"))?;
    if found == wanted {
        Ok(())
    } else {
        Err(format!("{direction:?}: {} instead of {}", hex(&found), hex(wanted)))
    }
}

fn same<T: PartialEq + std::fmt::Debug, U>(found: T, wanted: T, then: U) -> Result<U, String> {
    if found == wanted { Ok(then) } else { Err(format!("{found:?} instead of {wanted:?}")) }
}

/// The first record of a file that has what is asked.
fn find(file: &str, wanted: impl Fn(&Record) -> bool) -> Record {
    vectors::read(file).into_iter().find(wanted).expect("there is one")
}

/// Control: the checks above see one wrong bit in each field, and each flag that is not true.
#[test]
fn wrong_records_are_reported() {
    if demanded().is_some() {
        // The checks are the same with every backend, and not every one has SM4.
        return;
    }
    let flip = |record: &Record, name: &str| {
        let mut bytes = record.bytes(name).expect("bytes");
        *bytes.last_mut().expect("not empty") ^= 2;
        record.with(name, &hex(&bytes))
    };
    let whole = |record: &Record| !record.has("flags");
    let xts = find("cipher/aes-xts.txt", whole);
    let rounds = find("cipher/aes-mct.txt", |record| record.has("iv"));
    let million = find("cipher/sm4-ecb.txt", |record| record.text("kind") == Ok("iterate"));
    // Two rounds in place of the million, so that this is quick; their answer is the crate's.
    let iterate = million.with("iterations", "2").with("ct", &twice_sm4(&million));

    for record in [&xts, &rounds, &iterate] {
        check(record).expect("it is right as it stands");
        for name in ["key", "pt", "ct"] {
            check(&flip(record, name)).expect_err(name);
        }
    }
    check(&flip(&xts, "iv")).expect_err("iv");
    check(&flip(&rounds, "iv")).expect_err("iv");
    check(&iterate.with("iterations", "3")).expect_err("iterations");
    check(&rounds.with("dir", "decrypt")).expect_err("dir");
    check(&xts.with("flags", "partial")).expect_err("not partial");
    check(&xts.with("flags", "short-key")).expect_err("not short");

    let partial = find("cipher/aes-xts.txt", |record| record.flag("partial"));
    assert_eq!(check(&partial), Ok(Outcome::Refused));
    check(&partial.with("flags", "slow")).expect_err("partial, though it does not say so");
}

/// SM4 twice, by the crate alone.
fn twice_sm4(record: &Record) -> String {
    use cipher::{BlockCipherEncrypt, KeyInit};
    let bytes = |name| <[u8; 16]>::try_from(record.bytes(name).expect("bytes")).expect("16");
    let sm4 = sm4::Sm4::new(&bytes("key").into());
    let mut block = bytes("pt").into();
    sm4.encrypt_block(&mut block);
    sm4.encrypt_block(&mut block);
    hex(&block)
}

/// Control: the reader refuses what is not format 1.
#[test]
fn wrong_files_are_reported() {
    let head = "# qcrypto test vectors, format 1 (see README.md)\n# records: 1\n\n";
    let body = "id = a\nkind = cipher\nalg = sm4\nmode = ecb\nkey =\npt = 00\nct = 00\n";
    assert_eq!(vectors::parse(&format!("{head}{body}")).map(|records| records.len()), Ok(1));

    let second = body.replace("id = a", "id = b");
    let wrong = [
        (body.to_owned(), "not format 1"),
        (format!("{head}{body}").trim_end().to_owned(), "no newline"),
        (format!("{head}{body}\n{second}"), "2 records"),
        (format!("{head}{body}").replace("# records: 1\n", ""), "1 records"),
        (format!("{head}{body}\n{body}").replace(": 1", ": 2"), "a second a"),
        (format!("{head}{body}\n# end\n"), "a comment past the head"),
        (format!("{head}{body}").replace('\n', "\r\n"), "not plain ASCII"),
        (format!("{head}{body}").replace("alg = sm4", "alg = sm4\r"), "not plain ASCII"),
        (format!("{head}{body}").replace("alg = sm4", "alg = \u{e9}"), "not plain ASCII"),
        (format!("{head}{body}ct = 01\n"), "a second ct"),
        (format!("{head}{body}tag = 01\n"), "unknown field tag"),
        (format!("{head}{body}flags = slow odd\n"), "unknown flag odd"),
        (format!("{head}{body}Flags = slow\n"), "no field name"),
        (format!("{head}{body}iv =  00\n"), "no single space"),
        (format!("{head}{body}iv = \n"), "no single space"),
        (format!("{head}{body}iv =00\n"), "no single space"),
        (format!("{head}{body}iv: 00\n"), "neither empty"),
        (format!("{head}{body}").replace("ct = 00\n", ""), "no field ct"),
        (format!("{head}{body}").replace("id = a\n", ""), "no field id"),
        (format!("{head}{body}").replace("= cipher", "= other"), "unknown kind other"),
    ];
    for (text, problem) in wrong {
        let found = vectors::parse(&text).err().unwrap_or_else(|| panic!("not seen: {problem}"));
        assert!(found.contains(problem), "{found:?} does not say {problem:?}");
    }
}

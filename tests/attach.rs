//! What is written is read again; and whatever is in a file, reading it has a defined effect.

#![cfg(all(unix, feature = "jit"))]

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use xfjit::attach::layout::{self, Field, cause, header, program, record};
use xfjit::attach::{self, Attach, AttachError, Attached, Happening, Reader, SeenTier};
use xfjit::engine::Why;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::constants::Constants;
use xfjit::{Config, Engine, Generation, Options, Worker, asm};

/// An empty directory of a test.
fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("xfjit-attach-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory can be made");
    path
}

fn engine(attach: &Attach) -> Engine {
    Engine::new(Options::default().with(|options| options.attach = Some(attach.clone())))
}

/// Runs batches of so many vertices, of which some are NaN.
fn run(engine: &Engine, text: &str, batches: usize, vertices: usize, nans: usize) -> Arc<xfjit::Program> {
    let program = asm::parse(Generation::Kelvin, text).expect("it parses");
    let program = engine.decoded(program, &Config::new(Generation::Kelvin).live_outputs(1));
    let (mut worker, rows) = (Worker::new(), vec![[0x3f80_0000; 4]; 192]);
    let mut given = vec![[0x3f80_0000; 4]; vertices];
    given.iter_mut().take(nans).for_each(|row| *row = [0x7fc0_0000; 4]);
    let mut words = vec![0; 4 * vertices];
    for _ in 0..batches {
        let inputs = Inputs::new(vertices).with(0, Attribute::rows(&given));
        let outputs = Outputs::interleaved(&mut words, &[0]);
        program.run_on(&mut worker, &mut Constants::read_only(&rows), &inputs, &outputs).expect("it runs");
    }
    program
}

const PLAIN: &str = "MUL oPos, v0, c[0]";
const SUM: &str = "DP4 r0, v0, c[1]\nRSQ r1, r0.x\nMUL oPos, v0, r1.x";

#[test]
fn what_is_written_is_read() {
    let attach = Attach::in_directory(&directory("read")).expect("a file");
    let engine = engine(&attach);
    assert_eq!(engine.attached(), Attached::File(attach.path()));
    let plain = run(&engine, PLAIN, 3, 24, 0);
    plain.set_label("the plain one").expect("a label");
    let guarded = run(&engine, SUM, 20, 33, 2);
    let mut reader = Reader::open(attach.path()).expect("it is one");
    assert_eq!(reader.header().process, std::process::id());
    assert_eq!(reader.header().library, env!("CARGO_PKG_VERSION"));
    assert!(!reader.is_over());
    let mut runs: BTreeMap<usize, (u64, u64, u64)> = BTreeMap::new();
    let (mut numbers, mut made) = (0, 0);
    reader
        .poll(|record| {
            assert_eq!(record.number, numbers);
            numbers += 1;
            made += u64::from(record.what == Happening::Made);
            if let Happening::Run(batch) = record.what {
                let sum = runs.entry(record.program.expect("it has a place")).or_default();
                assert_eq!(batch.is_first, sum.0 == 0);
                *sum = (sum.0 + 1, sum.1 + batch.vertices, sum.2 + u64::from(batch.guarded_vertices));
            }
        })
        .expect("it can be read");
    assert_eq!((reader.lost(), reader.damaged(), made), (0, 0, 2));
    assert_eq!(runs[&0], (3, 72, 0));
    let guards = guarded.stats().deopt_vertices;
    assert_eq!(runs[&1], (20, 660, guards));
    for (seen, program) in reader.programs().iter().zip([&plain, &guarded]) {
        let (stats, counts) = (program.stats(), seen.counts);
        assert_eq!(seen.name, program.name());
        assert_eq!((counts.batches, counts.vertices), (stats.batches, stats.vertices));
        assert_eq!(counts.guarded_groups, stats.deopt_groups);
        assert_eq!(counts.timed_vertices, counts.vertices);
        assert_eq!(seen.tier == SeenTier::Native, stats.native);
        assert_eq!(seen.code_bytes, stats.cost.code_bytes as u64);
        assert!(seen.first_run.is_some_and(|first| first >= seen.made));
    }
    let [plain_seen, guarded_seen] = reader.programs() else { panic!("{:?}", reader.programs()) };
    assert_eq!(plain_seen.label.as_deref(), Some("the plain one"));
    if guarded.stats().native {
        assert!(guards > 0);
        let first = guarded_seen.causes.first().expect("a cause was found");
        assert!(matches!(first.why, Why::Nan | Why::Large), "{first:?}");
        assert!(first.operand.is_some_and(|operand| !operand.is_constant && operand.row == 0), "{first:?}");
    }
    for (place, program) in [(0, &plain), (1, &guarded)] {
        assert_eq!(reader.shader(place).map(|shader| shader.canonical()), Some(program.shader().canonical()));
    }
    assert!(reader.shader(2).is_none());
    // The file goes with whoever writes it; who reads it has it still.
    drop((engine, plain, guarded));
    let path = attach.path().to_owned();
    drop(attach);
    assert!(!path.exists() && reader.is_over());
    reader.poll(|_| panic!("nothing is new")).expect("it can be read");
}

#[test]
fn what_is_overwritten_is_counted() {
    let attach = Attach::in_directory(&directory("lost")).expect("a file");
    let engine = engine(&attach);
    let mut reader = Reader::open(attach.path()).expect("it is one");
    let mut other = Reader::open(attach.path()).expect("two may read");
    let most = layout::MOST_RECORDS;
    run(&engine, PLAIN, most + 100, 1, 0);
    let mut read = 0;
    reader.poll(|_| read += 1).expect("it can be read");
    let others = 1 + u64::from(reader.programs()[0].tier != SeenTier::Waiting);
    assert_eq!((read, reader.lost()), (most, 100 + others));
    // Totals know nothing of that.
    assert_eq!(reader.programs()[0].counts.batches, most as u64 + 100);
    other.skip().expect("it can be read");
    run(&engine, PLAIN, 5, 1, 0);
    for reader in [&mut reader, &mut other] {
        let (mut more, before) = (0, reader.lost());
        reader.poll(|_| more += 1).expect("it can be read");
        assert_eq!((more, reader.lost()), (5, before));
    }
}

#[test]
fn threads_write_beside_each_other() {
    let attach = Attach::in_directory(&directory("threads")).expect("a file");
    let engine = engine(&attach);
    let mut reader = Reader::open(attach.path()).expect("it is one");
    let (mut read, mut vertices) = (0, 0);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..=4)
            .map(|vertices| {
                scope.spawn({
                    let engine = &engine;
                    move || run(engine, PLAIN, 3000, vertices, 0)
                })
            })
            .collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            reader
                .poll(|record| {
                    read += 1;
                    if let Happening::Run(run) = record.what {
                        // No record is made of two.
                        assert!((1..=4).contains(&run.vertices), "{record:?}");
                        vertices += run.vertices;
                    }
                })
                .expect("it can be read");
        }
    });
    // What a thread has given up is missed a few polls later.
    for _ in 0..4 * 12_002 {
        reader
            .poll(|record| {
                read += 1;
                if let Happening::Run(run) = record.what {
                    vertices += run.vertices;
                }
            })
            .expect("it can be read");
        let head = word(&attach, 0, header::HEAD);
        if read + reader.lost() == head {
            break;
        }
    }
    assert_eq!(reader.damaged(), 0);
    let counts = reader.programs()[0].counts;
    assert_eq!((counts.batches, counts.vertices), (12_000, 30_000));
    let lost = reader.lost();
    assert_eq!(read + lost, word(&attach, 0, header::HEAD));
    assert!(vertices <= 30_000 && vertices + 4 * lost >= 30_000, "{vertices}, {lost} lost");
}

/// A word of the file.
fn word(attach: &Attach, base: usize, field: Field) -> u64 {
    let file = fs::File::open(attach.path()).expect("it is there");
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, 8 * (base + field.at) as u64).expect("it is long enough");
    u64::from_ne_bytes(bytes)
}

/// The bytes of a file that two programs have been written to.
fn sound() -> Vec<u8> {
    // Tests run at the same time.
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let number = CALLS.fetch_add(1, Ordering::Relaxed);
    let attach = Attach::in_directory(&directory(&format!("sound{number}"))).expect("a file");
    let engine = engine(&attach);
    run(&engine, PLAIN, 3, 8, 0);
    run(&engine, SUM, 3, 8, 1);
    fs::read(attach.path()).expect("it is there")
}

/// All that a reader does with a file.
fn read_all(path: &Path) -> Result<u64, AttachError> {
    let mut reader = Reader::open(path)?;
    let mut sum = 0_u64;
    for _ in 0..4 {
        reader.poll(|record| sum = sum.wrapping_add(record.number + 1))?;
    }
    for place in 0..reader.programs().len() {
        sum = sum.wrapping_add(u64::from(reader.shader(place).is_some()));
    }
    assert!(reader.programs().iter().all(|seen| !seen.name.contains('\u{1b}')));
    reader.is_over();
    Ok(sum.wrapping_add(reader.lost()).wrapping_add(reader.damaged()))
}

/// Words that are worth a try.
const ODD: [u64; 8] = [0, 1, 2, 3, 0x7fff_ffff, 0x8000_0000_0000_0000, u64::MAX - 1, u64::MAX];

#[test]
fn each_changed_word_has_a_defined_effect() {
    let file = directory("words").join("xfjit-1.attach");
    fs::write(&file, sound()).expect("a file for the test");
    let open = fs::File::options().read(true).write(true).open(&file).expect("it is there");
    let fields = |base: usize, all: &'static [(&str, Field, &str)]| {
        all.iter().flat_map(move |(_, field, _)| [base + field.at, base + field.at + field.words - 1])
    };
    let entry = layout::entry(1);
    let words = fields(0, header::ALL)
        .chain(fields(entry, program::ALL))
        .chain(fields(entry + program::CAUSE.at, cause::ALL))
        .chain(fields(layout::record_at(2), record::ALL))
        .chain([layout::TEXTS, layout::TEXTS + 3]);
    let mut errors = 0;
    for at in words {
        let mut before = [0; 8];
        open.read_exact_at(&mut before, 8 * at as u64).expect("it is long enough");
        for odd in ODD {
            open.write_all_at(&odd.to_ne_bytes(), 8 * at as u64).expect("it can be written");
            errors += u64::from(read_all(&file).is_err());
        }
        open.write_all_at(&before, 8 * at as u64).expect("it can be written");
    }
    assert!(errors > 20, "{errors} errors");
    assert!(read_all(&file).is_ok());
}

#[test]
fn files_that_are_none_are_told_apart() {
    let directory = directory("none");
    let sound = sound();
    let file = directory.join("xfjit-1.attach");
    let open = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("a file for the test");
        read_all(&file).expect_err("it is no such file")
    };
    for bytes in [&sound[..0], &sound[..7], &sound[..16], &sound[..5000], &sound[..sound.len() - 1]] {
        assert!(matches!(open(bytes), AttachError::Size(found) if found == bytes.len() as u64));
    }
    assert!(matches!(open(b"not one of ours"), AttachError::Foreign));
    let with = |field: Field, word: u64| {
        let mut bytes = sound.clone();
        bytes[8 * field.at..][..8].copy_from_slice(&word.to_ne_bytes());
        bytes
    };
    assert!(matches!(open(&with(header::MAGIC, layout::MAGIC.swap_bytes())), AttachError::ByteOrder));
    for version in [0, 2, u64::MAX] {
        let error = open(&with(header::VERSION, version));
        assert!(matches!(error, AttachError::Version(found) if found == version), "{error}");
    }
    assert!(matches!(open(&with(header::BYTES, 5)), AttachError::Damaged(_)));
    assert!(matches!(open(&with(header::PROGRAMS, 1 << 40)), AttachError::Damaged(_)));
    assert!(matches!(open(&with(header::PROCESS, 1 << 40)), AttachError::Damaged(_)));
    assert!(matches!(Reader::open(&directory), Err(AttachError::Foreign)));
    assert!(matches!(Reader::open(&directory.join("absent")), Err(AttachError::Io(_))));
}

/// A file that is cut short while it is read is an error, and what was read before is still there.
#[test]
fn a_file_that_shrinks_is_an_error() {
    let file = directory("shrinks").join("xfjit-1.attach");
    fs::write(&file, sound()).expect("a file for the test");
    let mut reader = Reader::open(&file).expect("it is one");
    let cut = fs::File::options().write(true).open(&file).expect("it is there");
    for bytes in [layout::BYTES / 2, 4096, 10, 0] {
        cut.set_len(bytes as u64).expect("it can be cut");
        assert!(reader.poll(|_| ()).is_err());
        assert_eq!(reader.programs().len(), 2);
    }
    assert!(reader.shader(0).is_none());
    reader.is_over();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_bytes_have_a_defined_effect(
        changes in prop::collection::vec((0..layout::WORDS, prop_oneof![any::<u64>(), prop::sample::select(&ODD[..])]), 1..40),
        near in prop::collection::vec((0..layout::entry(3), any::<u64>()), 0..40),
    ) {
        static SOUND: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let mut bytes = SOUND.get_or_init(sound).clone();
        for (at, word) in changes.into_iter().chain(near) {
            // The first words decide whether the rest is looked at.
            if at > header::BYTES.at {
                bytes[8 * at..][..8].copy_from_slice(&word.to_ne_bytes());
            }
        }
        let file = std::env::temp_dir().join(format!("xfjit-attach-{}-random", std::process::id()));
        fs::write(&file, bytes).expect("a file for the test");
        let _ = read_all(&file);
        let _ = fs::remove_file(&file);
    }
}

#[test]
fn what_others_have_left_is_removed() {
    let directory = directory("left");
    let (left, foreign) = (directory.join("xfjit-1.attach"), directory.join("xfjit-1.other"));
    fs::write(&left, "of a process that has ended").expect("a file for the test");
    fs::write(&foreign, "nothing of ours").expect("a file for the test");
    let attach = Attach::in_directory(&directory).expect("a file");
    let second = Attach::in_directory(&directory).expect("another one");
    assert!(!left.exists() && foreign.exists() && attach.path().exists());
    let found = attach::files(&directory).expect("it can be read");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|(process, _)| *process == std::process::id()));
    assert_ne!(attach.path(), second.path());
    let absent = Attach::in_directory(&directory.join("absent")).expect_err("there is no such directory");
    assert!(absent.to_string().contains("absent"), "{absent}");
}

/// The page has a line for each field.
#[test]
fn the_page_has_the_layout() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ATTACH.md")).expect("the page");
    let mut missing = Vec::new();
    for all in [header::ALL, program::ALL, cause::ALL, record::ALL] {
        for (name, field, text) in all {
            let words = if field.words == 1 {
                field.at.to_string()
            } else {
                format!("{} to {}", field.at, field.at + field.words - 1)
            };
            let line = format!("| {words} | `{name}` | {text} |");
            if !page.contains(&line) {
                missing.push(line);
            }
        }
    }
    for (what, at, words) in [
        ("programs", layout::PROGRAMS, layout::PROGRAM_WORDS * layout::MOST_PROGRAMS),
        ("records", layout::RECORDS, layout::RECORD_WORDS * layout::MOST_RECORDS),
        ("texts", layout::TEXTS, layout::TEXT_BYTES / 8),
    ] {
        let line = format!("| {at} | {words} | {what} |");
        if !page.contains(&line) {
            missing.push(line);
        }
    }
    assert!(missing.is_empty(), "docs/ATTACH.md lacks:\n{}", missing.join("\n"));
}

#[test]
fn a_child_does_not_wait_for_who_looks_for_guards() {
    const PATIENCE: u32 = 60;
    let attach = Attach::in_directory(&directory("fork")).expect("a file");
    let options = Options::default().with(|options| {
        options.attach = Some(attach.clone());
        options.slow_path_after = u64::MAX;
    });
    let engine = Engine::new(options);
    // The next batch is the sixteenth, after which causes of guards are looked for.
    let guarded = run(&engine, SUM, 15, 33, 2);
    let (mut worker, rows, given) = (Worker::new(), vec![[0x3f80_0000; 4]; 192], [[0x7fc0_0000; 4]; 33]);
    let mut words = vec![0; 4 * given.len()];
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                guarded.profile();
            }
        });
        let ended = [(); 10].map(|()| {
            // SAFETY: the child runs a program, which takes no lock, and ends; it allocates only what glibc lets children allocate.
            unsafe {
                let child = libc::fork();
                if child == 0 {
                    libc::signal(libc::SIGALRM, libc::SIG_DFL);
                    libc::alarm(PATIENCE);
                    let inputs = Inputs::new(given.len()).with(0, Attribute::rows(&given));
                    let outputs = Outputs::interleaved(&mut words, &[0]);
                    let ran =
                        guarded.run_on(&mut worker, &mut Constants::read_only(&rows), &inputs, &outputs);
                    libc::_exit(i32::from(ran.is_err()));
                }
                let mut status = 0;
                (libc::waitpid(child, &raw mut status, 0) == child).then_some(status)
            }
        });
        stop.store(true, Ordering::Relaxed);
        assert_eq!(ended, [Some(0); 10]);
    });
}

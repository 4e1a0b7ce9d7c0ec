#![cfg(target_os = "linux")]

use super::Perf;
use crate::{Config, Engine, Generation, Options};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process;
use xfjit_isa::asm;

const TEXT: &str = "MUL r0, v0, c[0]\nRSQ r1, r0.x\nMOV oPos, r1\nMOV oD0, v1";

/// An empty directory of this test.
fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("xfjit-perf-{}-{name}", process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory can be made");
    path
}

/// Runs an engine with these options until a program is compiled; the program's name, and where its code was.
fn compile(perf: &Perf) -> String {
    let engine = Engine::new(Options::default().with(|options| options.perf = Some(perf.clone())));
    let program = asm::parse(Generation::Kelvin, TEXT).expect("it parses");
    let program = engine.decoded(program, &Config::new(Generation::Kelvin).live_outputs(9));
    assert!(program.info().native);
    program.name()
}

/// Words and text of a dump, from the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn word(&mut self) -> u32 {
        u32::from_ne_bytes(self.take(4).try_into().expect("four bytes"))
    }

    fn long(&mut self) -> u64 {
        u64::from_ne_bytes(self.take(8).try_into().expect("eight bytes"))
    }

    fn text(&mut self) -> &'a str {
        let end = self.0.iter().position(|&byte| byte == 0).expect("text ends");
        let text = std::str::from_utf8(self.take(end)).expect("UTF-8");
        self.take(1);
        text
    }
}

#[test]
fn a_dump_holds_code_names_and_lines() {
    let directory = directory("dump");
    let perf = Perf::jitdump(&directory).expect("a dump can be made");
    let name = compile(&perf);
    drop(perf);
    let dump = fs::read(directory.join(format!("jit-{}.dump", process::id()))).expect("there is a dump");
    let mut dump = Reader(&dump);
    assert_eq!([dump.word(), dump.word(), dump.word()], [0x4a69_5444, 1, 40]);
    assert_eq!([dump.word(), dump.word(), dump.word()], [super::jitdump::MACHINE, 0, process::id()]);
    let mut last = dump.long();
    assert_eq!(dump.long(), 0);
    let mut kinds = Vec::new();
    // A handle may have two routines: of each first its lines, then the code.
    let mut lines: Vec<Vec<(u64, u32, String)>> = Vec::new();
    let mut ranges = Vec::new();
    while !dump.0.is_empty() {
        let (kind, bytes, time) = (dump.word(), dump.word(), dump.long());
        assert!(time >= last);
        last = time;
        let mut record = Reader(dump.take(bytes as usize - 16));
        kinds.push(kind);
        match kind {
            0 => {
                assert_eq!(record.word(), process::id());
                record.word();
                let (start, again, bytes, number) =
                    (record.long(), record.long(), record.long(), record.long());
                assert_eq!((start, number), (again, ranges.len() as u64));
                assert!(record.text().starts_with(&format!("xfjit:{name}:")));
                assert_eq!(record.0.len() as u64, bytes);
                ranges.push(start..start + bytes);
            }
            2 => {
                let (_, count) = (record.long(), record.long());
                let line = |_| {
                    let (address, line, _) = (record.long(), record.word(), record.word());
                    (address, line, record.text().to_owned())
                };
                lines.push((0..count).map(line).collect());
                assert!(record.0.is_empty());
            }
            3 => assert!(record.0.is_empty()),
            other => panic!("a record of kind {other}"),
        }
    }
    assert_eq!(kinds.pop(), Some(3));
    assert!(!kinds.is_empty() && kinds.chunks(2).all(|pair| pair == [2, 0]), "{kinds:?}");
    for (lines, range) in lines.iter().zip(&ranges) {
        assert!(lines.is_sorted_by_key(|&(address, ..)| address), "{lines:?}");
        assert!(lines.iter().all(|(address, ..)| range.contains(address)), "{lines:?} {range:?}");
        let text = fs::read_to_string(&lines[0].2).expect("there is a listing");
        let text: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].1, 1, "what the function begins with is of no slot");
        for (slot, instruction) in TEXT.lines().enumerate() {
            let named = |&&(_, line, _): &&(u64, u32, String)| text[line as usize - 1].contains(instruction);
            let found =
                lines.iter().find(named).unwrap_or_else(|| panic!("{instruction}: {text:?} {lines:?}"));
            assert!(text[found.1 as usize - 1].trim().starts_with(&format!("{slot}:")), "{text:?}");
        }
    }
    fs::remove_dir_all(directory).expect("it can be removed");
}

#[test]
fn a_map_names_programs() {
    let directory = directory("map");
    let perf = Perf::map_in(&directory).expect("a map can be made");
    let name = compile(&perf);
    // Another code generator of the same process goes on with it.
    let other = Perf::map_in(&directory).expect("it is this process's");
    compile(&other);
    compile(&perf);
    let path = directory.join(format!("perf-{}.map", process::id()));
    assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
    let map = fs::read_to_string(path).expect("there is a map");
    let lines: Vec<&str> = map.lines().collect();
    assert!(lines.len() >= 3, "{map}");
    for line in lines {
        let [start, bytes, what] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert!(u64::from_str_radix(start, 16).is_ok_and(|start| start > 0));
        assert!(u64::from_str_radix(bytes, 16).is_ok_and(|bytes| bytes > 16));
        assert!(what.starts_with(&format!("xfjit:{name}:")), "{what}");
    }
    fs::remove_dir_all(directory).expect("it can be removed");
}

#[test]
fn files_of_others_are_left_alone() {
    let directory = directory("others");
    let id = process::id();
    let (map, dump) = (directory.join(format!("perf-{id}.map")), directory.join(format!("jit-{id}.dump")));
    let target = directory.join("target");
    fs::write(&target, "precious").expect("it can be written");
    for path in [&map, &dump] {
        symlink(&target, path).expect("it can be linked");
    }
    Perf::map_in(&directory).expect_err("a link");
    Perf::jitdump(&directory).expect_err("a link");
    assert_eq!(fs::read(&target).expect("it is there"), b"precious");
    for path in [&map, &dump] {
        fs::remove_file(path).expect("it is there");
        // Of a process of the same number, long ago.
        fs::write(path, "old").expect("it can be written");
        let file = fs::File::options().write(true).open(path).expect("it is there");
        file.set_modified(std::time::UNIX_EPOCH).expect("times can be set");
    }
    let perf =
        [Perf::map_in(&directory), Perf::jitdump(&directory)].map(|perf| perf.expect("they are replaced"));
    assert_eq!(fs::read(&map).expect("it is there"), b"");
    assert!(fs::read(&dump).expect("it is there").len() == 40);
    let error = Perf::jitdump(&directory).expect_err("it is in use");
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    drop(perf);
    Perf::jitdump(Path::new("/proc/nowhere")).expect_err("no directory");
    fs::remove_dir_all(directory).expect("it can be removed");
}

use super::*;
use crate::args::{Color, Format};
use crate::conflicts::Given;
use crate::text::Flaw;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Work of which every fifth unit has differences, as many as its number has digits.
#[derive(Default)]
struct Numbers {
    /// The unit that cannot be done.
    bad: Option<u64>,
    /// How often a unit has been done.
    done: AtomicU64,
}

impl Work for Numbers {
    type Hands = ();
    type Difference = String;

    fn hands(&self) {}

    fn unit(&self, unit: u64, (): &mut ()) -> Result<Outcome<String>, Failure> {
        // Later units are done first.
        if unit.is_multiple_of(3) {
            thread::sleep(Duration::from_millis(2));
        }
        if self.bad.is_some_and(|bad| unit >= bad) {
            return Err(Failure::input("numbers", Flaw::new(format!("{unit} is bad"))));
        }
        self.done.fetch_add(1, Ordering::Relaxed);
        let mut outcome = Outcome::default();
        outcome.counts.add("sum", unit);
        outcome.counts.add_of("all", "golden", "odd", unit % 2);
        if unit.is_multiple_of(5) {
            outcome.failed = 1;
            outcome.differences =
                unit.to_string().chars().map(|digit| format!("{unit} has {digit}")).collect();
        }
        Ok(outcome)
    }

    fn finding(&self, unit: u64, difference: String, (): &mut ()) -> Finding {
        let name = format!("number-{unit}.txt");
        let exhibit = Some(Exhibit { name, text: difference.clone() });
        Finding { unit, what: vec![difference], exhibit, reproduce: None }
    }
}

const WORDS: Words = Words { doing: "counting", units: "numbers", differing: "numbers", shown: 0 };

fn global() -> Global {
    Global { format: Format::Text, color: Color::Never, quiet: true, given: Given::default() }
}

fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("xfjit-campaign-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn question() -> Question {
    Question::new("numbers", [])
}

fn options(jobs: u16, shard: &str) -> Campaign {
    Campaign { jobs, extent: Extent { shard: Shard::parse(shard).unwrap(), ..Extent::default() } }
}

fn with(mut campaign: Campaign, change: impl FnOnce(&mut Extent)) -> Campaign {
    change(&mut campaign.extent);
    campaign
}

fn record(work: &Numbers, total: u64, args: &Campaign) -> Result<Record, Failure> {
    conduct(work, question(), Some(total), &WORDS, (args, None), &global())
}

#[test]
fn the_number_of_threads_cannot_be_seen() {
    let one = record(&Numbers::default(), 300, &options(1, "1/1")).unwrap();
    assert_eq!((one.units(), one.failed, one.differences), (300, 60, 158));
    assert_eq!((one.counts.get("sum"), one.counts.of("all", "golden", "odd")), (300 * 299 / 2, 150));
    let units: Vec<u64> = one.findings.iter().map(|finding| finding.unit).collect();
    assert!(units.is_sorted() && units.len() == 100 && units[..3] == [0, 5, 10], "{units:?}");
    for jobs in [2, 3, 8, 0] {
        assert_eq!(record(&Numbers::default(), 300, &options(jobs, "1/1")).unwrap(), one, "{jobs} threads");
    }
}

#[test]
fn parts_add_up_to_what_one_machine_does() {
    for total in [0, 1, 7, 300] {
        let whole = record(&Numbers::default(), total, &options(3, "1/1")).unwrap();
        let part = |of: &str| record(&Numbers::default(), total, &options(2, of)).unwrap();
        let mut sum = part("2/3");
        sum.add(part("1/3")).unwrap();
        sum.add(part("3/3")).unwrap();
        let sum = sum.joined();
        assert_eq!(sum.text().unwrap(), whole.text().unwrap(), "{total} units");
    }
}

#[test]
fn work_that_was_interrupted_ends_as_if_it_had_not_been() {
    let directory = directory("resume");
    let whole = record(&Numbers::default(), 120, &options(1, "2/3")).unwrap();
    let file = directory.join("record.json");
    let mut done = 0;
    for total in [0, 1, 50, 50, 119, 120] {
        let (work, args) =
            (Numbers::default(), with(options(3, "2/3"), |extent| extent.resume = Some(file.clone())));
        let record = record(&work, total, &args).unwrap();
        // What is done is not done again.
        done += work.done.into_inner();
        assert_eq!((record.units(), done), (args.extent.shard.share(total), args.extent.shard.share(total)));
        assert_eq!(Record::read(&file).unwrap(), record);
    }
    assert_eq!(Record::read(&file).unwrap(), whole);
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn a_unit_that_cannot_be_done_ends_the_work_behind_the_ones_before_it() {
    let directory = directory("bad");
    for jobs in [1, 3] {
        let file = directory.join(format!("{jobs}.json"));
        let args = with(options(jobs, "1/1"), |extent| extent.resume = Some(file.clone()));
        let failure = record(&Numbers { bad: Some(40), ..Numbers::default() }, 300, &args).unwrap_err();
        let Failure::Input { flaws, .. } = &failure else { panic!("{failure:?}") };
        assert_eq!(flaws[0].message, "40 is bad", "the first one, on {jobs} threads");
        assert_eq!(Record::read(&file).unwrap().units(), 40);
    }
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn work_without_an_end_needs_a_time_and_leaves_whole_units() {
    let args = with(options(3, "2/2"), |extent| extent.seconds = Some(1));
    let record = conduct(&Numbers::default(), question(), None, &WORDS, (&args, None), &global()).unwrap();
    let units = record.units();
    assert!(units > 0);
    let again = conduct(
        &Numbers::default(),
        question(),
        Some(2 * units),
        &WORDS,
        (&options(1, "2/2"), None),
        &global(),
    );
    assert_eq!(again.unwrap(), record);
}

#[test]
fn a_file_that_is_no_record_of_this_work_is_left_as_it_is() {
    let directory = directory("other");
    let other = Record::new(Question::new("diff", [("seed", 1.into())]), Shard::WHOLE).text().unwrap();
    for (name, text) in [("other", other.as_str()), ("cut", &other[..40]), ("none", "{}"), ("empty", "")] {
        let file = directory.join(name);
        std::fs::write(&file, text).unwrap();
        let args = with(options(1, "1/1"), |extent| extent.resume = Some(file.clone()));
        assert_eq!(record(&Numbers::default(), 9, &args).unwrap_err().code(), 3, "{name}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "{name}");
        // A summary is written anew.
        let args = with(options(1, "1/1"), |extent| extent.summary = Some(file.clone()));
        assert_eq!(record(&Numbers::default(), 9, &args).unwrap(), Record::read(&file).unwrap());
    }
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn a_finding_that_cannot_be_written_leaves_a_record_that_can_be_read() {
    let directory = directory("unwritable");
    let (file, found) = (directory.join("record"), directory.join("found"));
    // A directory is where the file of unit 5 should be.
    std::fs::create_dir_all(found.join("number-5.txt")).unwrap();
    let args = with(options(2, "1/1"), |extent| extent.resume = Some(file.clone()));
    let ended = conduct(&Numbers::default(), question(), Some(40), &WORDS, (&args, Some(&found)), &global());
    assert_eq!(ended.unwrap_err().code(), 3);
    assert_eq!(Record::read(&file).unwrap().units(), 6);
    assert_eq!(
        record(&Numbers::default(), 40, &args).unwrap(),
        record(&Numbers::default(), 40, &options(1, "1/1")).unwrap()
    );
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn findings_are_written_also_of_what_was_done_before() {
    let directory = directory("findings");
    let (file, found) = (directory.join("record"), directory.join("found"));
    let args = with(options(2, "1/1"), |extent| extent.resume = Some(file));
    record(&Numbers::default(), 12, &args).unwrap();
    conduct(&Numbers::default(), question(), Some(22), &WORDS, (&args, Some(&found)), &global()).unwrap();
    let mut names: Vec<_> =
        std::fs::read_dir(&found).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["number-0.txt", "number-10.txt", "number-15.txt", "number-20.txt", "number-5.txt"]);
    std::fs::remove_dir_all(directory).unwrap();
}

use super::*;

fn shard(text: &str) -> Shard {
    Shard::parse(text).unwrap()
}

fn question() -> Question {
    Question::new("diff", [("seed", 1.into())])
}

/// The record of a part in which unit 4 has a difference, if the part has that unit.
fn part(of: &str, units: u64) -> Record {
    let mut record = Record::new(question(), shard(of));
    for _ in 0..units {
        record.has_done_one();
    }
    record.counts.add("programs", units);
    record.counts.add_of("hw", "jit", "compared", units);
    if shard(of).index(4).is_some_and(|index| index < units) {
        let exhibit = Some(Exhibit { name: "kelvin-hw-5.xf".to_owned(), text: "test run\n".to_owned() });
        record.findings.push(Finding { unit: 4, what: vec!["wrong".to_owned()], exhibit, reproduce: None });
        (record.failed, record.differences) = (1, 1);
    }
    record
}

fn message(result: Result<Record, Flaw>) -> String {
    result.map_or_else(|flaw| flaw.message, |_| "fine".to_owned())
}

fn sum(parts: &[(&str, u64)]) -> Result<Record, String> {
    let mut records = parts.iter().map(|(of, units)| part(of, *units));
    let first = records.next().unwrap();
    let sum = records.try_fold(first, |mut sum, record| {
        sum.add(record).map_err(|flaw| flaw.message)?;
        Ok(sum)
    });
    sum.map(Record::joined)
}

#[test]
fn a_record_is_read_as_it_was_written() {
    for record in [part("1/1", 0), part("1/1", 9), part("2/3", 2), sum(&[("3/3", 2), ("1/3", 3)]).unwrap()] {
        assert_eq!(Record::parse(record.text().unwrap().as_bytes()).map_err(|flaw| flaw.message), Ok(record));
    }
}

#[test]
fn parts_add_up_to_the_whole() {
    let whole = part("1/1", 10);
    assert_eq!(sum(&[("1/3", 4), ("2/3", 3), ("3/3", 3)]), Ok(whole.clone()));
    assert_eq!(sum(&[("3/3", 3), ("1/3", 4), ("2/3", 3)]), Ok(whole.clone()), "in any order");
    // With a unit left out it is not the beginning of the whole.
    let sum = sum(&[("1/3", 4), ("2/3", 2), ("3/3", 3)]).unwrap();
    assert_eq!((sum.units(), sum.done.len(), sum.failed), (9, 3, 1));
}

#[test]
fn what_does_not_add_up_is_refused() {
    let wrong = |parts: &[(&str, u64)]| sum(parts).unwrap_err();
    assert_eq!(wrong(&[("1/1", 3), ("1/1", 3)]), "counts part 1/1 again");
    assert_eq!(wrong(&[("1/3", 0), ("2/3", 1), ("1/3", 1)]), "counts part 1/3 again");
    assert_eq!(wrong(&[("1/2", 1), ("2/2", 1), ("1/2", 1)]), "counts part 1/2 again");
    assert_eq!(wrong(&[("1/2", 1), ("2/3", 1)]), "is of 3 parts, the rest of 2");
    let mut other = part("2/3", 1);
    other.question.asked.insert("seed".to_owned(), 2.into());
    let flaw = part("1/3", 1).add(other).unwrap_err();
    assert_eq!(flaw.message, "answers another question: seed is 2, not 1");
}

#[test]
fn work_goes_on_where_its_own_record_ends() {
    let record = part("2/3", 2);
    let refused =
        |question: &Question, of: &str| record.refuses(question, shard(of)).map(|flaw| flaw.message);
    assert_eq!(refused(&question(), "2/3"), None);
    assert_eq!(refused(&question(), "1/1").as_deref(), Some("is the record of part 2/3, not 1/1"));
    let other = Question::new("diff", [("seed", 7.into())]);
    let text = "is the record of another campaign: seed is 1, not 7";
    assert_eq!(refused(&other, "2/3").as_deref(), Some(text));
    let sum = sum(&[("1/3", 3), ("2/3", 1)]).unwrap();
    assert!(sum.refuses(&question(), shard("1/3")).is_some());
}

#[test]
fn a_record_that_is_cut_short_is_an_error() {
    let text = part("1/1", 9).text().unwrap();
    for end in 0..text.len() - 2 {
        let message = message(Record::parse(&text.as_bytes()[..end]));
        assert!(message.starts_with("is not the record of a campaign: "), "{end}: {message}");
    }
}

#[test]
fn a_record_that_contradicts_itself_is_an_error() {
    let text = part("1/1", 9).text().unwrap();
    for (old, new, flaw) in [
        ("campaign.1", "campaign.9", "schema"),
        ("\"seed\": 1", "\"seed\": 2", "fingerprint"),
        ("\"units\": 9", "\"units\": 4", "of a unit that is not done"),
        ("\"shard\": \"1/1\"", "\"shard\": \"2/2\"", "of a unit that is not done"),
        ("\"unit\": 4", "\"unit\": 18446744073709551615", "of a unit that is not done"),
        ("kelvin-hw-5.xf", "../kelvin.xf", "another place"),
        ("\"shard\": \"1/1\"", "\"shard\": \"0/1\"", "a part is I/N"),
        ("\"units\": 9", "\"units\": -1", "invalid value"),
        ("\"failed\": 1", "\"failed\": 1, \"failed\": 1", "duplicate field"),
        ("\"failed\": 1", "\"fails\": 1", "unknown field"),
    ] {
        assert!(text.contains(old), "{old}");
        let message = message(Record::parse(text.replacen(old, new, 1).as_bytes()));
        assert!(message.contains(flaw), "{old} -> {new}: {message}");
    }
    let mut huge = part("65536/65536", 1);
    huge.done[0].units = u64::MAX / 3;
    assert!(message(Record::parse(huge.text().unwrap().as_bytes())).contains("more units than there are"));
    let mut twice = part("1/2", 1);
    twice.done.push(twice.done[0]);
    assert!(message(Record::parse(twice.text().unwrap().as_bytes())).contains("parts are not in order"));
}

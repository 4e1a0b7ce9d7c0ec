//! The parameters of the model, as the command line has them.

use crate::args::Chip;
use crate::fail::Failure;
use crate::named_values::named_values;
use crate::text::clip;
use xfjit::chip::Family;
use xfjit_isa::timing::{Parameter, Pipeline, Refused, Timing, Values};

/// The longest name of a stage: a column of the diagram is as wide.
const LONGEST_STAGE: usize = 8;

/// The vertex unit of a family with what `--threads`, `--delay`, `--stages` and `--set` change.
pub fn pipeline(args: &Chip, family: Family) -> Result<Pipeline, Failure> {
    let mut timing = Timing::of(family);
    if let Some(count) = args.threads {
        timing = timing.with_vertices(count);
    }
    if let Some(delay) = args.delay {
        timing = timing.with("delay", delay);
    }
    if !args.stages.is_empty() {
        check_stages(&args.stages)?;
        // There are at most 64.
        timing = timing.with("stages", args.stages.len() as u16);
    }
    let options = [
        ("vertices", "threads", args.threads.is_some()),
        ("delay", "delay", args.delay.is_some()),
        ("stages", "stages", !args.stages.is_empty()),
    ];
    let names = set(&mut timing, &args.set)?;
    for (name, option, is_given) in options {
        if is_given && names.contains(&name) {
            return Err(Failure::Usage(format!("--set {name} is also given as --{option}")));
        }
    }
    let mut pipeline = Pipeline::new(timing);
    if !args.stages.is_empty() {
        pipeline.stages.clone_from(&args.stages);
    }
    Ok(pipeline)
}

/// What `--set` changes; the names.
pub fn set<'a>(values: &mut Values, given: &'a [String]) -> Result<Vec<&'a str>, Failure> {
    let table = values.table();
    let all = || table.iter().map(|parameter| (parameter.name, &[][..]));
    named_values(["set", "parameter of the model", "ilu=1"], given, all, |(name, value, _)| {
        let wrong = |parameter: &Parameter| {
            let (least, most) = parameter.allowed.clone().into_inner();
            Failure::Usage(format!("--set {name}: `{}` is not in {least}..={most}", clip(value)))
        };
        let Some(parameter) = table.iter().find(|parameter| parameter.name == name) else { return Ok(()) };
        let value = value.parse().map_err(|_| wrong(parameter))?;
        match values.set(name, value) {
            Ok(()) => Ok(()),
            Err(Refused::Chip) => {
                Err(Failure::Usage(format!("--set {name}: this chip has no such parameter")))
            }
            Err(Refused::Name | Refused::Range(_)) => Err(wrong(parameter)),
        }
    })
}

fn check_stages(stages: &[String]) -> Result<(), Failure> {
    let wrong = |message: &str| Err(Failure::Usage(format!("--stages: {message}")));
    if stages.len() < 2 {
        return wrong("a pipeline has at least two stages, RR,WB");
    }
    if stages.len() > 64 {
        return wrong("more than 64");
    }
    let is_name = |stage: &String| {
        (1..=LONGEST_STAGE).contains(&stage.chars().count()) && stage.chars().all(|c| c.is_ascii_graphic())
    };
    if !stages.iter().all(is_name) {
        return wrong("names have one to eight letters, digits or signs");
    }
    Ok(())
}

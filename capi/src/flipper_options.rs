//! Choices of a unit: the console, and every quirk by its name.

use crate::export::functions;
use crate::sized::Sized32;
use crate::status::{Failure, argument, call, xfjit_status};
use crate::table::{constants, record};
use xfjit::config::{FlipperQuirks, ProcessorQuirks, QuirkSet};
use xfjit::flipper::{Console, Dialect, FlipperUnit};

constants! {
    /// Whose chip it is (xfjit_flipper_options.console).
    CONSOLES: u32;
    /// The GameCube's: addresses of 26 bits.
    XFJIT_GAMECUBE = 0;
    /// The Wii's: addresses of 29 bits, a second memory from 0x10000000 on.
    XFJIT_WII = 1;
}

constants! {
    /// Whose reading where sources differ (xfjit_flipper_options_init).
    DIALECTS: u32;
    /// That of documents and console tests.
    XFJIT_FLIPPER_SPEC = 0;
    /// Dolphin's software renderer.
    XFJIT_FLIPPER_DOLPHIN_SW = 1;
    /// The vertices of Dolphin's compiled loaders; the transform unit is as XFJIT_FLIPPER_SPEC.
    XFJIT_FLIPPER_DOLPHIN_JIT = 2;
    /// Dolphin's software renderer as it is by default: the vertices of its compiled loaders.
    XFJIT_FLIPPER_DOLPHIN = 3;
}

/// What a record chooses.
#[derive(Default)]
pub(crate) struct Choices {
    pub(crate) console: Console,
    pub(crate) hot: Option<u64>,
    pub(crate) held: Option<u16>,
    pub(crate) transform: FlipperQuirks,
    pub(crate) processor: ProcessorQuirks,
}

/// The record, and what each member that names a quirk does: its values are numbered as the quirk lists them.
macro_rules! options { (
    $(#[doc = $doc:literal])*
    { $($(#[doc = $before:literal])* $first:ident: $first_type:ty,)* }
    { $($(#[doc = $transform_doc:literal])* $transform:ident,)* }
    { $($(#[doc = $processor_doc:literal])* $processor:ident,)* }
    { $($(#[doc = $after:literal])* $last:ident: $last_type:ty,)* }
) => {
    record! {
        OPTIONS;
        $(#[doc = $doc])*
        struct xfjit_flipper_options {
            $($(#[doc = $before])* $first: $first_type,)*
            $($(#[doc = $transform_doc])* $transform: u32,)*
            $($(#[doc = $processor_doc])* $processor: u32,)*
            $($(#[doc = $after])* $last: $last_type,)*
        }
    }

    /// The members that are quirks: of the transform unit, of the command processor.
    #[cfg(test)]
    pub(super) const QUIRKS: [&[&str]; 2] = [&[$(stringify!($transform)),*], &[$(stringify!($processor)),*]];

    fn quirks_of(given: &xfjit_flipper_options, choices: &mut Choices) -> Result<(), Failure> {
        $(choose(&mut choices.transform, stringify!($transform), given.$transform)?;)*
        $(choose(&mut choices.processor, stringify!($processor), given.$processor)?;)*
        Ok(())
    }

    fn fill_quirks(dialect: Dialect, record: &mut xfjit_flipper_options) {
        $(record.$transform = chosen(&dialect.transform(), stringify!($transform));)*
        $(record.$processor = chosen(&dialect.processor(), stringify!($processor));)*
    }
} }

options! {
    /// How a unit works. All zeros (but for the size) are the defaults; xfjit_flipper_options_init makes those of a dialect. QUIRKS.md
    /// has the evidence for each choice.
    {
        /// sizeof(xfjit_flipper_options)
        size: u32,
        /// XFJIT_GAMECUBE or XFJIT_WII
        console: u32,
        /// From how many vertices on that one configuration has drawn in one form it has code of its own that reads them where they lie; 0:
        /// a million, UINT64_MAX: never. What leaves is the same.
        hot: u64,
    }
    {
        /// Depth: 0 as the projection has it, 1 lessened.
        depth,
        /// Coefficients beside the half angle: 0 as they are, 1 as a unit vector.
        half_angle,
        /// Colours as bytes: 0 the nearest, 1 as conversions of x86 have it.
        to_integer,
        /// Memories of normal matrices and lights: 0 hold all bits, 1 the upper 20.
        storage,
        /// Lights are added: 0 as floats, 1 as integers.
        accumulation,
    }
    {
        /// Vertices are read as by the dialect of this number (XFJIT_FLIPPER_SPEC ...).
        dialect,
        /// Bytes of commands: 0 exact, 1 by their upper bits.
        decoding,
        /// Rings: 0 with the block at their top, 1 without.
        ring,
        /// Interrupts of rings: 0 levels, 1 latched.
        interrupt,
        /// The flag that a ring's pointer has come round is cleared by: 0 the next block, 1 a write of the pointer.
        wrap,
        /// Marks of rings: 0 signal, 1 stop the reader.
        watermarks,
    }
    {
        /// Up to how many vertices a drawing command waits for others of its call, so that they run together: 1 to 256; 0: 32, UINT32_MAX:
        /// none waits. What leaves is the same, and its order.
        held: u32,
    }
}

impl Sized32 for xfjit_flipper_options {
    const FIRST: usize = size_of::<Self>();
    const NAME: &'static str = "xfjit_flipper_options";
    const ZERO: Self = Self::ZERO;
}

fn choose<Q: QuirkSet>(quirks: &mut Q, name: &str, value: u32) -> Result<(), Failure> {
    let quirk = Q::TABLE.iter().find(|quirk| quirk.name == name).expect("a test looks for each");
    let Some(value) = quirk.values.get(value as usize) else {
        let most = quirk.values.len() - 1;
        return Err(argument(format_args!("xfjit_flipper_options.{name} is {value}; it is 0 to {most}")));
    };
    (quirk.set)(quirks, value);
    Ok(())
}

fn chosen<Q: QuirkSet>(quirks: &Q, name: &str) -> u32 {
    let quirk = Q::TABLE.iter().find(|quirk| quirk.name == name).expect("a test looks for each");
    let name = (quirk.get)(quirks);
    quirk.values.iter().position(|&value| value == name).map_or(0, |at| at as u32)
}

/// Up to how many vertices commands wait, if that is chosen.
fn most_held(given: u32) -> Result<Option<u16>, Failure> {
    match given {
        0 => Ok(None),
        1..=FlipperUnit::MOST_HELD => Ok(Some(given as u16)),
        u32::MAX => Ok(Some(0)),
        _ => {
            let most = FlipperUnit::MOST_HELD;
            Err(argument(format_args!(
                "xfjit_flipper_options.held is {given}; it is 0 to {most}, or UINT32_MAX"
            )))
        }
    }
}

/// What a record chooses.
pub(crate) fn choices(given: &xfjit_flipper_options) -> Result<Choices, Failure> {
    let &xfjit_flipper_options { console, hot, held, .. } = given;
    let mut choices = Choices {
        console: match console {
            XFJIT_GAMECUBE => Console::GameCube,
            XFJIT_WII => Console::Wii,
            other => return Err(argument(format_args!("there is no console {other}"))),
        },
        hot: (hot > 0).then_some(hot),
        held: most_held(held)?,
        ..Choices::default()
    };
    quirks_of(given, &mut choices)?;
    Ok(choices)
}

functions! {
    FUNCTIONS;
    /// Fills options, of which size is set, with the choices of a dialect (XFJIT_FLIPPER_SPEC ...); the console is the GameCube. Any
    /// thread.
    fn xfjit_flipper_options_init(options: *mut xfjit_flipper_options, dialect: u32) -> xfjit_status {
        call(|| {
            let options = options.room()?;
            let found = Dialect::ALL.get(dialect as usize);
            let dialect = *found.ok_or_else(|| argument(format_args!("there is no dialect {dialect}")))?;
            let mut record = xfjit_flipper_options::ZERO;
            fill_quirks(dialect, &mut record);
            options.fill(&record);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each quirk has a member, and each number chooses what it stands for.
    #[test]
    fn every_quirk_has_a_member() {
        let names = |table: &[&str]| table.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let of = |table: Vec<&'static str>| names(&table);
        let [transform, processor] = QUIRKS;
        assert_eq!(names(transform), of(FlipperQuirks::TABLE.iter().map(|quirk| quirk.name).collect()));
        assert_eq!(names(processor), of(ProcessorQuirks::TABLE.iter().map(|quirk| quirk.name).collect()));
        for quirk in FlipperQuirks::TABLE {
            let mut quirks = FlipperQuirks::default();
            for (number, value) in (0..).zip(quirk.values) {
                choose(&mut quirks, quirk.name, number).expect("it is one");
                assert_eq!(((quirk.get)(&quirks), chosen(&quirks, quirk.name)), (*value, number));
            }
            assert!(choose(&mut quirks, quirk.name, quirk.values.len() as u32).is_err());
        }
        for dialect in Dialect::ALL {
            let mut record = xfjit_flipper_options::ZERO;
            fill_quirks(dialect, &mut record);
            let choices = choices(&record).expect("they are some");
            assert_eq!((choices.transform, choices.processor), (dialect.transform(), dialect.processor()));
        }
        let dialects = [
            (XFJIT_FLIPPER_SPEC, Dialect::Spec),
            (XFJIT_FLIPPER_DOLPHIN_SW, Dialect::DolphinSw),
            (XFJIT_FLIPPER_DOLPHIN_JIT, Dialect::DolphinJit),
            (XFJIT_FLIPPER_DOLPHIN, Dialect::Dolphin),
        ];
        assert_eq!(dialects.len(), Dialect::ALL.len());
        for (number, dialect) in dialects {
            assert_eq!(Dialect::ALL[number as usize], dialect);
        }
    }

    #[test]
    fn commands_wait_for_as_many_vertices_as_is_said() {
        let held = |held| {
            let given = xfjit_flipper_options { held, ..xfjit_flipper_options::ZERO };
            choices(&given).ok().map(|choices| choices.held)
        };
        let got = [0, 1, 256, 257, u32::MAX - 1, u32::MAX].map(held);
        assert_eq!(got, [Some(None), Some(Some(1)), Some(Some(256)), None, None, Some(Some(0))]);
    }
}

//! Choices of a unit: the console, and every quirk by its name.

use crate::export::functions;
use crate::sized::Sized32;
use crate::status::{Failure, argument, call, xfjit_status};
use crate::table::{constants, record};
use xfjit::config::{FlipperQuirks, ProcessorQuirks, QuirkSet};
use xfjit::flipper::{Console, Dialect, FlipperUnit};

constants! {
    /// The console of the chip (xfjit_flipper_options.console).
    CONSOLES: u32;
    /// The GameCube: addresses have 26 bits.
    XFJIT_GAMECUBE = 0;
    /// The Wii: addresses have 29 bits, and a second memory begins at 0x10000000.
    XFJIT_WII = 1;
}

constants! {
    /// Which source to follow where sources differ (xfjit_flipper_options_init).
    DIALECTS: u32;
    /// Documents and console tests.
    XFJIT_FLIPPER_SPEC = 0;
    /// Dolphin's software renderer.
    XFJIT_FLIPPER_DOLPHIN_SW = 1;
    /// Dolphin's compiled vertex loaders. The transform unit follows XFJIT_FLIPPER_SPEC.
    XFJIT_FLIPPER_DOLPHIN_JIT = 2;
    /// Dolphin's software renderer with its defaults: it uses the compiled vertex loaders.
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
    /// The options of a unit. If everything but the size is zero, all have their defaults. xfjit_flipper_options_init fills in those of a
    /// dialect. QUIRKS.md gives the evidence for each choice.
    {
        /// sizeof(xfjit_flipper_options)
        size: u32,
        /// XFJIT_GAMECUBE or XFJIT_WII
        console: u32,
        /// When one configuration has drawn this many vertices of one format, the library compiles code for it that reads the vertices in
        /// place; 0: a million, UINT64_MAX: never. The output is the same.
        hot: u64,
    }
    {
        /// Depth. 0: as the projection gives it. 1: reduced slightly.
        depth,
        /// Coefficients next to the half angle. 0: unchanged. 1: as a unit vector.
        half_angle,
        /// Conversion of colours to bytes. 0: to the nearest. 1: as x86 conversions do it.
        to_integer,
        /// Memory of normal matrices and lights. 0: it holds all bits. 1: it holds the upper 20 bits.
        storage,
        /// Sum of lights. 0: as floats. 1: as integers.
        accumulation,
    }
    {
        /// The dialect that decides how vertices are read (XFJIT_FLIPPER_SPEC ...).
        dialect,
        /// Decoding of command bytes. 0: exact. 1: by the upper bits.
        decoding,
        /// The block at a ring's top. 0: it belongs to the ring. 1: it does not.
        ring,
        /// Interrupts of rings. 0: level-triggered. 1: latched.
        interrupt,
        /// What clears the flag that says that a ring's pointer has wrapped around. 0: the next block. 1: a write of the pointer.
        wrap,
        /// High and low marks of rings. 0: they signal. 1: they stop the reader.
        watermarks,
    }
    {
        /// A drawing command with at most this many vertices waits for others of the same call, so that they run together: 1 to 256; 0: 32,
        /// UINT32_MAX: no command waits. The output and its order are the same.
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
    /// Fills options with the choices of a dialect (XFJIT_FLIPPER_SPEC ...). The console becomes the GameCube. The caller sets size first.
    /// Any thread.
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

//! Logs of the methods that are sent to the Xbox's graphics unit, as xemu (`-trace nv2a_pgraph_method`), nv2a-trace and xbdm_gdb_bridge
//! write them, and nv2apretty reads them: a line for each method,
//!
//! ```text
//! nv2a_pgraph_method 0: 0x97 -> 0x1ea0 NV097_SET_TRANSFORM_PROGRAM_START 0x0
//! nv2a_pgraph_method 0: 0x97 -> 0x1ea0 0x0
//! nv2a_pgraph_method 0: 0x97 -> 0x1818 <NO_DATA>
//! nv2a_pgraph_method_abbrev 0: 0x97 -> 0x1800 NV097_ARRAY_ELEMENT16 * 12
//! ```
//! which are subchannel, class, method, perhaps its name, and the word. The last form has no word, and says how often the method came. The
//! reader skips text before these fields, and other lines. Methods of vertices whose data is not in the log are lost, and the reader
//! reports them.
//!
//! The reader reads what [`Methods`] knows (programs, constants, modes) and vertices that come as floats: methods 0x1500 (three of the
//! position), 0x1518 (four), 0x1880 (two of any attribute) and 0x1a00 (four), where the last word of attribute 0 starts a vertex; and
//! 0x1818, whole vertices, by the formats of 0x1760. (Numbers: the headers of Kelvin's class in envytools' `rnndb` and Mesa's
//! `nv20_3d.xml.h`.) The contents of vertex arrays are in the console's memory, and not in any log.

use super::ImportError;
use crate::xf::methods::{MethodError, Methods};
use crate::xf::trace::Item;
use crate::xf::{Command, Type};
use std::collections::BTreeMap;
use xfjit_isa::chip::Chip;
use xfjit_runtime::encoding::Encoding;
use xfjit_runtime::format::{ByteOrder, Format};
use xfjit_runtime::state::{ATTRIBUTES, Row};

/// What a line of interest begins with.
const METHOD: &str = "nv2a_pgraph_method";
/// The class of Kelvin on the Xbox.
const CLASS: u32 = 0x97;
/// Bytes of a log that are searched for a method to tell what it is.
const SEARCHED: usize = 1 << 16;

/// The result of reading a log.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// Lines with a method of the class.
    pub methods: u64,
    /// Items.
    pub items: u64,
    /// Vertices among them.
    pub vertices: u64,
    /// What was lost, with the reason, the count, and the first line.
    pub lost: BTreeMap<String, (u64, usize)>,
}

/// Whether a text is such a log.
pub fn is_one(bytes: &[u8]) -> bool {
    let searched = &bytes[..bytes.len().min(SEARCHED)];
    searched.windows(METHOD.len()).any(|window| window == METHOD.as_bytes())
}

/// Kinds of what was lost that are told apart; what comes behind them is one kind.
const MOST_LOST: usize = 256;
/// The kind behind them.
const OTHERS: &str = "what else there is";

/// A line.
enum Said {
    /// A method, and its word.
    Word(u32, u32),
    /// A method without.
    Lost(u32, &'static str),
    /// Of another class, or none.
    Nothing,
}

fn hex(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let is_hex = (1..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex { u32::from_str_radix(digits, 16).ok() } else { None }
}

/// Takes a line apart; none if it begins as a method and goes on otherwise.
fn parse(line: &str) -> Option<Said> {
    let Some(at) = line.find(METHOD) else { return Some(Said::Nothing) };
    let rest = &line[at + METHOD.len()..];
    let is_abbreviated = rest.starts_with("_abbrev");
    let rest = rest.strip_prefix("_abbrev").unwrap_or(rest);
    if !rest.starts_with(char::is_whitespace) {
        // Some other event, whose name begins alike.
        return Some(Said::Nothing);
    }
    let mut words = rest.split_whitespace();
    words.next()?.strip_suffix(':')?.parse::<u32>().ok()?;
    let class = hex(words.next()?)?;
    if words.next()? != "->" {
        return None;
    }
    let method = hex(words.next()?)?;
    let rest: Vec<&str> = words.take(8).collect();
    if class != CLASS {
        return Some(Said::Nothing);
    }
    match rest[..] {
        [.., "*", count] if count.parse::<u32>().is_ok() => Some(Said::Lost(method, "abbreviated")),
        _ if is_abbreviated => Some(Said::Lost(method, "abbreviated")),
        [.., "<NO_DATA>"] => Some(Said::Lost(method, "without data")),
        [.., word] => Some(Said::Word(method, hex(word)?)),
        [] => None,
    }
}

/// What vertices that come whole consist of.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Element {
    format: Option<Format>,
    /// Words of it.
    words: usize,
    /// A format with a size that is not read.
    strange: Option<u32>,
}

impl Element {
    /// The value of 0x1760 and on: the type in bits 0 to 3, components in bits 4 to 7, the stride in an array above.
    fn of(value: u32) -> Element {
        let size = (value >> 4 & 15) as u8;
        let encoding = match value & 15 {
            0 => Some(Encoding::UbD3d),
            1 => Some(Encoding::S1),
            2 => Some(Encoding::Float),
            4 => Some(Encoding::UbOgl),
            5 => Some(Encoding::S32k),
            // A word, whose size the chip counts as 1.
            6 if size == 1 => Some(Encoding::Cmp),
            _ => None,
        };
        // The chip's memory has the lowest byte first, whatever this host's has.
        let little = |encoding| Format { order: ByteOrder::LITTLE, ..Format::host(encoding, size) };
        let format = encoding.map(little).filter(|format| format.exists());
        match (size, format) {
            (0, _) => Element::default(),
            (_, None) => Element { strange: Some(value & 0xff), ..Element::default() },
            (_, Some(format)) => {
                Element { words: format.bytes().div_ceil(4), format: Some(format), strange: None }
            }
        }
    }
}

/// The first attribute whose format is not read.
fn strange(elements: &[Element]) -> Option<(usize, u32)> {
    let mut named = elements.iter().enumerate();
    named.find_map(|(register, element)| Some((register, element.strange?)))
}

/// What is kept from line to line.
struct State {
    methods: Methods,
    /// Words of vertices that are not whole yet, by attribute.
    given: [Row; ATTRIBUTES],
    elements: [Element; ATTRIBUTES],
    /// Of a vertex that comes whole.
    inline: Vec<u32>,
}

/// The commands that write so many components.
fn write(take: &mut impl FnMut(Item), register: usize, [x, y, z, w]: Row, components: usize) {
    let slot = register as u16;
    take(Item::Command(match components {
        1 => Command::word(Type::Vab, slot, 0, x),
        _ => Command::pair(Type::Vab, slot, 0, [x, y]),
    }));
    match components {
        3 => take(Item::Command(Command::word(Type::Vab, slot, 2, z))),
        4 => take(Item::Command(Command::pair(Type::Vab, slot, 2, [z, w]))),
        _ => {}
    }
}

impl State {
    /// A word of an attribute with so many; the last one is sent, and of attribute 0 starts a vertex.
    fn attribute(&mut self, at: u32, components: usize, value: u32, take: &mut impl FnMut(Item)) {
        let (register, component) = (at as usize / components, at as usize % components);
        self.given[register][component] = value;
        if component + 1 == components {
            write(take, register, self.given[register], components);
            if register == 0 {
                take(Item::Vertex);
            }
        }
    }

    /// A word of a vertex that comes whole.
    fn inline(&mut self, value: u32, take: &mut impl FnMut(Item)) -> Result<(), String> {
        if let Some((register, value)) = strange(&self.elements) {
            let (kind, size) = (value & 15, value >> 4);
            return Err(format!(
                "vertices in an unsupported format: attribute {register} has type {kind} of size {size}"
            ));
        }
        let size: usize = self.elements.iter().map(|element| element.words).sum();
        if self.elements[0].words == 0 {
            return Err("vertices without a position".to_owned());
        }
        self.inline.push(value);
        if self.inline.len() < size {
            return Ok(());
        }
        let mut at = 0;
        for (register, element) in self.elements.iter().enumerate() {
            let Some(format) = element.format else { continue };
            let bytes: Vec<u8> =
                self.inline[at..at + element.words].iter().flat_map(|word| word.to_le_bytes()).collect();
            at += element.words;
            let components =
                if format.encoding == Encoding::Float { usize::from(format.components) } else { 4 };
            write(take, register, format.read(&bytes), components);
        }
        self.inline.clear();
        take(Item::Vertex);
        Ok(())
    }

    fn method(&mut self, method: u32, value: u32, take: &mut impl FnMut(Item)) -> Result<(), String> {
        match method {
            _ if !method.is_multiple_of(4) => return Err("methods between two words".to_owned()),
            0x1500..0x150c => self.attribute((method - 0x1500) / 4, 3, value, take),
            0x1518..0x1528 => self.attribute((method - 0x1518) / 4, 4, value, take),
            0x1880..0x1900 => self.attribute((method - 0x1880) / 4, 2, value, take),
            0x1a00..0x1b00 => self.attribute((method - 0x1a00) / 4, 4, value, take),
            0x150c..0x1518 | 0x1528..0x1720 | 0x1900..0x1a00 => {
                return Err("attributes in other formats than two or four floats".to_owned());
            }
            0x1760..0x17a0 => {
                self.elements[(method - 0x1760) as usize / 4] = Element::of(value);
                self.inline.clear();
            }
            0x17fc => self.inline.clear(),
            0x1818 => return self.inline(value, take),
            0x1800 | 0x1808 | 0x1810 => {
                return Err("vertices of arrays, which are in the console's memory".to_owned());
            }
            _ => match self.methods.write(method, value, take) {
                Ok(()) | Err(MethodError::Unknown { .. }) => {}
                // One kind for all values.
                Err(MethodError::Value { method, .. }) => {
                    return Err(format!("method {method:#06x}, with values that it does not allow"));
                }
                Err(error) => return Err(error.to_string()),
            },
        }
        Ok(())
    }
}

/// Whether what a method is sent reaches the unit: without it something is missing.
fn matters(method: u32) -> bool {
    let is_vertex = matches!(method, 0x1500..0x1720 | 0x1760..0x17a0 | 0x1800..=0x1818 | 0x1880..0x1b00);
    let mut methods = Methods::new(Chip::Nv2a);
    is_vertex || !matches!(methods.write(method, 0, &mut |_| {}), Err(MethodError::Unknown { .. }))
}

/// Reads a log, and passes on its contents as items of an NV2A after reset.
///
/// # Errors
/// A line that begins like a method and continues differently; the items before it have been passed on. The last line is lost if it has no
/// line end, since it may be truncated.
pub fn read(text: &str, mut take: impl FnMut(&Item)) -> Result<Summary, ImportError> {
    let mut state = State {
        methods: Methods::new(Chip::Nv2a),
        given: [[0; 4]; ATTRIBUTES],
        elements: [Element::default(); ATTRIBUTES],
        inline: Vec::new(),
    };
    let mut summary = Summary::default();
    let lines = text.lines().count();
    for (number, line) in (1..).zip(text.lines()) {
        let said = match parse(line) {
            // A word of which digits are missing would be another.
            Some(Said::Word(..)) | None if number == lines && !text.ends_with('\n') => {
                summary.lost.insert("the last line, which may be cut off".to_owned(), (1, number));
                break;
            }
            Some(said) => said,
            None => {
                let form = "expected `nv2a_pgraph_method CHANNEL: 0xCLASS -> 0xMETHOD [NAME] 0xWORD`";
                return Err(ImportError::line(number, form));
            }
        };
        let lost = match said {
            Said::Nothing => continue,
            Said::Word(method, value) => {
                summary.methods += 1;
                let (items, vertices) = (&mut summary.items, &mut summary.vertices);
                state.method(method, value, &mut |item| {
                    *items += 1;
                    *vertices += u64::from(item == Item::Vertex);
                    take(&item);
                })
            }
            Said::Lost(method, why) => {
                summary.methods += 1;
                if matters(method) { Err(format!("method {method:#06x}, {why}")) } else { Ok(()) }
            }
        };
        if let Err(what) = lost {
            let is_new = !summary.lost.contains_key(&what);
            let what = if is_new && summary.lost.len() >= MOST_LOST { OTHERS.to_owned() } else { what };
            let entry = summary.lost.entry(what).or_insert((0, number));
            entry.0 += 1;
        }
    }
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> (Vec<String>, Summary) {
        let mut items = Vec::new();
        let summary = read(text, |item| items.push(item.to_string())).expect("it is a log");
        (items, summary)
    }

    #[test]
    fn each_writer_s_lines() {
        let text = "pgraph method log from nv2a-trace.py\n\n\
            nv2a_pgraph_method 0: 0x97 -> 0x1ea4 0x60\n\
            1234@1700000000.5:nv2a_pgraph_method 0: 0x97 -> 0x0b80 NV097_SET_TRANSFORM_CONSTANT[0] 0x3f800000\n\
            nv2a_pgraph_method 0: 0x62 -> 0x0300 0x1\n\
            nv2a_pgraph_method_abbrev 0: 0x97 -> 0x1800 NV097_ARRAY_ELEMENT16 * 12\n\
            nv2a_pgraph_method 0: 0x97 -> 0x0100 <NO_DATA>\n\
            nv2a_pgraph_method 0: 0x97 -> 0x1810 0x1\n\
            nv2a_pgraph_method 0: 0x97 -> 0x1810 0x1\n\
            nv2a_pgraph_method 0: 0x97 -> 0x1ea0 0x88\n";
        let (items, summary) = items(text);
        assert_eq!(items, ["XFCTX 0x60.x 0x3f800000"]);
        assert_eq!((summary.methods, summary.items, summary.vertices), (7, 1, 0));
        let lost: Vec<(&str, (u64, usize))> =
            summary.lost.iter().map(|(what, &lost)| (what.as_str(), lost)).collect();
        assert_eq!(
            lost,
            [
                ("method 0x1800, abbreviated", (1, 6)),
                ("method 0x1ea0, with values that it does not allow", (1, 10)),
                ("vertices of arrays, which are in the console's memory", (2, 8)),
            ]
        );
    }

    #[test]
    fn vertices_that_stand_in_the_log() {
        let line =
            |method: u32, value: u32| format!("nv2a_pgraph_method 0: 0x97 -> {method:#x} {value:#X}\n");
        let line = |method, value| line(method, value).replace("0X", "0x");
        let mut text = String::new();
        // Two floats of attribute 9, four of attribute 3, then the position, which starts a vertex.
        text += &line(0x1880 + 8 * 9, 1);
        text += &line(0x1884 + 8 * 9, 2);
        (0..4).for_each(|at| text += &line(0x1a30 + 4 * at, 3 + at));
        (0..3).for_each(|at| text += &line(0x1500 + 4 * at, 7 + at));
        let (one, summary) = items(&text);
        assert_eq!(
            one,
            [
                "VAB 0x9.xy 0x00000001 0x00000002",
                "VAB 0x3.xy 0x00000003 0x00000004",
                "VAB 0x3.zw 0x00000005 0x00000006",
                "VAB 0x0.xy 0x00000007 0x00000008",
                "VAB 0x0.z 0x00000009",
                "vertex"
            ]
        );
        assert_eq!((summary.vertices, summary.lost.len()), (1, 0));
        // A position of three floats, and a colour whose bytes are blue, green, red, alpha.
        let mut text = line(0x1760, 0x32) + &line(0x176c, 0x40) + &line(0x17fc, 5);
        [1, 2, 3, 0x00ff_00ff, 4].iter().for_each(|&word| text += &line(0x1818, word));
        text += &line(0x17fc, 0);
        let (two, summary) = items(&text);
        assert_eq!(
            two,
            [
                "VAB 0x0.xy 0x00000001 0x00000002",
                "VAB 0x0.z 0x00000003",
                "VAB 0x3.xy 0x3f800000 0x00000000",
                "VAB 0x3.zw 0x3f800000 0x00000000",
                "vertex"
            ]
        );
        assert_eq!((summary.vertices, summary.lost.len()), (1, 0));
    }

    /// Type 6, CMP: a normal of (0, 0, 1) comes from Direct3D as one word of size 1.
    #[test]
    fn three_fields_of_a_word_are_a_size_of_one() {
        let line =
            |method: u32, value: u32| format!("nv2a_pgraph_method 0: 0x97 -> {method:#x} {value:#x}\n");
        let normal = |size: u32| {
            let text = line(0x1760, 0x32) + &line(0x1768, size << 4 | 6) + &line(0x17fc, 5);
            items(&[1, 2, 3, 0x1ff << 22].iter().fold(text, |text, &word| text + &line(0x1818, word)))
        };
        let (one, summary) = normal(1);
        assert_eq!(
            one,
            [
                "VAB 0x0.xy 0x00000001 0x00000002",
                "VAB 0x0.z 0x00000003",
                "VAB 0x2.xy 0x00000000 0x00000000",
                "VAB 0x2.zw 0x3f800000 0x3f800000",
                "vertex"
            ]
        );
        assert_eq!((summary.vertices, summary.lost.len()), (1, 0));
        for size in [2, 3, 4, 7] {
            let (none, summary) = normal(size);
            let lost = format!("vertices in an unsupported format: attribute 2 has type 6 of size {size}");
            assert!(none.is_empty() && summary.lost[&lost] == (4, 4), "{size}: {summary:?}");
        }
    }

    #[test]
    fn methods_between_two_words_are_not_their_neighbours() {
        for method in [0x1501, 0x1a02, 0x1763, 0x1819, 0x0b81, 0x1ea5] {
            let (none, summary) = items(&format!("nv2a_pgraph_method 0: 0x97 -> {method:#x} 0x1\n"));
            assert!(none.is_empty(), "{method:#x}: {none:?}");
            assert_eq!(summary.lost["methods between two words"], (1, 1), "{method:#x}");
        }
    }

    #[test]
    fn kinds_of_what_is_lost_are_bounded() {
        use std::fmt::Write;
        let mut text = String::new();
        for value in 0..5000 {
            writeln!(text, "nv2a_pgraph_method 0: 0x97 -> 0x1ea0 {:#x}", 0x88 + value).expect("memory");
            let method = 0xb00 + 4 * (value % 1024);
            writeln!(text, "nv2a_pgraph_method 0: 0x97 -> {method:#x} <NO_DATA>").expect("memory");
        }
        let (_, summary) = items(&text);
        assert!(summary.lost.len() <= MOST_LOST + 1, "{}", summary.lost.len());
        assert_eq!(summary.lost["method 0x1ea0, with values that it does not allow"], (5000, 1));
    }

    #[test]
    fn what_is_no_method_is_told_by_its_line() {
        let error = |text: &str| read(text, |_| {}).expect_err("it is none").to_string();
        for bad in [
            "0: 0x97",
            "x: 0x97 -> 0x100 0x1",
            "0: 97 -> 0x100 0x1",
            "0: 0x97 -> 0x100 five",
            "0: 0x97 -> 0x100",
        ] {
            let text = format!("first\nnv2a_pgraph_method {bad}\nlast\n");
            assert!(error(&text).starts_with("line 2: expected `nv2a_pgraph_method"), "{bad}");
        }
        let (_, summary) = items("nv2a_pgraph_method 0: 0x97 -> 0x1e");
        let cut = "the last line, which may be cut off";
        assert_eq!(summary.lost[cut], (1, 1));
        // Cut inside of its word, which is another then.
        let text = "nv2a_pgraph_method 0: 0x97 -> 0x1ea4 0x60\nnv2a_pgraph_method 0: 0x97 -> 0x0b80 0x3f80";
        let (none, summary) = items(text);
        assert_eq!((none.len(), summary.methods, summary.lost[cut]), (0, 1, (1, 2)));
        assert_eq!(items(&format!("{text}\n")).0, ["XFCTX 0x60.x 0x00003f80"]);
        assert!(is_one(b"x\nnv2a_pgraph_method 0"));
        assert!(!is_one(b"chip nv2a"));
    }
}

//! The body of the fuzz target `stream`: whatever commands and memory a unit is given.

use super::flipper_streams::Stream;
use super::flipper_unit::{Out, Reference, placing_unit, unit, vertices};
use crate::chip::flipper::opcode::Decoding;
use xfjit::flipper::dff::{Played, Player, Recording};
use xfjit::flipper::{Budget, Dialect, FlipperUnit, Output, Quirks, Ram, Trace};

/// Work of one stream, so that a fuzzer gets on: bytes of commands, and vertices.
const MOST_WORK: Budget = Budget(1 << 13);

/// A stream with what is around it, as a fuzzer's bytes name it.
///
/// ```text
/// byte 0   dialect (bits 0, 1), decoding (2), commands before the stream that make its vertices visible (3)
/// byte 1   where the state is saved, in 256ths of the stream
/// byte 2   budget of a call
/// byte 3   32 bytes each of the guest's memory, which follow; the rest is the stream
/// ```
#[derive(Clone, Debug)]
pub struct StreamCase {
    quirks: Quirks,
    cut: usize,
    budget: Budget,
    memory: Vec<u8>,
    stream: Vec<u8>,
}

impl StreamCase {
    fn new(bytes: &[u8]) -> StreamCase {
        let (&[kind, cut, budget, blocks], rest) = bytes.split_first_chunk().unwrap_or((&[0; 4], &[]));
        let (memory, commands) = rest.split_at(rest.len().min(32 * usize::from(blocks)));
        let dialect = Dialect::ALL[usize::from(kind & 3) % Dialect::ALL.len()];
        let decoding = if kind & 4 != 0 { Decoding::UpperBits } else { Decoding::Exact };
        let mut stream = Stream::default();
        if kind & 8 != 0 {
            stream.camera();
        }
        stream.0.extend(commands);
        StreamCase {
            quirks: Quirks { dialect, decoding, ..Quirks::default() },
            cut: usize::from(cut) * stream.0.len() / 256,
            budget: Budget(1 + u64::from(budget) * 4),
            memory: memory.to_vec(),
            stream: stream.0,
        }
    }

    /// Bytes that name a stream.
    pub fn bytes(memory: &[u8], stream: &[u8], [kind, cut, budget]: [u8; 3]) -> Vec<u8> {
        let blocks = memory.len().div_ceil(32).min(255);
        let mut bytes = vec![kind, cut, budget, blocks as u8];
        bytes.extend(memory);
        bytes.resize(4 + 32 * blocks, 0);
        bytes.extend(stream);
        bytes
    }

    /// A unit does what the reference interpreters do; in calls of a small budget, with its state saved and restored in between,
    /// the same; and its recording plays to the same. Returns what left.
    fn check(&self) -> Vec<Out> {
        let StreamCase { quirks, stream, memory, .. } = self;
        let mut whole = unit(*quirks);
        whole.record();
        let mut got = Vec::new();
        let used = whole.run(stream, memory, MOST_WORK, |output| got.push(Out::from(output)));
        let (want, reference_used) = Reference::new(*quirks).run_within(stream, memory, MOST_WORK);
        assert_eq!((&got, used), (&want, reference_used));
        let (mut placing, mut lent) = (placing_unit(*quirks), Vec::new());
        placing.run(stream, memory, MOST_WORK, |output| lent.push(Out::from(output)));
        assert_eq!(lent, want);
        self.check_pieces(&got, used, &whole);
        let trace = whole.recorded().expect("it has been recorded");
        self.check_trace(&trace, &got);
        got
    }

    fn check_pieces(&self, want: &[Out], whole_used: usize, whole: &FlipperUnit) {
        let StreamCase { quirks, stream, memory, cut, budget } = self;
        let (mut pieces, mut got, mut used) = (unit(*quirks), Vec::<Out>::new(), 0);
        // No further than the first run, which may have been out of budget.
        for end in [(*cut).min(whole_used), whole_used] {
            loop {
                let state = pieces.fifo.processor.clone();
                let taken = pieces.run(&stream[used..end], memory, *budget, |output| got.push(output.into()));
                used += taken;
                // The first run may have been out of budget in a list.
                let is_enough = used == end && got.len() >= want.len() && whole.fifo.processor.is_in_list();
                if is_enough || taken == 0 && pieces.fifo.processor == state {
                    break;
                }
            }
            let state = pieces.save();
            let mut other = unit(*quirks);
            other.restore(&state).expect("it is a state");
            assert_eq!(other.save(), state);
            pieces = other;
        }
        if whole.fifo.processor.is_in_list() {
            got.truncate(want.len());
        }
        assert_eq!(got, want);
        if !whole.fifo.processor.is_in_list() {
            assert_eq!(pieces.save(), whole.save());
        }
    }

    fn check_trace(&self, trace: &Trace, out: &[Out]) {
        let text = trace.to_string();
        assert_eq!(Trace::parse(&text).as_ref(), Ok(trace), "{text}");
        let again = super::captures::flipper_through_a_capture(trace);
        assert_eq!(again.as_ref(), Ok(trace), "{text}");
        let mut want = out.to_vec();
        want.retain(|out| !matches!(out, Out::Call(..) | Out::Unknown(_)));
        let (mut got, mut memory, mut fresh) = (Vec::new(), Ram::default(), unit(self.quirks));
        for item in &trace.items {
            fresh.play(item, &mut memory, |output| got.push(Out::from(output))).expect("it is whole");
        }
        assert_eq!(got, want, "{text}");
    }
}

/// The body of the fuzz target: a stream, or a recording if the bytes begin as one, whose vertices leave or which is refused.
/// Returns vertices.
pub fn fuzz_stream(bytes: &[u8]) -> usize {
    if !Recording::is_one(bytes) {
        return vertices(&StreamCase::new(bytes).check());
    }
    let Ok(recording) = Recording::read(bytes) else { return 0 };
    let (mut seen, mut unit) = (0, unit(Quirks::default()));
    unit.set_outputs(0);
    let mut player = Player::new(&recording, &mut unit);
    let mut take = |output: Output<'_>| {
        if let Output::Drawn(drawn) = output {
            seen += drawn.vertices.count;
        }
    };
    // Not to the end of a frame whose lists keep it drawing for hours.
    while player.frame(&mut unit, MOST_WORK, &mut take) == Played::Frame {}
    seen
}

//! What the unit decides of three vertices (flipper.md 3.3).

use xfjit_runtime::state::Row;

/// Whether a triangle with these clip positions shows its back; `scale` is the viewport's scale of y, as a word. Expects the
/// default floating-point environment.
pub fn is_back(clip: [Row; 3], scale: u32) -> bool {
    let [[x0, y0, _, w0], [x1, y1, _, w1], [x2, y2, _, w2]] = clip.map(|row| row.map(f32::from_bits));
    let area = (x0 * w2 - x2 * w0) * y1 + (x2 * y0 - x0 * y2) * w1 + (y2 * w0 - y0 * w2) * x1;
    let is_back = area <= 0.0;
    if f32::from_bits(scale) > 0.0 { !is_back } else { is_back }
}

/// Whether a triangle with these clip masks is rejected: all of it is outside of one plane.
pub const fn is_rejected(masks: [u32; 3]) -> bool {
    masks[0] & masks[1] & masks[2] != 0
}

//! Functions that the text of a program needs.

use super::Names;

/// A function, and the call by which a text shows that it needs it.
const FUNCTIONS: &[(&str, &str)] = &[
    ("dst(", "vec4 dst(vec4 a, vec4 b) { return vec4(1.0, a.y * b.y, a.z, b.w); }"),
    ("dph(", "float dph(vec4 a, vec4 b) { return dot(a.xyz, b.xyz) + b.w; }"),
    (
        "rcc(",
        "float rcc(float x) { float y = 1.0 / x; return (y < 0.0 ? -1.0 : 1.0) * clamp(abs(y), exp2(-64.0), exp2(64.0)); }",
    ),
    ("expp(", "vec4 expp(float x) { return vec4(exp2(floor(x)), x - floor(x), exp2(x), 1.0); }"),
    (
        "logp(",
        "vec4 logp(float x) {\n    int e;\n    float m = 2.0 * frexp(x, e);\n    return x == 0.0 ? vec4(log2(0.0), 1.0, log2(0.0), 1.0) \
         : x < 0.0 ? vec4(vec3(uintBitsToFloat(0x7fc00000u)), 1.0) : vec4(float(e - 1), m, log2(x), 1.0);\n}",
    ),
    (
        "lit(",
        "vec4 lit(vec4 a) {\n    float w = clamp(a.w, -127.9961, 127.9961), infinity = uintBitsToFloat(0x7f800000u);\n    \
         float z = w == 0.0 ? 1.0 : a.y > 0.0 ? pow(a.y, w) : w < 0.0 ? infinity : 0.0;\n    \
         return vec4(1.0, max(a.x, 0.0), a.x > 0.0 ? z : 0.0, 1.0);\n}",
    ),
];

/// Those that a text needs.
pub(super) fn functions(names: &Names, text: &str) -> String {
    let mut all = String::new();
    let needed = FUNCTIONS.iter().filter(|(call, _)| {
        // Not as the end of another name.
        text.match_indices(call)
            .any(|(at, _)| !text[..at].ends_with(|letter: char| letter.is_ascii_alphanumeric()))
    });
    for (_, function) in needed {
        all += &format!("\n{function}");
    }
    if text.contains("row(") {
        let rows = names.generation.constants();
        all += &format!("\nvec4 row(int n) {{ return n >= 0 && n < {rows} ? c[n] : vec4(0.0); }}");
    }
    if text.contains("input_at(") {
        all += "\nvec4 input_at(int n) { return n >= 0 && n < 16 ? v[n] : vec4(0.0); }";
    }
    if all.is_empty() { all } else { all + "\n" }
}

//! Types of Rust as declarations of C.

/// A declaration of something of a type.
///
/// # Panics
/// If C has no such type.
pub(crate) fn declaration(of: &str, name: &str) -> String {
    declare(of, name.to_owned(), "")
}

fn declare(of: &str, declarator: String, qualifier: &str) -> String {
    if let Some(inner) = of.strip_prefix("*const ") {
        return declare(inner, format!("*{qualifier}{declarator}"), "const ");
    }
    if let Some(inner) = of.strip_prefix("*mut ") {
        return declare(inner, format!("*{qualifier}{declarator}"), "");
    }
    if let Some(inner) = of.strip_prefix('[') {
        let (inner, count) = inner.strip_suffix(']').and_then(|inner| inner.rsplit_once("; ")).expect(of);
        return declare(inner, format!("{declarator}[{count}]"), qualifier);
    }
    let name = match of {
        "" => "void",
        "u8" => "uint8_t",
        "u16" => "uint16_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i32" => "int32_t",
        "usize" => "size_t",
        "c_char" => "char",
        "c_void" => "void",
        name if name.starts_with("xfjit_") => name,
        other => panic!("C has no {other}"),
    };
    let space = if declarator.is_empty() { "" } else { " " };
    format!("{qualifier}{name}{space}{declarator}")
}

#[test]
fn declarations() {
    for (of, want) in [
        ("u32", "uint32_t x"),
        ("*const xfjit_options", "const xfjit_options *x"),
        ("*mut *mut xfjit_engine", "xfjit_engine **x"),
        ("*const *const xfjit_program", "const xfjit_program *const *x"),
        ("*mut *const xfjit_program", "const xfjit_program **x"),
        ("[[u32; 4]; 16]", "uint32_t x[16][4]"),
        ("*mut c_void", "void *x"),
    ] {
        assert_eq!(declaration(of, "x"), want);
    }
}

//! Names the shared library as it is installed, whatever file cargo makes of it: programs that are linked to it look for
//! `libxfjit.so.1`, where 1 is `XFJIT_ABI`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let link = |argument: &str| println!("cargo::rustc-cdylib-link-arg={argument}");
    match (of("CARGO_CFG_TARGET_OS").as_str(), of("CARGO_CFG_TARGET_FAMILY").as_str()) {
        ("macos", _) => link("-Wl,-install_name,@rpath/libxfjit.1.dylib"),
        (_, "unix") => link("-Wl,-soname,libxfjit.so.1"),
        _ => {}
    }
}

//! The scripts of `capi/patches` on trees that are shaped as those of the emulators, but hold nothing of theirs.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A script, the file that it changes, and a text in which it finds what it looks for.
struct Script {
    name: &'static str,
    file: &'static str,
    text: &'static str,
    /// What the text must not lack, and what the script says if it does.
    needed: &'static [(&'static str, &'static str)],
}

const BOCHS: &str = r#"#include "iodev.h"
#include "geforce.h" // the card
static const char *odd = "} void bx_geforce_c::d3d_triangle(";
/* void bx_geforce_c::d3d_triangle(gf_channel* ch, Bit32u base) { } */
void bx_geforce_c::d3d_triangle(gf_channel* ch, Bit32u base)
{
  if (base == '{') return;
  float vs_out[3][16][4];
  for (Bit32u vi = 0; vi < 3; vi++) {
    if (ch->mode)
      d3d_vertex_shader(ch, v_in, v_out);
    // d3d_vertex_shader(ch, v_in, v_out);
  }
}
void bx_geforce_c::d3d_triangle_clipped(gf_channel* ch)
{
  d3d_vertex_shader(ch, v_in, v_out);
}
"#;

const MAME: &str = r#"#include "emu.h"
#include "xbox_nv2a.h"
void vertex_program_simulator::jump(int address)
{
	set_data(in, out);
}
void vertex_program_simulator::process(int address, vertex_nv *in, vertex_nv *out, int count)
{
	set_data(in, out);
	while (count > 0) { count--; }
}
"#;

const XEMU: &str = r#"#include "util.h"
#include "nv2a_vsh_emulator.h"
DEF_METHOD(NV097, LAUNCH_TRANSFORM_PROGRAM)
{
    unsigned int program_start = parameter;
    Nv2aVshProgram program;
    run(&program);
}
"#;

const CXBX: &str = "#include \"nv2a_vsh_emulator.h\"\r\nvoid CxbxrImpl_RunVertexStateShader(DWORD Address, CONST FLOAT *pData)\r\n{\r\n\tNv2aVshProgram program = {}; // zeros\r\n}\r\n";

const DOLPHIN: &str = r#"#include "VideoCommon/VertexLoaderBase.h"
class VertexLoaderTester : public VertexLoaderBase
{
};
std::unique_ptr<VertexLoaderBase> VertexLoaderBase::CreateVertexLoader(const TVtxDesc& vtx_desc,
                                                                       const VAT& vtx_attr)
{
  return native_loader;
}
"#;

const RPCS3: &str = r#"#include "stdafx.h"
#include "rsx_methods.h"
void thread::prefetch_vertex_program()
{
	current_vp_metadata = program_hash_util::vertex_program_utils::analyse_vertex_program();
	current_vertex_program.texture_state.import(state);
}
"#;

const SCRIPTS: &[Script] = &[
    Script {
        name: "bochs.py",
        file: "bochs/iodev/display/geforce.cc",
        text: BOCHS,
        needed: &[
            ("\"geforce.h\"", "the header of the card"),
            ("d3d_triangle(gf_channel* ch, Bit32u base)\n", "no function bx_geforce_c::d3d_triangle"),
            ("float vs_out[3][16][4];", "the array of the outputs"),
            ("if (ch->mode)\n      d3d_vertex_shader(ch, v_in, v_out);", "the call of the interpreter"),
        ],
    },
    Script {
        name: "mame.py",
        file: "src/mame/shared/xbox_nv2a.cpp",
        text: MAME,
        needed: &[
            ("\"xbox_nv2a.h\"", "the header of the chip"),
            ("int count)", "no function vertex_program_simulator::process"),
            ("set_data(in, out);\n\twhile", "the start of the interpreter"),
        ],
    },
    Script {
        name: "xemu.py",
        file: "hw/xbox/nv2a/pgraph/pgraph.c",
        text: XEMU,
        needed: &[
            ("nv2a_vsh_emulator", "the header of the interpreter"),
            ("LAUNCH_TRANSFORM_PROGRAM", "no function of the method"),
            ("Nv2aVshProgram program;", "the program of the interpreter"),
        ],
    },
    Script {
        name: "cxbx.py",
        file: "src/core/hle/D3D8/XbVertexShader.cpp",
        text: CXBX,
        needed: &[
            ("void Cxbx", "no function CxbxrImpl_RunVertexStateShader"),
            ("Nv2aVshProgram", "the program"),
        ],
    },
    Script {
        name: "dolphin.py",
        file: "Source/Core/VideoCommon/VertexLoaderBase.cpp",
        text: DOLPHIN,
        needed: &[
            ("class VertexLoaderTester", "the class that compares loaders"),
            ("CreateVertexLoader", "no function VertexLoaderBase::CreateVertexLoader"),
            ("return native_loader;", "the native loader's return"),
        ],
    },
    Script {
        name: "rpcs3.py",
        file: "rpcs3/Emu/RSX/RSXThread.cpp",
        text: RPCS3,
        needed: &[
            ("\"rsx_methods.h\"", "the header of the registers"),
            ("prefetch_vertex_program", "no function thread::prefetch_vertex_program"),
            ("program_hash_util::", "the analysis"),
            ("texture_state.import(", "the import of the textures' state"),
        ],
    },
];

fn patches() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("patches")
}

/// A tree with one file in it.
fn tree(script: &Script, name: &str, text: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "patches-{}-{}-{name}",
        std::process::id(),
        script.name
    ));
    let file = root.join(script.file);
    std::fs::create_dir_all(file.parent().expect("a directory")).expect("a directory can be made");
    std::fs::write(file, text).expect("a file can be written");
    root
}

/// All files of a tree.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(root).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), std::fs::read(path).expect("a file"));
        }
    }
    found
}

fn run(script: &Script, arguments: &[&Path]) -> Output {
    let mut command = Command::new("python3");
    command.arg("-B").arg(patches().join(script.name)).args(arguments);
    command.output().expect("there is a python3")
}

/// Runs a script, which must be content.
fn content(script: &Script, arguments: &[&Path]) {
    let output = run(script, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} {arguments:?}: {errors}", script.name);
}

/// Runs a script, which must refuse, with a message, and leave everything as it is.
fn refused(script: &Script, root: &Path, arguments: &[&Path], message: &str) {
    let before = files(root);
    let output = run(script, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{}: it should refuse", script.name);
    assert!(errors.contains(message), "{}: {errors} has no {message:?}", script.name);
    assert!(!errors.contains("Traceback"), "{errors}");
    assert!(before == files(root), "{}: a script that refuses has changed something", script.name);
}

#[test]
fn lines_come_in_once_and_go_again() {
    for script in SCRIPTS {
        for (name, text) in [("as-is", script.text.to_owned()), ("crlf", crlf(script.text))] {
            let root = tree(script, name, &text);
            let before = files(&root);
            content(script, &[&root, Path::new("--check")]);
            assert_eq!(before, files(&root), "{}: looking changes nothing", script.name);
            content(script, &[&root]);
            let after = files(&root);
            let changed = String::from_utf8(after[&root.join(script.file)].clone()).expect("text");
            let (ours, theirs): (Vec<_>, Vec<_>) =
                changed.split_inclusive('\n').partition(|line| line.trim_end().ends_with("// xfjit"));
            assert_eq!(theirs.concat(), text, "{}: lines of theirs stay", script.name);
            assert!(ours.iter().any(|line| line.contains("#include")), "{}", script.name);
            assert!(
                ours.iter().all(|line| line.ends_with("\r\n") == text.contains("\r\n")),
                "{}",
                script.name
            );
            assert!(after.keys().any(|path| path.ends_with("xfjit_loader.h")), "{}", script.name);
            refused(script, &root, &[&root], "--undo");
            content(script, &[&root, Path::new("--undo")]);
            assert_eq!(before, files(&root), "{}: everything is as it was", script.name);
            refused(script, &root, &[&root, Path::new("--undo")], "has nothing of xfjit");
        }
    }
}

/// The text with the line ends of Windows.
fn crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

#[test]
fn other_trees_are_refused() {
    for script in SCRIPTS {
        let root = tree(script, "empty", "");
        refused(script, &root, &[&root.join("bochs")], "there is no");
        for (at, (needed, message)) in script.needed.iter().enumerate() {
            assert!(script.text.contains(needed), "{}: {needed}", script.name);
            let root = tree(script, &format!("without-{at}"), &script.text.replace(needed, "nothing"));
            refused(script, &root, &[&root], message);
            refused(script, &root, &[&root, Path::new("--check")], message);
        }
        // Everything twice is as bad as nothing.
        let root = tree(script, "twice", &script.text.repeat(2));
        refused(script, &root, &[&root], "2 times");
        let (last, _) = script.needed[script.needed.len() - 1];
        let end = script.text.find(last).expect("it is there") + last.len();
        let root = tree(script, "cut", &script.text[..end]);
        refused(script, &root, &[&root], "does not end");
        let root = tree(script, "there", script.text);
        let ours = root.join(script.file).with_file_name("xfjit_loader.h");
        std::fs::write(ours, "somebody's own").expect("a file can be written");
        refused(script, &root, &[&root], "is there already");
    }
}

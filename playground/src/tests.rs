//! Questions as the page asks them.

use super::*;

fn asked(question: Value) -> Value {
    let (answer, _) = answer(&question.to_string());
    serde_json::from_str(&answer).unwrap()
}

fn examples() -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let about = asked(json!({ "ask": "about" }));
    let one = |value: &Value| (text(&value["name"]), text(&value["generation"]), text(&value["text"]));
    about["examples"].as_array().unwrap().iter().map(one).collect()
}

#[test]
fn every_example_is_shown_run_and_drawn() {
    for (name, generation, text) in examples() {
        let shown = asked(json!({ "ask": "program", "text": text, "generation": generation }));
        assert!(shown.get("error").is_none(), "{name}: {shown}");
        assert_eq!(shown["stages"].as_array().map(Vec::len), Some(3), "{name}");
        assert!(shown["clocks"]["clocks"].as_f64() > Some(4.0), "{name}: {}", shown["clocks"]);
        let run = asked(json!({ "ask": "run", "text": text, "generation": generation, "vertex": 77 }));
        assert_eq!(run["outputs"][0]["name"], "oPos", "{name}: {run}");
        let (drawn, picture) = answer(
            &json!({ "ask": "draw", "text": text, "generation": generation, "width": 64, "height": 48, "turn": 20 }).to_string(),
        );
        let drawn: Value = serde_json::from_str(&drawn).unwrap();
        assert_eq!((&drawn["left_out"], &drawn["ended"]), (&json!(0), &json!(0)), "{name}: {drawn}");
        let picture = picture.unwrap();
        let covered = picture.pixels.chunks(4).filter(|pixel| pixel[3] == 255).count();
        assert!((500..2500).contains(&covered), "{name}: {covered} pixels");
        let colours: std::collections::BTreeSet<&[u8]> = picture.pixels.chunks(4).collect();
        assert!(colours.len() > 50, "{name}: {} colours", colours.len());
    }
}

#[test]
fn notations_become_each_other() {
    for (name, generation, text) in examples() {
        let shown = asked(json!({ "ask": "program", "text": text, "generation": generation }));
        for notation in ["native", "opengl", "words"] {
            let Some(other) = shown[notation].as_str() else {
                assert_eq!(notation, "opengl", "{name}");
                continue;
            };
            let again = asked(json!({ "ask": "program", "text": other, "generation": generation }));
            assert_eq!(again["notation"], notation, "{name}: {again}");
            if notation != "opengl" {
                assert_eq!(again["words"], shown["words"], "{name} as {notation}");
            }
        }
    }
}

#[test]
fn what_runs_is_what_the_library_runs() {
    use xfjit::interp::{End, Stepper, VertexState};
    use xfjit::runtime::texture::Textures;
    let text = "MUL r0, v0, c[105]\nADD oPos, r0, v2\nRSQ oD0, v0.x";
    let question = |beside: &str| {
        json!({
            "ask": "run", "text": text, "generation": "kelvin", "beside": beside, "inputs": { "0": ["1.1", "-3", "0x7f7fffff", "nan"] },
            "constants": { "105": ["1.3", "0x3f800001", "2", "0"] },
        })
    };
    let program = xfjit::asm::parse(xfjit::Generation::Kelvin, text).unwrap();
    for (beside, model) in [("ieee", xfjit::Model::Ieee), ("mame", xfjit::Model::Ieee)] {
        let run = asked(question(beside));
        let mut other = xfjit::Config::new(xfjit::Generation::Kelvin).model(model);
        if beside == "mame" {
            other = xfjit::Config::like(xfjit::Emulator::Mame, xfjit::Generation::Kelvin).unwrap();
        }
        for (config, member) in [(xfjit::Config::new(xfjit::Generation::Kelvin), "hw"), (other, "other")] {
            let mut inputs = mesh::Mesh::new().attributes(0);
            inputs[0] = ["1.1", "-3", "0x7f7fffff", "nan"].map(|text| float::parse(text).unwrap());
            let mut context = xfjit::runtime::state::Context::new(192);
            context.set_row(105, ["1.3", "0x3f800001", "2", "0"].map(|text| float::parse(text).unwrap()));
            let start = VertexState::new(&program, &config, inputs);
            let mut vertex = Stepper::new(&program, &config, &start);
            assert_eq!(vertex.run(&mut context.constants(), &Textures::NONE), End::Done);
            let rows = vertex.outputs();
            for (output, register) in run["outputs"].as_array().unwrap().iter().zip([0, 3]) {
                let canonical = |bits: u32| xfjit::runtime::num::canonical(config.numerics(), bits);
                assert_eq!(
                    output[member],
                    json!(rows[register].map(canonical).map(float::hex)),
                    "{beside} {member} {output}"
                );
            }
        }
    }
}

#[test]
fn whatever_is_asked_is_answered() {
    let texts = [
        "",
        "!!VP1.1",
        "!!",
        "deadbeef",
        "00000000 00000000 00000000 00000000",
        "MOV",
        "\0",
        "<script>alert(1)</script>",
        "END",
        "MOV oPos, v0\n\u{1f600}",
        "lost:\nBRA lost",
        "again:\nADD R0, R0, R0\nBRA again\nMOV oPos, R0",
        ".start 9999999999999999999",
    ];
    for text in texts {
        for generation in ["kelvin", "rankine", "curie", "", "celsius"] {
            for ask in ["program", "run", "draw"] {
                let question = json!({
                    "ask": ask, "text": text, "generation": generation, "pair": text.len() % 2 == 0, "width": 9, "height": 9,
                    "vertex": 0, "turn": -1e300,
                });
                let (answer, picture) = answer(&question.to_string());
                let value: Value = serde_json::from_str(&answer).unwrap();
                assert!(value.is_object(), "{answer}");
                assert!(picture.is_none() || value.get("error").is_none());
            }
        }
    }
    for question in
        ["", "{}", "null", "[1]", "{\"ask\":\"all\"}", "{\"ask\":\"draw\",\"text\":3}", &"x".repeat(1 << 19)]
    {
        assert!(answer(question).0.contains("\"error\""), "{question:.20}");
    }
    let wrong = [
        json!({ "constants": { "<b>": ["1", "2", "3", "4"] } }),
        json!({ "constants": { "192": ["1", "2", "3", "4"] } }),
        json!({ "constants": { "0": ["1", "2", "3", "<b>"] } }),
        json!({ "inputs": { "16": ["1", "2", "3", "4"] } }),
        json!({ "beside": "rpcs3" }),
        json!({ "beside": "nobody" }),
        json!({ "vertex": usize::MAX }),
    ];
    for other in wrong {
        let mut question = json!({ "ask": "run", "text": "MOV oPos, v0", "generation": "kelvin" });
        question.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
        assert!(asked(question.clone())["error"].is_string(), "{question}");
    }
}

/// Examples in which some bytes, words or lines are others.
#[test]
fn mutilated_programs_are_answered() {
    let examples = examples();
    let mut state = 0x9e37_79b9u32;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as usize % below.max(1)
    };
    let pieces = [
        "c[A0.x+191]",
        "R63",
        "v15",
        "-|R0|",
        "+ END",
        "0x",
        "(GT.x)",
        "!!VP3.0\n",
        "1e999",
        "\u{e9}",
        "o[HPOS]",
        "BRA 3",
        "_SAT",
    ];
    let mut good = 0;
    for _ in 0..300 {
        let (_, generation, text) = &examples[random(examples.len())];
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..1 + random(4) {
            let at = random(lines.len());
            match random(4) {
                0 => {
                    lines.remove(at);
                    lines.push(String::new());
                }
                1 => lines.swap(at, 0),
                2 => {
                    let middle =
                        lines[at].char_indices().map(|(place, _)| place).nth(random(20)).unwrap_or(0);
                    lines[at].insert_str(middle, pieces[random(pieces.len())]);
                }
                _ => lines[at] = lines[random(lines.len())].clone(),
            }
        }
        let text = lines.join("\n");
        for ask in ["program", "run"] {
            let answer =
                asked(json!({ "ask": ask, "text": text, "generation": generation, "pair": random(2) == 0 }));
            good += usize::from(answer.get("error").is_none());
        }
    }
    assert!((100..600).contains(&good), "{good} of 600 without errors");
}

#[test]
fn errors_have_places() {
    let shown = asked(
        json!({ "ask": "program", "text": "MOV oPos, v0\nMUL \u{1f600}oD0, v3, k0", "generation": "kelvin" }),
    );
    let first = &shown["errors"][0];
    assert_eq!((&first["line"], &first["from"]), (&json!(2), &json!(17)), "{shown}");
}

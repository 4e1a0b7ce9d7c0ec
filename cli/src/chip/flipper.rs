//! The GameCube's transform unit, by its registers.

use super::explain::Explained;
use super::given;
use crate::args::{Chip, Format, Global};
use crate::fail::Failure;
use crate::files;
use crate::flipper::Registers;
use crate::table::{self, Table};
use std::io::Write;
use std::path::Path;
use xfjit_isa::timing::Values;
use xfjit_isa::timing::flipper::{Cost, MHZ, Work, target};

/// Lights and texture coordinates of which the costs are told beside.
const COUNTS: [u16; 5] = [0, 1, 2, 4, 8];

/// Tells what a vertex costs with a configuration.
pub fn run(file: &Path, args: &Chip, global: &Global) -> Result<(), Failure> {
    let mut values = Values::of_flipper();
    given::set(&mut values, &args.set)?;
    let registers = Registers::read(file)?;
    let work = Work::new(registers.memory(), registers.vertices());
    let cost = Cost::new(&values, &work);
    let rate = f64::from(MHZ) * 1e6 / cost.clocks.max(1) as f64;
    // Coordinates of two rows, as most are.
    let other = |lights: u16, texcoords: u16| {
        Cost::new(&values, &Work { texcoords: 2 * texcoords, lights, ..work }).clocks
    };
    let explained =
        args.explain.then(|| Explained::new(&values, |values| Cost::new(values, &work).clocks as f64));
    let pairs = || COUNTS.into_iter().flat_map(|lights| COUNTS.map(|texcoords| (lights, texcoords)));
    let target = target(registers.memory());
    let mut out = files::stdout();
    match global.format {
        Format::Text => {
            let Work { position, normals, texcoords, lights } = work;
            let rows = work.rows();
            writeln!(
                out,
                "{rows} rows of matrices (position {position}, normals {normals}, texture coordinates {texcoords}), lights of channels: {lights}"
            )?;
            let Cost { vertex, transform, lighting, clocks } = cost;
            writeln!(
                out,
                "a vertex: {clocks} clocks; transform {transform}, lighting {lighting}, {vertex} at least"
            )?;
            if let Some(target) = target {
                writeln!(out, "the unit's own target (register 1007): {target} clocks")?;
            }
            writeln!(out, "no rate of this unit is documented: --explain says what these figures rest on\n")?;
            let mut consoles = Table::new(["console", ">MHz", ">vertices/s"]);
            consoles.row(["GameCube".to_owned(), MHZ.to_string(), table::si(rate)]);
            consoles.write(&mut out)?;
            writeln!(out)?;
            if let Some(explained) = explained {
                explained.write(&mut out)?;
            } else {
                let names = COUNTS.map(|count| format!(">{count}"));
                let columns =
                    ["lights, texture coordinates"].into_iter().chain(names.iter().map(String::as_str));
                let mut grid = Table::new(columns);
                for lights in COUNTS {
                    let cells = COUNTS.map(|texcoords| other(lights, texcoords).to_string());
                    grid.row([lights.to_string()].into_iter().chain(cells));
                }
                grid.write(&mut out)?;
            }
        }
        Format::Csv => {
            let table = match explained {
                Some(explained) => explained.table(),
                None => {
                    let mut table = Table::new(["lights", "texture coordinates", "clocks"]);
                    for (lights, texcoords) in pairs() {
                        let clocks = other(lights, texcoords).to_string();
                        table.row([lights.to_string(), texcoords.to_string(), clocks]);
                    }
                    table
                }
            };
            table.write_csv(&mut out)?;
        }
        Format::Json => {
            let by: Vec<serde_json::Value> = pairs()
                .map(|(lights, texcoords)| {
                    serde_json::json!({
                        "lights": lights, "texture_coordinates": texcoords, "clocks": other(lights, texcoords),
                    })
                })
                .collect();
            let mut value = serde_json::json!({
                "schema": "xfjit.chip_flipper.1", "clocks_per_vertex": cost.clocks, "least": cost.vertex,
                "transform": cost.transform, "lighting": cost.lighting, "target": target,
                "rows": { "position": work.position, "normals": work.normals, "texture_coordinates": work.texcoords },
                "lights": work.lights, "mhz": MHZ, "vertices_per_second": rate, "by_lights_and_coordinates": by,
            });
            if let Some(explained) = explained {
                value["parameters"] = explained.json();
            }
            writeln!(out, "{value}")?;
        }
    }
    Ok(out.flush()?)
}

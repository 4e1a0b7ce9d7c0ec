//! Names of output registers: the bits of `xfjit_config.live_outputs`, and the elements of `xfjit_batch.outputs`.

use crate::table::constants;

constants! {
    /// Output registers of Kelvin (GeForce 3 and 4 Ti, Xbox).
    KELVIN: u32;
    /// Position.
    XFJIT_KELVIN_OPOS = 0;
    /// Diffuse colour.
    XFJIT_KELVIN_OD0 = 3;
    /// Specular colour.
    XFJIT_KELVIN_OD1 = 4;
    /// Fog.
    XFJIT_KELVIN_OFOG = 5;
    /// Point size.
    XFJIT_KELVIN_OPTS = 6;
    /// Diffuse colour of back faces.
    XFJIT_KELVIN_OB0 = 7;
    /// Specular colour of back faces.
    XFJIT_KELVIN_OB1 = 8;
    /// Texture coordinate 0.
    XFJIT_KELVIN_OT0 = 9;
    /// Texture coordinate 1.
    XFJIT_KELVIN_OT1 = 10;
    /// Texture coordinate 2.
    XFJIT_KELVIN_OT2 = 11;
    /// Texture coordinate 3.
    XFJIT_KELVIN_OT3 = 12;
}

constants! {
    /// Output registers of Rankine (GeForce FX).
    RANKINE: u32;
    /// Position.
    XFJIT_RANKINE_OPOS = 0;
    /// Diffuse colour of back faces.
    XFJIT_RANKINE_OB0 = 1;
    /// Specular colour of back faces.
    XFJIT_RANKINE_OB1 = 2;
    /// Diffuse colour.
    XFJIT_RANKINE_OD0 = 3;
    /// Specular colour.
    XFJIT_RANKINE_OD1 = 4;
    /// Fog.
    XFJIT_RANKINE_OFOG = 5;
    /// Point size.
    XFJIT_RANKINE_OPTS = 6;
    /// Texture coordinate 0.
    XFJIT_RANKINE_OT0 = 8;
    /// Texture coordinate 1.
    XFJIT_RANKINE_OT1 = 9;
    /// Texture coordinate 2.
    XFJIT_RANKINE_OT2 = 10;
    /// Texture coordinate 3.
    XFJIT_RANKINE_OT3 = 11;
    /// Texture coordinate 4.
    XFJIT_RANKINE_OT4 = 12;
    /// Texture coordinate 5.
    XFJIT_RANKINE_OT5 = 13;
    /// Texture coordinate 6.
    XFJIT_RANKINE_OT6 = 14;
    /// Texture coordinate 7.
    XFJIT_RANKINE_OT7 = 15;
    /// Clip distance 0, in x.
    XFJIT_RANKINE_OCLP0 = 17;
    /// Clip distance 1, in x.
    XFJIT_RANKINE_OCLP1 = 18;
    /// Clip distance 2, in x.
    XFJIT_RANKINE_OCLP2 = 19;
    /// Clip distance 3, in x.
    XFJIT_RANKINE_OCLP3 = 20;
    /// Clip distance 4, in x.
    XFJIT_RANKINE_OCLP4 = 21;
    /// Clip distance 5, in x.
    XFJIT_RANKINE_OCLP5 = 22;
}

constants! {
    /// Output registers of Curie (GeForce 6 and 7, PlayStation 3), as drivers map them. y, z and w of fog and point size hold clip
    /// distances.
    CURIE: u32;
    /// Position.
    XFJIT_CURIE_OPOS = 0;
    /// Diffuse colour.
    XFJIT_CURIE_OD0 = 1;
    /// Specular colour.
    XFJIT_CURIE_OD1 = 2;
    /// Diffuse colour of back faces.
    XFJIT_CURIE_OB0 = 3;
    /// Specular colour of back faces.
    XFJIT_CURIE_OB1 = 4;
    /// Fog.
    XFJIT_CURIE_OFOG = 5;
    /// Point size.
    XFJIT_CURIE_OPTS = 6;
    /// Texture coordinate 0.
    XFJIT_CURIE_OT0 = 7;
    /// Texture coordinate 1.
    XFJIT_CURIE_OT1 = 8;
    /// Texture coordinate 2.
    XFJIT_CURIE_OT2 = 9;
    /// Texture coordinate 3.
    XFJIT_CURIE_OT3 = 10;
    /// Texture coordinate 4.
    XFJIT_CURIE_OT4 = 11;
    /// Texture coordinate 5.
    XFJIT_CURIE_OT5 = 12;
    /// Texture coordinate 6.
    XFJIT_CURIE_OT6 = 13;
    /// Texture coordinate 7.
    XFJIT_CURIE_OT7 = 14;
    /// Texture coordinate 8.
    XFJIT_CURIE_OT8 = 15;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Item;
    use xfjit::isa::{Bank, Insn, Mask, OutTarget, OutWrite, Source, Unit, VecOp};
    use xfjit::{Generation, asm};

    /// `o1`, or a name.
    fn name(generation: Generation, register: usize) -> String {
        let src = [Source { bank: Bank::Input, ..Source::UNUSED }, Source::UNUSED, Source::UNUSED];
        let out = Some(OutWrite::new(OutTarget::Output(register as u8), Mask::ALL, Unit::Vec));
        let text = asm::print_insn(generation, &Insn { vec: VecOp::Mov, src, out, ..Insn::NOP });
        text.split([' ', ',']).nth(1).expect("a register is written").to_owned()
    }

    #[test]
    fn the_names_are_those_of_the_assembler() {
        for (generation, item) in
            [(Generation::Kelvin, KELVIN), (Generation::Rankine, RANKINE), (Generation::Curie, CURIE)]
        {
            let Item::Constants(table) = item else { panic!("they are constants") };
            let prefix = format!("XFJIT_{}_", generation.name().to_uppercase());
            let named = (0..generation.outputs()).map(|register| (name(generation, register), register));
            let want: Vec<(String, i64)> = named
                .filter(|(name, register)| *name != format!("o{register}"))
                .map(|(name, register)| (prefix.clone() + &name.to_uppercase(), register as i64))
                .collect();
            let got: Vec<(String, i64)> =
                table.entries.iter().map(|(_, name, number)| ((*name).to_owned(), *number)).collect();
            assert_eq!(got, want);
        }
    }
}

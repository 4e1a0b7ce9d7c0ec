/* The interface of nv2a_vsh_cpu over xfjit.h: single operations. C99. */
#include "nv2a_vsh_cpu.h"

#include <string.h>

#include "nv2a_vsh_known.h"

#define here nv2a_vsh_here

static void operate(bool scalar, Nv2aVshOpcode opcode, Nv2aVshRegister *out, const Nv2aVshRegister *inputs) {
    Nv2aVshRegister rows[3];
    unsigned which[3], count = nv2a_vsh_operands(scalar, opcode, which), at;
    memset(rows, 0, sizeof rows);
    for (at = 0; at < count; at++)
        rows[which[at]] = inputs[at];
    if (nv2a_vsh_configure() != XFJIT_OK) return;
    here.status = xfjit_op(&here.config, scalar ? XFJIT_UNIT_SCALAR : XFJIT_UNIT_VECTOR, scalar ? nv2a_vsh_scalar_code(opcode) : (uint32_t)opcode, rows, out);
}

#define OPERATION(name, scalar, opcode) \
    void nv2a_vsh_cpu_##name(Nv2aVshRegister *out, const Nv2aVshRegister *inputs) { operate(scalar, opcode, out, inputs); }

OPERATION(mov, false, NV2AOP_MOV)
OPERATION(mul, false, NV2AOP_MUL)
OPERATION(add, false, NV2AOP_ADD)
OPERATION(mad, false, NV2AOP_MAD)
OPERATION(dp3, false, NV2AOP_DP3)
OPERATION(dph, false, NV2AOP_DPH)
OPERATION(dp4, false, NV2AOP_DP4)
OPERATION(dst, false, NV2AOP_DST)
OPERATION(min, false, NV2AOP_MIN)
OPERATION(max, false, NV2AOP_MAX)
OPERATION(slt, false, NV2AOP_SLT)
OPERATION(sge, false, NV2AOP_SGE)
OPERATION(rcp, true, NV2AOP_RCP)
OPERATION(rcc, true, NV2AOP_RCC)
OPERATION(rsq, true, NV2AOP_RSQ)
OPERATION(exp, true, NV2AOP_EXP)
OPERATION(log, true, NV2AOP_LOG)
OPERATION(lit, true, NV2AOP_LIT)

/* Its result is no row but an address, which a program of one step leaves in A0. */
void nv2a_vsh_cpu_arl(Nv2aVshRegister *out, const Nv2aVshRegister *inputs) {
    Nv2aVshStep step;
    xfjit_vertex vertex;
    const struct known *known;
    static float unused[ROWS][4]; /* never written: the program writes no constants */
    unsigned at;
    memset(&step, 0, sizeof step);
    step.mac.opcode = NV2AOP_ARL;
    step.mac.inputs[0].type = NV2ART_INPUT;
    step.mac.outputs[0].type = NV2ART_ADDRESS;
    step.mac.outputs[0].writemask = NV2AWM_X;
    known = nv2a_vsh_find(&step, true);
    if (known == NULL) return;
    memset(&vertex, 0, sizeof vertex);
    vertex.size = sizeof vertex;
    memcpy(vertex.input[0], inputs, 16);
    here.status = xfjit_vertex_reset(known->program, &vertex);
    if (here.status == XFJIT_OK) here.status = xfjit_step(known->program, &vertex, unused, ROWS, NULL, 1);
    if (here.status != XFJIT_OK) return;
    for (at = 0; at < 4; at++)
        out->raw[at] = (float)vertex.address[0][0];
}

/* The interface of nv2a_vsh_cpu over xfjit.h: single operations. C99. */
#include "nv2a_vsh_cpu.h"

#include <string.h>

#include "nv2a_vsh_known.h"

float nv2a_vsh_address(float value) {
    const float biased = value + 0.001f; /* the library's */
    float whole;
    if (!(biased > -8388608.0f && biased < 8388608.0f)) return biased; /* whole already, or no number */
    whole = (float)(int32_t)biased;
    return whole > biased ? whole - 1 : whole;
}

bool nv2a_vsh_operate(Nv2aVshOpcode opcode, float *out, const float *inputs) {
    bool scalar = opcode >= NV2AOP_RCP;
    uint32_t code = scalar ? nv2a_vsh_scalar_code(opcode) : (uint32_t)opcode;
    float operands[3][4] = {{0}};
    unsigned which[3], count = nv2a_vsh_operands(scalar, opcode, which), at;
    if (opcode == NV2AOP_ARL) {
        out[0] = out[1] = out[2] = out[3] = nv2a_vsh_address(inputs[0]);
        return true;
    }
    if (nv2a_vsh_configure() != XFJIT_OK) return false;
    for (at = 0; at < count; at++)
        memcpy(operands[which[at]], inputs + 4 * at, 16);
    nv2a_vsh_here.status = xfjit_op(&nv2a_vsh_here.config, scalar ? XFJIT_UNIT_SCALAR : XFJIT_UNIT_VECTOR, code, operands, out);
    return nv2a_vsh_here.status == XFJIT_OK;
}

#define OPERATION(name, opcode) \
    void nv2a_vsh_cpu_##name(float *out, const float *inputs) { (void)nv2a_vsh_operate(opcode, out, inputs); }

OPERATION(mov, NV2AOP_MOV)
OPERATION(arl, NV2AOP_ARL)
OPERATION(mul, NV2AOP_MUL)
OPERATION(add, NV2AOP_ADD)
OPERATION(mad, NV2AOP_MAD)
OPERATION(dp3, NV2AOP_DP3)
OPERATION(dph, NV2AOP_DPH)
OPERATION(dp4, NV2AOP_DP4)
OPERATION(dst, NV2AOP_DST)
OPERATION(min, NV2AOP_MIN)
OPERATION(max, NV2AOP_MAX)
OPERATION(slt, NV2AOP_SLT)
OPERATION(sge, NV2AOP_SGE)
OPERATION(rcp, NV2AOP_RCP)
OPERATION(rcc, NV2AOP_RCC)
OPERATION(rsq, NV2AOP_RSQ)
OPERATION(exp, NV2AOP_EXP)
OPERATION(log, NV2AOP_LOG)
OPERATION(lit, NV2AOP_LIT)

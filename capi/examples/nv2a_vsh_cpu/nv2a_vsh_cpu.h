/* Single operations. Names and layouts are those of the library nv2a_vsh_cpu (github.com/abaire/nv2a_vsh_cpu) as of commit
 * 1115255708c10c4841b65dcd2223262e7a316598, so that code written for that library compiles and links against this directory; the
 * text is xfjit's own. */
#ifndef NV2A_VSH_CPU_H
#define NV2A_VSH_CPU_H

#ifdef __cplusplus
extern "C" {
#endif

/* The result is four floats. The operands are one to three times four floats, one after the other, in the order of the
 * operation's instruction. The result may be stored over an operand. */
typedef void (*Nv2aVshCpuFunc)(float *out, const float *inputs);

void nv2a_vsh_cpu_mov(float *out, const float *inputs);
void nv2a_vsh_cpu_arl(float *out, const float *inputs); /* the address, in all components */
void nv2a_vsh_cpu_mul(float *out, const float *inputs);
void nv2a_vsh_cpu_add(float *out, const float *inputs);
void nv2a_vsh_cpu_mad(float *out, const float *inputs);
void nv2a_vsh_cpu_dp3(float *out, const float *inputs);
void nv2a_vsh_cpu_dph(float *out, const float *inputs);
void nv2a_vsh_cpu_dp4(float *out, const float *inputs);
void nv2a_vsh_cpu_dst(float *out, const float *inputs);
void nv2a_vsh_cpu_min(float *out, const float *inputs);
void nv2a_vsh_cpu_max(float *out, const float *inputs);
void nv2a_vsh_cpu_slt(float *out, const float *inputs);
void nv2a_vsh_cpu_sge(float *out, const float *inputs);
void nv2a_vsh_cpu_rcp(float *out, const float *inputs);
void nv2a_vsh_cpu_rcc(float *out, const float *inputs);
void nv2a_vsh_cpu_rsq(float *out, const float *inputs);
void nv2a_vsh_cpu_exp(float *out, const float *inputs);
void nv2a_vsh_cpu_log(float *out, const float *inputs);
void nv2a_vsh_cpu_lit(float *out, const float *inputs);

#ifdef __cplusplus
}
#endif

#endif

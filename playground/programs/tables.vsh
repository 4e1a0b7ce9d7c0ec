; Bands from EXP's fraction along the knot, and how far EXP.z of LOG.z is from the number itself.

DP4 oPos.x, v0, c[96]
DP4 oPos.y, v0, c[97]
DP4 oPos.z, v0, c[98]
DP4 oPos.w, v0, c[99]

MUL r0.x, v9.x, c[109].w
EXP r1, r0.x
LOG r2, r1.z
ADD r3.x, r2.z, -r0.x
MAX r3.x, r3.x, -r3.x
; 4096
MUL r4.x, c[109].z, c[109].z
MUL r4.x, r4.x, r4.x
MUL r4.x, r4.x, c[109].z
MUL r4.x, r4.x, c[109].z
MUL oD0.x, r3.x, r4.x
MOV oD0.y, r1.y
MUL oD0.z, v9.y, c[109].y
MOV oD0.w, c[109].y

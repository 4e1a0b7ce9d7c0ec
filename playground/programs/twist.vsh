; The knot, twisted about the z axis by SIN and COS. Change c12: x is how far.

MUL R0.x, v0.z, c13.z
MUL R0.x, R0.x, c12.x
SIN R1.x, R0.x
COS R1.y, R0.x
MUL R2.x, v0.x, R1.y
MAD R2.x, -v0.y, R1.x, R2.x
MUL R2.y, v0.x, R1.x
MAD R2.y, v0.y, R1.y, R2.y
MOV R2.zw, v0
DP4 oPos.x, c0, R2
DP4 oPos.y, c1, R2
DP4 oPos.z, c2, R2
DP4 oPos.w, c3, R2
DP3 R3.z, c6, v2
MUL R3.x, v2.x, R1.y
MAD R3.x, -v2.y, R1.x, R3.x
MUL R4.xyz, |R3.x|, c16
MAD oD0.xyz, |R3.z|, v3, R4
MOV oD0.w, c13.y

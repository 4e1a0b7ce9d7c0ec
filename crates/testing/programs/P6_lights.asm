DP4 oPos.x, c0, v0
DP4 oPos.y, c1, v0
DP4 oPos.z, c2, v0
DP4 oPos.w, c3, v0
DP4 R1.x, c4, v0
DP4 R1.y, c5, v0
DP4 R1.z, c6, v0
DP3 R2.x, c4, v2
DP3 R2.y, c5, v2
DP3 R2.z, c6, v2
DP3 R2.w, R2, R2
RSQ R2.w, R2.w
MUL R2.xyz, R2, R2.w
MOV R7, c7
MOV R8.x, v6.x
MOV R8.y, c8.x
light:
ARL A0.x, R8.y
ADD R3.xyz, c[A0.x+16], -R1
DP3 R3.w, R3, R3
RSQ R4.w, R3.w
MUL R3.xyz, R3, R4.w
DST R5.xyz, R3.w, R4.w
DP3 R5.w, R5, c[A0.x+17]
RCP R5.w, R5.w
DP3 R6.x, R2, R3
MAX R6.x, R6.x, c8.x
MUL R6.x, R6.x, R5.w
MAD R7.xyz, R6.x, c[A0.x+18], R7
ADD R8.y, R8.y, c8.z
ADDC R8.x, R8.x, -c8.y
BRA light (GT.x)
MOV oD0, R7
MOV oT0, v8

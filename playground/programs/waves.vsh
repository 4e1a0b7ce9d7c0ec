; Waves along the knot, each of twice the frequency and half the height of the one before. The chip's loop is a branch on a
; condition; c13 has 0, 1, 4 and their number.

MOV R0.x, c13.w
MUL R1.x, v8.x, c13.w
MOV R1.y, c13.y
MOV R2.x, c13.x
again:
SIN R3.x, R1.x
MAD R2.x, R3.x, R1.y, R2.x
ADD R1.x, R1.x, R1.x
MUL R1.y, R1.y, c9.y
ADDC R0.x, R0.x, -c13.y
BRA again (GT.x)
MOV R4, v0
MUL R2.y, R2.x, c10.x
MAD R4.xyz, v2, R2.y, R4
DP4 oPos.x, c0, R4
DP4 oPos.y, c1, R4
DP4 oPos.z, c2, R4
DP4 oPos.w, c3, R4
DP3 R5.x, c8, v2
MOV R6, c10
MAD R6.xyz, |R5.x|, c16, R6
MAD oD0.xyz, |R2.x|, c12, R6
MOV oD0.w, c13.y

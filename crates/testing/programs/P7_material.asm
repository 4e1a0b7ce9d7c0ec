BRB rigid, !b0
ARL A0.xy, v5.xyxy
DP4 R0.x, c[A0.x+20], v0
DP4 R0.y, c[A0.x+21], v0
DP4 R0.z, c[A0.x+22], v0
DP3 R2.x, c[A0.x+20], v2
DP3 R2.y, c[A0.x+21], v2
DP3 R2.z, c[A0.x+22], v2
DP4 R3.x, c[A0.y+20], v0
DP4 R3.y, c[A0.y+21], v0
DP4 R3.z, c[A0.y+22], v0
DP3 R4.x, c[A0.y+20], v2
DP3 R4.y, c[A0.y+21], v2
DP3 R4.z, c[A0.y+22], v2
ADD R5.x, c8.y, -v1.x
MUL R0.xyz, R0, v1.x
MAD R0.xyz, R3, R5.x, R0
MUL R2.xyz, R2, v1.x
MAD R2.xyz, R4, R5.x, R2
MOV R0.w, c8.y
BRA placed
rigid:
MOV R0, v0
MOV R2, v2
placed:
DP4 oPos.x, c0, R0
DP4 oPos.y, c1, R0
DP4 oPos.z, c2, R0
DP4 oPos.w, c3, R0
DP4 R1.x, c4, R0
DP4 R1.y, c5, R0
DP4 R1.z, c6, R0
DP3 R3.x, c4, R2
DP3 R3.y, c5, R2
DP3 R3.z, c6, R2
MOV R2.xyz, R3
BRB lights, !b1
DP3 R2.w, R2, R2
RSQ R2.w, R2.w
MUL R2.xyz, R2, R2.w
lights:
MOV R7, c96
MOV R9, c97
BRB second, !b2
MOV R3.xyz, c100
MOV R5.w, c8.y
BRB directed0, !b3
ADD R3.xyz, c100, -R1
DP3 R3.w, R3, R3
RSQ R4.w, R3.w
MUL R3.xyz, R3, R4.w
DST R5.xyz, R3.w, R4.w
DP3 R5.w, R5, c101
RCP R5.w, R5.w
directed0:
DP3 R6.x, R2, R3
MAX R4.x, R6.x, c8.x
MUL R4.x, R4.x, R5.w
MAD R7.xyz, R4.x, c102, R7
BRB second, !b6
ADD R8.xyz, R3, c98
DP3 R8.w, R8, R8
RSQ R8.w, R8.w
MUL R8.xyz, R8, R8.w
DP3 R6.y, R2, R8
MOV R6.w, c98.w
LIT R6.z, R6
MUL R6.z, R6.z, R5.w
MAD R9.xyz, R6.z, c103, R9
second:
BRB colours, !b4
MOV R3.xyz, c104
MOV R5.w, c8.y
BRB directed1, !b5
ADD R3.xyz, c104, -R1
DP3 R3.w, R3, R3
RSQ R4.w, R3.w
MUL R3.xyz, R3, R4.w
DST R5.xyz, R3.w, R4.w
DP3 R5.w, R5, c105
RCP R5.w, R5.w
directed1:
DP3 R6.x, R2, R3
MAX R4.x, R6.x, c8.x
MUL R4.x, R4.x, R5.w
MAD R7.xyz, R4.x, c106, R7
BRB colours, !b6
ADD R8.xyz, R3, c98
DP3 R8.w, R8, R8
RSQ R8.w, R8.w
MUL R8.xyz, R8, R8.w
DP3 R6.y, R2, R8
MOV R6.w, c98.w
LIT R6.z, R6
MUL R6.z, R6.z, R5.w
MAD R9.xyz, R6.z, c107, R9
colours:
BRB plain, !b7
MUL R7, R7, v3
plain:
MOV oD0, R7
MOV oD1, R9
BRB texture, !b8
MUL R3.xyz, R2, R1
DP3 R3.w, R2, R1
ADD R3.w, R3.w, R3.w
MAD R3.xyz, -R2, R3.w, R1
ADD R3.z, R3.z, c8.y
DP3 R3.w, R3, R3
RSQ R3.w, R3.w
MUL R3.xy, R3, R3.w
MAD oT0.xy, R3, c99.x, c99.x
BRA fog
texture:
BRB given, !b9
DP4 oT0.x, c108, v8
DP4 oT0.y, c109, v8
BRA fog
given:
MOV oT0, v8
fog:
BRB end, !b10
DP3 R3.w, R1, R1
RSQ R3.w, R3.w
RCP R3.w, R3.w
MAD R3.w, R3.w, c99.y, c99.z
MAX R3.w, R3.w, c8.x
MIN oFog.x, R3.w, c8.y
end:
NOP

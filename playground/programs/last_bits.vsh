; A product less the same product in another order: in exact arithmetic that is zero everywhere.
; What is left are the bits that the chip drops. They are made visible by a great factor.

DP4 oPos.x, v0, c[96]
DP4 oPos.y, v0, c[97]
DP4 oPos.z, v0, c[98]
DP4 oPos.w, v0, c[99]

MOV r4.xyz, v2
MUL r0.xyz, v0, r4
MUL r0.xyz, r0, v0.zxyw
MUL r1.xyz, v0, v0.zxyw
MUL r1.xyz, r1, r4
ADD r2.xyz, r0, -r1
MAX r2.xyz, r2, -r2

; 2 to 21
MUL r3.x, c[109].z, c[109].z
MUL r3.x, r3.x, r3.x
MUL r3.x, r3.x, r3.x
MUL r3.x, r3.x, c[109].z
MUL r3.x, r3.x, c[109].z
ADD r3.x, r3.x, r3.x
MUL oD0.xyz, r2, r3.x
MOV oD0.w, c[109].y

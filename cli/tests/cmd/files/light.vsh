DP3 r0.x, v2, c[1]
RSQ r1.x, v2.w
MUL r0.x, r0.x, r1.x
MAX oD0.xyz, r0.x, c[1].w
MOV oPos, v0

; Six lines, two of which nobody needs to wait for.
DP3 r0.w, v2, v2
RSQ r0.w, r0.w
MOV r3, v5
MUL oD0.xyz, v2, r0.w
MUL oT0, v9, c[1]
MOV oPos, v0

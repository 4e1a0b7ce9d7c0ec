; Scales the position and passes the colour through.
MUL oPos, v0, c[0]
MOV oD0.xyz, v3

ADD r1, c[2], v3
MUL oD0, r1, c[5]

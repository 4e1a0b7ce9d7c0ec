MOV r0, v0
l:
ADD r0, r0, c[0]
BRA l

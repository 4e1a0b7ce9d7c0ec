; vertices whose x is below a constant skip a sum
ADDC r1.x, v0.x, -c[1].x
BRA 3 (LT.x)
ADD r0, v0, c[0]
MOV oPos, r0

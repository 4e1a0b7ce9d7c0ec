; Vertices go different ways: as many steps as v0.x says, each scaled by v3.
MOVC r0.x, v0
BRA done (LE.x)
step:
ADD r2, r2, v3
STR r1.x
ADDC r0.x, r0, -r1
BRA step (GT.x)
done:
MOV o1, r2
MOV oPos, v0

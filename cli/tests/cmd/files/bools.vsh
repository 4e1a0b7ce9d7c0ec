BRB 3, !b2
MOV oD0, v0.y
BRA 4
MOV oD0, v0.x
MOV oPos, v0

MOV r3, v0
MUL r1, r3, c[0] + RCC r1.xy, r3.w      ; both write r1.x and r1.y
MOV oPos, r1

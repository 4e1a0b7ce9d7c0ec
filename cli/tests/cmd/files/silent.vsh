MOV r0, v0

TXL r0, v0, tex1
MOV oPos, v0
MOV oD0, r0

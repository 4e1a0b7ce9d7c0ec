; café
MOV oPos, v0

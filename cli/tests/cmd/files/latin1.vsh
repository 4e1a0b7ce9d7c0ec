; café: a comment in Latin-1
MOV oPos, v0

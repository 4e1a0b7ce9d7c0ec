MOV oPos, café

.start 2
RSQ r1.x, v2.w
MOV oPos, r1.x

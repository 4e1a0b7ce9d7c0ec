MOV oPos v0
FOO r0, v1
ADD r0, v0, v1

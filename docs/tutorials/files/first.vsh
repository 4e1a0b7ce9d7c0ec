; Move a vertex, and make its colour as bright as its height.
ADD oPos, v0, c[0]
MUL oD0, v0.y, c[1]
RCP oT0.x, v0.y

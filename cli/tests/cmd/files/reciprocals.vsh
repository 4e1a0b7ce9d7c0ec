; Four reciprocals of one attribute.
RCP r1.x, v0.x
RCP r1.y, v0.y
RCP r1.z, v0.z
RCP oD0.w, v0.w

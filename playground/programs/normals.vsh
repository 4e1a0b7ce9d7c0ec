; The normal of each vertex as its colour.
;
; c[96]..c[99]    from object to clip space
; c[100]..c[102]  from object to world space
; c[109]          0, 1, 4

DP4 oPos.x, v0, c[96]
DP4 oPos.y, v0, c[97]
DP4 oPos.z, v0, c[98]
DP4 oPos.w, v0, c[99]
DP3 r0.x, v2, c[100]
DP3 r0.y, v2, c[101]
DP3 r0.z, v2, c[102]
ADD r0.xyz, r0, c[109].y
RCP r1.x, c[109].z
ADD r1.x, r1.x, r1.x
MUL oD0.xyz, r0, r1.x
MOV oD0.w, c[109].y

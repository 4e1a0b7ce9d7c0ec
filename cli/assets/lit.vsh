; A lit surface with one key light, a fill light, a rim light and bands of colour.
;
; Inputs    v0  position, w = 1
;           v2  normal, need not have unit length
;           v9  texture coordinates; x runs once around the object
; Outputs   oPos  clip space: -w <= x, y <= w and 0 <= z <= w
;           oD0   diffuse colour     oD1  specular colour, to be added to it
;           oT0   texture coordinates, as they came
; Constants, all in the range that programs may use freely:
;           c[96]..c[99]    rows of the matrix from object to clip space
;           c[100]..c[102]  rows of the matrix from object to world space (a rotation and a move)
;           c[103]          position of the viewer in the world
;           c[104]          direction to the key light, unit length
;           c[105]          colour of the key light; w is the specular exponent
;           c[106]          ambient colour
;           c[107], c[108]  direction to the fill light, unit length; its colour
;           c[109]          0, 1, 4, number of colour bands
;           c[110]          colour of the rim light
;           c[111]          colour of the specular highlight
;           c[112], c[113]  first colour of the material; second colour less the first

; Position in clip space and in the world, normal in the world.
DP4 oPos.x, v0, c[96]
DP4 oPos.y, v0, c[97]
DP4 oPos.z, v0, c[98]
DP4 oPos.w, v0, c[99]
DP4 r2.x, v0, c[100]
DP4 r2.y, v0, c[101]
DP4 r2.z, v0, c[102]
DP3 r3.x, v2, c[100]
DP3 r3.y, v2, c[101]
DP3 r3.z, v2, c[102]

; r3 = N, r4 = V (to the viewer), r5 = H (halfway between V and the key light), all of unit length.
; The two units work side by side: a paired scalar result always goes to r1, and all reads come first.
ADD r4.xyz, c[103], -r2
DP3 r3.w, r3, r3
DP3 r4.w, r4, r4 + RSQ r1.x, r3.w
MUL r3.xyz, r3, r1.x + RSQ r1.x, r4.w
MUL r4.xyz, r4, r1.x
ADD r5.xyz, r4, c[104]
DP3 r5.w, r5, r5
DP3 r6.x, r3, c[104] + RSQ r1.x, r5.w
MUL r5.xyz, r5, r1.x

; r6 = (N.L, N.H, -, exponent); LIT makes r1 = (1, diffuse, specular, 1) of it.
DP3 r6.y, r3, r5
MOV r6.w, c[105].w
DP3 r8.x, r3, c[107] + LIT r1, r6

; r8.x = fill, r8.y = rim = (1 - N.V) cubed.
DP3 r8.y, r3, r4
MAX r8.xy, r8, c[109].x
ADD r8.y, c[109].y, -r8.y
MUL r8.z, r8.y, r8.y
MUL r8.y, r8.z, r8.y

; r9 = all light that the material reflects.
MOV r9.xyz, c[106]
MAD r9.xyz, r1.y, c[105], r9
MAD r9.xyz, r8.x, c[108], r9
MAD r9.xyz, r8.y, c[110], r9
MUL oD1, r1.z, c[111]

; r11 = colour of the material: f is the place inside of a band, 4 f (1 - f) fades in and out.
MUL r10.x, v9.x, c[109].w
MOV r11.xyz, c[112] + EXP r1.y, r10.x
MAD r10.x, -r1.y, r1.y, r1.y
MUL r10.x, r10.x, c[109].z
MAD r11.xyz, r10.x, c[113], r11

MUL oD0.xyz, r9, r11
MOV oD0.w, c[109].y
MOV oT0, v9

PGEOMETRY V5
NPoints 1
NPointAttrib 0
0.5 0.5 0.5 1

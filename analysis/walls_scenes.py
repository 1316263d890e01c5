# SPDX-License-Identifier: Apache-2.0
"""The wall scenes, the names of the methods, and the results of M.-L. Eckert (TU Munich, 2014)."""

SIZE = 96.0  # edge of the domain [m]: on the grid of the paper a cell is 1 m
DT = 0.5  # [s]
STEPS = {"dam": 250, "stair": 350, "sphere": 350, "hard_stair": 350}
THRESHOLDS = {"cg": 1e-3, "velocity": 1e-3, "divergence": 1e-2}  # for practical use, by the paper

# name: (pressure.walls.method, condition, stopping); stopping is None for a method without an outer loop
METHODS = {
    "OrigPS": ("cg", "sticky", None),
    "OrigPSSep": ("cg", "separating", None),
    "ADMMVelSep": ("admm", "separating", "velocity"),
    "ADMMDivSep": ("admm", "separating", "divergence"),
    "IOPDivSep": ("iop", "separating", "divergence"),
    "IOPDivSepBC": ("iop_bc", "separating", "divergence"),
    "ADMMVelStick": ("admm", "sticky", "velocity"),
    "ADMMDivStick": ("admm", "sticky", "divergence"),
    "IOPDivStick": ("iop", "sticky", "divergence"),
    "sticky": ("complementarity", "sticky", None),  # one solve, as accurate as the next method
    "complementarity": ("complementarity", "separating", None),
}
SWEPT = ("ADMMVelSep", "ADMMDivSep", "IOPDivSep", "IOPDivSepBC")  # Tables 4.2 and 4.4

# Steps at which the liquid reaches things in 3-D, with OrigPS.
ARRIVALS = {
    "dam": {"right wall": 37, "ceiling": 66, "left wall": 120},
    "stair": {"right wall": 45, "plane": 68},
    "sphere": {"sphere": 23, "ceiling": 45, "floor": 45},
}


def boxes(scene, dx):
    """Boxes that the liquid has to reach: {name: (low, high)} [m]. Layers are one cell thick."""
    ceiling, right = (0.0, SIZE - dx, 0.0), (SIZE - dx, 0.0, 0.0)
    far = (SIZE, SIZE, SIZE)
    if scene == "dam":
        return {"right wall": (right, far), "ceiling": (ceiling, far),
                "left wall": ((0.0, 76.0, 0.0), (dx, SIZE, SIZE))}
    if scene == "sphere":
        return {"sphere": ((43.0, 41.0, 43.0), (53.0, 51.0 + dx, 53.0)), "ceiling": (ceiling, far),
                "floor": ((0.0, 0.0, 0.0), (SIZE, dx, SIZE))}
    return {"right wall": (right, (SIZE, 46.0, SIZE)), "plane": ((76.0, 46.0 - dx, 24.0), (SIZE, 46.0, 72.0))}


# Tables 4.1, 4.5, 4.6: {scene: {method: (CG iterations, outer iterations, seconds a step)}}, 3-D, practical thresholds.
AVERAGES = {
    "dam": {"OrigPS": (20, None, 6), "OrigPSSep": (20, None, 10), "ADMMVelSep": (987, 137, 544),
            "ADMMDivSep": (1446, 305, 790), "IOPDivSep": (574, 236, 348), "IOPDivSepBC": (34, 2.75, 17)},
    "stair": {"OrigPS": (20, None, 5), "OrigPSSep": (20, None, 5), "ADMMVelSep": (783, 128, 420),
              "IOPDivSep": (370, 88, 297), "IOPDivSepBC": (34, 1.99, 17)},
    "sphere": {"OrigPS": (18, None, 5), "OrigPSSep": (16, None, 9), "ADMMVelSep": (569, 106, 311),
               "IOPDivSep": (269, 71, 164), "IOPDivSepBC": (31, 1.98, 17)},
}

# Table 4.3, 2-D dam, all methods on the states of one OrigPS run: {method: {accuracy: (CG iterations, outer, seconds)}}.
IDENTICAL = {
    "OrigPS": {"high": (321, None, 1)},
    "OrigPSSep": {"high": (290, None, 1), "low": (122, None, None)},
    "ADMMVelSep": {"high": (140399, 808, 412), "low": (6196, 99, 18)},
    "ADMMDivSep": {"high": (165559, 1027, 491), "low": (8209, 142, 25)},
    "IOPDivSep": {"high": (84929, 592, 254), "low": (4280, 102, 13)},
    "IOPDivSepBC": {"low": (213, 2, None)},
}
HIGH = {"cg": 1e-12, "velocity": 1e-9, "divergence": 1e-9}

# Tables 4.2 and 4.4, CG iterations a step of the 2-D dam: rows eps_CG, columns the outer threshold.
ROWS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
COLUMNS = (1e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2)
SWEEP = {
    "ADMMVelSep": ((24473,), (None, 12915, 9387, 7884, 4752, 3399), (None, 9176, 6704, 5650, 3568, 2611),
                   (None, 4568, 3927, 3380, 2391, 1693), (None, 837, 851, 844, 712, 620)),
    "ADMMDivSep": ((33838,), (None, 20170, 18204, 16374, 13822, 12199), (None, 12449, 11809, 10950, 9478, 8419),
                   (None, 9309, 5838, 5206, 4458, 4383), (None, 9637, 6700, 4789, 2128, 1295)),
    "IOPDivSep": ((14842,), (None, 9053, 8731, 8389, 6989, 6199), (None, 10107, 5162, 4680, 4266, 3882),
                  (None, 12872, 9189, 7192, 1993, 1586), (None, 16743, 12138, 11167, 7327, 5642)),
    "IOPDivSepBC": ((305,), (None, 253, 251, 248, 245, 239), (None, 1152, 218, 182, 183, 192),
                    (None, 1127, 1112, 1054, 241, 119), (None, 1067, 1068, 1067, 1061, 1040)),
}


def paper_sweep(method, row, column):
    """An entry of Table 4.2 or 4.4; None where the table is empty."""
    line = SWEEP[method][ROWS.index(row)]
    place = COLUMNS.index(column)
    return line[place] if place < len(line) else None


# Fig. 4.9, 2-D dam: CG iterations on the smallest and the largest grid, where the text of the paper gives them.
GRID_ENDS = {"OrigPS": (76, 410), "OrigPSSep": (72, 362)}

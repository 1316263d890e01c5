# SPDX-License-Identifier: Apache-2.0
"""Numbers that show themselves as those of numpy 2 do, whatever numpy is installed: repr is np.float64(0.5)."""


class Numpy2(float):
    def __repr__(self):
        return f"np.float64({float.__repr__(self)})"


def _kept(name):
    def operation(self, *others):
        return Numpy2(getattr(float, name)(self, *map(float, others)))
    return operation


for _name in ("add", "sub", "mul", "truediv", "pow"):
    for _side in ("", "r"):
        setattr(Numpy2, f"__{_side}{_name}__", _kept(f"__{_side}{_name}__"))
for _name in ("neg", "abs"):
    setattr(Numpy2, f"__{_name}__", _kept(f"__{_name}__"))

// SPDX-License-Identifier: Apache-2.0
#include "freshet/keys/slots.hpp"
#include "freshet/viscosity/viscosity_options.hpp"

namespace freshet {

keys::Keys keys_of(ViscosityOptions& viscosity) {
  using namespace keys;
  return {
      {"coupling", choice(viscosity.coupling, {"stokes", "split"}), "",
       "Whether viscosity and the pressure that it causes are solved for together (stokes), or one after the other "
       "(split); with split, stretched liquid resists too little."},
      {"tolerance", number(viscosity.tolerance, {1e-14, 1e-1}), "",
       "The viscous solve stops when the relative error of the velocity, in the energy norm, is at most this."},
      {"max_iterations", number(viscosity.max_iterations, at_least<std::int64_t>(1)), "",
       "Most iterations of a viscous solve; a coupled one takes at most 500. Where a coupled solve needs more, the "
       "step is solved as with split; where a split one does, the step is begun again with a smaller dt."},
      {"petsc", solver_options(viscosity.petsc), "",
       "Options of PETSc's solver that name no files, without the leading dash and the prefix viscosity_."},
  };
}

}  // namespace freshet

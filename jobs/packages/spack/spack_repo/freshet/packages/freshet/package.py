# SPDX-License-Identifier: Apache-2.0
# A package for Spack 1.0 or later that builds this clone. Untried: written after Spack's documentation.
#   spack repo add jobs/packages/spack/spack_repo/freshet
#   spack env create freshet && spack env activate freshet
#   spack add freshet && spack develop --path $PWD freshet@0.2.0 && spack install

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Freshet(CMakePackage):
    """Distributed PIC/FLIP solver for liquids with a free surface: MPI, OpenMP, PETSc, parallel HDF5."""

    license("Apache-2.0")

    version("0.2.0")  # of the clone: see above

    variant("python", default=True, description="Build the Python package freshet")
    variant("openvdb", default=False, description="Write files of OpenVDB")
    variant("particle_double", default=False, description="Particle reals in 64 bits instead of 32")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("mpi")
    depends_on("petsc@3.18:+mpi~complex+double")
    depends_on("hdf5@1.10:+mpi")
    depends_on("eigen@3.4:")
    depends_on("fmt@9:")
    depends_on("tomlplusplus@3.3:")
    depends_on("nlohmann-json@3.9:")
    depends_on("cli11@2.1:")
    depends_on("zlib-api")
    depends_on("libdeflate")
    depends_on("openvdb", when="+openvdb")

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-numpy@1.24:", type="run")
    depends_on("py-h5py", type="run")
    depends_on("py-matplotlib", type="run")
    depends_on("py-mpi4py", type="run", when="+python")
    depends_on("py-pybind11@2.10:", type="build", when="+python")

    conflicts("%gcc@:11", msg="freshet is known to compile with GCC 12 and later")

    # Spack's compiler wrapper already adds the flags of the target processor.
    def cmake_args(self):
        python = self.spec["python"]
        return [
            self.define("FRESHET_NATIVE", False),
            self.define("FRESHET_ARCH", ""),
            self.define("FRESHET_DISPATCH", False),
            self.define("FRESHET_UNITY", True),
            self.define("FRESHET_BUILD_TESTS", False),
            self.define("FRESHET_BUILD_BENCHMARKS", False),
            self.define_from_variant("FRESHET_PYTHON", "python"),
            self.define_from_variant("FRESHET_OPENVDB", "openvdb"),
            self.define_from_variant("FRESHET_PARTICLE_DOUBLE", "particle_double"),
            self.define("FRESHET_PYTHON_DIR", f"lib/python{python.version.up_to(2)}/site-packages"),
            self.define("Python_EXECUTABLE", python.command.path),
        ]

    def setup_build_environment(self, env):
        env.set("PETSC_DIR", self.spec["petsc"].prefix)
        env.unset("PETSC_ARCH")

    def setup_run_environment(self, env):
        version = self.spec["python"].version.up_to(2)
        env.prepend_path("PYTHONPATH", join_path(self.prefix, "lib", f"python{version}", "site-packages"))

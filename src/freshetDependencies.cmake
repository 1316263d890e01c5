# SPDX-License-Identifier: Apache-2.0
# Finds what freshet stands on; read by freshet's own build and, installed, by freshetConfig.cmake.
# MPI, PETSc and HDF5 must belong together: one MPI, PETSc with real scalars, HDF5 with parallel I/O.
find_package(Eigen3 3.4 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.9 REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(tomlplusplus REQUIRED)
find_package(ZLIB REQUIRED)
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(PkgConfig REQUIRED)

if(NOT TARGET freshet::petsc)
  # PETSC_DIR and PETSC_ARCH, if set, come before the system's PETSc.
  set(freshet_saved_pkg_config_path "$ENV{PKG_CONFIG_PATH}")
  if(DEFINED ENV{PETSC_DIR})
    set(ENV{PKG_CONFIG_PATH}
        "$ENV{PETSC_DIR}/$ENV{PETSC_ARCH}/lib/pkgconfig:$ENV{PETSC_DIR}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
  endif()
  pkg_search_module(FRESHET_PETSC QUIET PETSc>=3.18 petsc>=3.18)
  set(ENV{PKG_CONFIG_PATH} "${freshet_saved_pkg_config_path}")
  if(NOT FRESHET_PETSC_FOUND)
    message(FATAL_ERROR "PETSc 3.18 or newer not found (pkg-config knows no PETSc). Install libpetsc-real-dev, or set "
                        "PETSC_DIR and PETSC_ARCH.")
  endif()
  # Only directories and libraries: the distribution's own compiler flags (_FORTIFY_SOURCE) are not for us.
  add_library(freshet::petsc INTERFACE IMPORTED)
  set_target_properties(freshet::petsc PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${FRESHET_PETSC_INCLUDE_DIRS}"
    INTERFACE_LINK_LIBRARIES "${FRESHET_PETSC_LINK_LIBRARIES};MPI::MPI_CXX")
endif()

if(NOT TARGET freshet::hdf5)
  pkg_check_modules(FRESHET_HDF5 QUIET hdf5-openmpi)
  if(NOT FRESHET_HDF5_FOUND)
    set(HDF5_PREFER_PARALLEL ON)
    find_package(HDF5 COMPONENTS C QUIET)
    if(NOT HDF5_FOUND)
      message(FATAL_ERROR "HDF5 not found. Install libhdf5-openmpi-dev, or set HDF5_ROOT.")
    endif()
    if(NOT HDF5_IS_PARALLEL)
      message(FATAL_ERROR "HDF5 in ${HDF5_INCLUDE_DIRS} has no parallel I/O. Install libhdf5-openmpi-dev, or point "
                          "HDF5_ROOT to an HDF5 built with MPI.")
    endif()
    set(FRESHET_HDF5_INCLUDE_DIRS ${HDF5_INCLUDE_DIRS})
    set(FRESHET_HDF5_LINK_LIBRARIES ${HDF5_C_LIBRARIES})
  endif()
  add_library(freshet::hdf5 INTERFACE IMPORTED)
  set_target_properties(freshet::hdf5 PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${FRESHET_HDF5_INCLUDE_DIRS}"
    INTERFACE_LINK_LIBRARIES "${FRESHET_HDF5_LINK_LIBRARIES};MPI::MPI_CXX")
endif()

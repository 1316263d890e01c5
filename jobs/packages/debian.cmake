# SPDX-License-Identifier: Apache-2.0
# What `cpack -G DEB` makes of an installed tree below /usr: the program, the Python package, cases and pages, but no headers and
# libraries. jobs/package.sh runs it. Packages of libraries are found by dpkg-shlibdeps, from what the programs link.
set(share ${CMAKE_INSTALL_DATAROOTDIR}/freshet)
install(DIRECTORY inputs DESTINATION ${share} COMPONENT program)
# Pages, pictures, scripts and job files keep their places, so that the pages' links hold.
file(GLOB_RECURSE parts RELATIVE ${PROJECT_SOURCE_DIR} analysis/*.md analysis/*.png analysis/*.jpg analysis/*.py analysis/houdini/*
     jobs/*.md jobs/*.sbatch jobs/*.sh jobs/*.py jobs/Containerfile jobs/freshet.def src/*.md tests/*.md .github/*.md)
list(FILTER parts EXCLUDE REGEX "^analysis/freshet/.*[.]py$|^jobs/(site|packages)/|__pycache__")  # the package has a place of its own
list(APPEND parts README.md CHANGELOG.md CITATION.cff LICENSE)
foreach(part IN LISTS parts)
  get_filename_component(folder ${part} DIRECTORY)
  set(kind FILES)
  if(part MATCHES "^jobs/.*[.](sh|py)$")
    set(kind PROGRAMS)
  endif()
  install(${kind} ${part} DESTINATION ${share}/${folder} COMPONENT program)
endforeach()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)

math(EXPR python_next "${Python_VERSION_MINOR} + 1")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME freshet)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the authors of freshet <freshet@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "freshet simulates dam breaks, fountains, stirred tanks and sloshing by PIC/FLIP on a staggered grid, on one
core or on many nodes: MPI, OpenMP, PETSc, parallel HDF5. The program starts as the best of three levels of x86-64 that the
processor has. Cases are in /usr/share/freshet/inputs.")
set(CPACK_COMPONENTS_ALL program)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "openmpi-bin, python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), \
python3 (<< ${Python_VERSION_MAJOR}.${python_next}), python3-numpy, python3-h5py, python3-matplotlib, python3-scipy")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-mpi4py, python3-vtk9, xvfb, xauth")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/debian/postinst;${CMAKE_CURRENT_LIST_DIR}/debian/prerm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)

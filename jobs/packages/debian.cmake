# SPDX-License-Identifier: Apache-2.0
# What `cpack -G DEB` makes of an installed tree below /usr: the program, the Python package, cases and pages, but no headers and
# libraries. jobs/package.sh runs it. Packages of libraries are found by dpkg-shlibdeps, from what the programs link.
set(share ${CMAKE_INSTALL_DATAROOTDIR}/freshet)
install(DIRECTORY inputs DESTINATION ${share} COMPONENT program)
install(DIRECTORY analysis/ DESTINATION ${share}/analysis COMPONENT program FILES_MATCHING PATTERN "*.py"
        PATTERN freshet EXCLUDE PATTERN houdini EXCLUDE PATTERN figures EXCLUDE PATTERN __pycache__ EXCLUDE)
install(FILES jobs/mpi.sh jobs/mpi_settings.py jobs/dam_break.sbatch jobs/many_nodes.sbatch jobs/chain.sbatch jobs/array.sbatch
        DESTINATION ${share}/jobs COMPONENT program)
install(PROGRAMS jobs/chain.sh jobs/study.py DESTINATION ${share}/jobs COMPONENT program)
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
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

# SPDX-License-Identifier: Apache-2.0
# What ranks started by mpirun on one machine need of Open MPI 4 and 5; MPICH's launcher needs nothing. Shell scripts of this
# project source this file, and Python (jobs/mpi_settings.py) and tests/CMakeLists.txt read its lines: what stands after the
# dash is set unless the user has set the variable.
# Ranks may be started as root, as in a container.
export OMPI_ALLOW_RUN_AS_ROOT="${OMPI_ALLOW_RUN_AS_ROOT-1}"
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="${OMPI_ALLOW_RUN_AS_ROOT_CONFIRM-1}"
# There may be more ranks than cores (Open MPI 4; 5, which is started by PRRTE).
export OMPI_MCA_rmaps_base_oversubscribe="${OMPI_MCA_rmaps_base_oversubscribe-1}"
export PRTE_MCA_rmaps_default_mapping_policy="${PRTE_MCA_rmaps_default_mapping_policy-:oversubscribe}"
# By default each of two ranks would be bound, with all its threads, to one core (4; 5).
export OMPI_MCA_hwloc_base_binding_policy="${OMPI_MCA_hwloc_base_binding_policy-none}"
export PRTE_MCA_hwloc_default_binding_policy="${PRTE_MCA_hwloc_default_binding_policy-none}"
# Open MPI 5 asks the kernel for a way to each rank, finds none between ranks of one machine, and says so for each pair.
export OMPI_MCA_reachable="${OMPI_MCA_reachable-weighted}"
# Some tests set what follows (mpi_choice() in mpi_settings.py); nothing is exported.
# A program that mpirun has not started starts no daemon of MPI, and can spawn no others (4; 5 starts a daemon only to spawn).
mpi_without_daemon="OMPI_MCA_ess_singleton_isolated=1"
# Ranks of one machine copy large messages through shared memory, not by the kernel from process to process (4; 5).
mpi_without_kernel_copies="OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma,knem,xpmem"
# What mpirun tells ranks needs no place of its own in their memory, where the thread sanitizer may have put something (5).
mpi_at_any_address="PMIX_MCA_gds=hash"

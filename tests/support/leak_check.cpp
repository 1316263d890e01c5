// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

/// Part of every program with the address sanitizer: what makes its list of leaks one of ours.
extern "C" {

/// Libraries stay loaded: what a plugin that is gone has leaked could not be told from a leak of ours.
int dlclose(void* /*handle*/) {
  return 0;
}

/// Leaks below these libraries are theirs. (LeakSanitizer asks for this function by its name.)
const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier, readability-identifier-naming)
  return "leak:/openmpi3/mca_\n"             // its plugins
         "leak:vasprintf\n"                  // called by them alone; through it the fast unwinder does not see
         "leak:libmpi.so\n"
         "leak:libopen-pal.so\n"
         "leak:libopen-rte.so\n"
         "leak:libpmix.so\n"
         "leak:libhwloc.so\n"
         "leak:libevent\n"
         "leak:libfabric.so\n"
         "leak:libucs.so\n"
         "leak:libomp.so\n";  // clang's OpenMP, whose threads live as long as the program
}

}  // extern "C"

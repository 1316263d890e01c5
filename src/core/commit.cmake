# SPDX-License-Identifier: Apache-2.0
# Writes a header that names the commit, and touches it only when the commit changed. Works without git.
cmake_minimum_required(VERSION 3.22)
if(NOT COMMIT)
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude *
                  OUTPUT_VARIABLE COMMIT RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0 OR NOT COMMIT)
    set(COMMIT "unknown")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define FRESHET_COMMIT \"@COMMIT@\"\n" @ONLY)

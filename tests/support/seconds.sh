#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command and writes the seconds that it and the processes it waits for took: "user system clock".
# usage: seconds.sh FILE COMMAND...
file=$1
shift
mkdir -p "$(dirname "$file")"
exec 3>&2
TIMEFORMAT='%U %S %R'
{ time "$@" 2>&3 3>&-; } 2>"$file"

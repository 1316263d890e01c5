#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes one searchable site of all pages and of the C++ interfaces (Doxygen), in build/site/html.
# A warning of Doxygen or mkdocs, a link that leads nowhere, a formula that KaTeX cannot draw and a page that the menu lacks are errors.
# usage: jobs/site.sh [--output DIR] [--serve [PORT]]
#   --output DIR   where the site goes
#   --serve        shows it at http://localhost:8000, or at another port, until Ctrl-C; the search needs that
set -euo pipefail
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' "$0"; exit 0 ;; esac
output=$(realpath -m "$(dirname "$0")/../build/site/html")
port=
while [ $# -gt 0 ]; do
  case $1 in
    --output) output=$(realpath -m "${2:?usage: jobs/site.sh --output DIR}"); shift 2 ;;
    --serve) port=8000; shift; case ${1:-} in [0-9]*) port=$1; shift ;; esac ;;
    *) echo "site: '$1' is no option: jobs/site.sh --help" >&2; exit 2 ;;
  esac
done
cd "$(dirname "$0")/.."
for program in mkdocs doxygen node; do
  command -v $program >/dev/null || { bash jobs/setup.sh mkdocs mkdocs-material python3-pymdownx doxygen libjs-katex nodejs; break; }
done
for program in mkdocs doxygen node; do
  command -v $program >/dev/null || { echo "site: $program is missing. It needs mkdocs, mkdocs-material, doxygen, KaTeX and node" >&2; exit 2; }
done

work=build/site
rm -rf $work/pages $work/xml
mkdir -p $work/pages
if ! doxygen jobs/site/Doxyfile 2>$work/doxygen.log || [ -s $work/doxygen.log ]; then
  cat $work/doxygen.log >&2
  exit 1
fi
/usr/bin/python3 jobs/site/interfaces.py $work/xml $work/pages/interfaces
/usr/bin/python3 jobs/site/pages.py $work
mkdocs build --quiet --strict --clean -f $work/mkdocs.yml -d "$output"
/usr/bin/python3 jobs/site/links.py "$output"
node jobs/site/check_formulas.js "$output" /usr/share/javascript/katex/katex.min.js >/dev/null
echo "site: $output/index.html"
[ -z "$port" ] || exec /usr/bin/python3 -m http.server "$port" --bind localhost --directory "$output"

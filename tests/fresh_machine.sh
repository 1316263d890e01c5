#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs commands on a bare Debian that holds a clone of this repository (its last commit) and nothing else: those of README.md, and
# then the dam break on several ranks. It needs root, debootstrap, and a gigabyte or three of disk.
# usage: tests/fresh_machine.sh RELEASE [COMMAND...]     RELEASE: bookworm (Debian 12) or trixie (13)
# A bare system is made once, in FRESHET_MACHINES (default: /var/tmp/freshet_machines); each call starts from a copy of it, which
# is gone afterwards. RELEASE/output there holds what was written to output/ in the clone; FRESHET_BRING=DIR brings a folder there.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in bookworm | trixie) release=$1 ;; *) sed -n '3,8s/^# //p' "$0" >&2; exit 2 ;; esac
shift
commands=("$@")
[ ${#commands[@]} -gt 0 ] || commands=('bash jobs/quickstart.sh' 'bash tests/run.sh'
  '/usr/bin/python3 tests/systems.py run build/release/src/freshet output/systems')
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  echo "skipped: a bare $release needs root and debootstrap"
  exit 77
fi

home=${FRESHET_MACHINES:-/var/tmp/freshet_machines}/$release
bare=$home/bare
machine=$home/machine
leave() { # nothing is deleted while anything is still mounted below it
  for part in dev sys proc; do umount -lR "$machine/$part" 2>/dev/null || true; done
  if grep -q " $machine/" /proc/mounts; then echo "fresh_machine: something is still mounted in $machine" >&2; return 1; fi
  rm -rf "$machine"
}
mkdir -p "$home"
exec 9>"$home/lock"
flock -n 9 || { echo "fresh_machine: another call uses $home" >&2; exit 1; }
leave
trap leave EXIT

if [ ! -e "$bare.complete" ]; then
  rm -rf "$bare"
  debootstrap --variant=minbase --include=ca-certificates "$release" "$bare" >"$home/debootstrap.log" ||
    { tail -n 5 "$home/debootstrap.log" >&2; exit 1; }
  # packages and certificates come from where this machine has its own
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian*; do
    [ ! -f "$file" ] || sed "s/\\b\\(bookworm\\|trixie\\)/$release/g" "$file" >"$bare/$file"
  done
  for folder in /etc/apt/apt.conf.d /usr/share/keyrings /etc/ssl/certs; do cp -rL "$folder/." "$bare/$folder/" 2>/dev/null || true; done
  printf '#!/bin/sh\nexit 101\n' >"$bare/usr/sbin/policy-rc.d"  # no package starts a daemon
  chmod +x "$bare/usr/sbin/policy-rc.d"
  touch "$bare.complete"
fi

cp -a --reflink=auto "$bare" "$machine"
cp -L /etc/resolv.conf /etc/hosts "$machine/etc/"
mount -t proc proc "$machine/proc"
mount -t sysfs sys "$machine/sys" || true
mount --rbind /dev "$machine/dev"
mount --make-rslave "$machine/dev"
git clone -q --no-hardlinks . "$machine/root/project"
[ -z "${FRESHET_BRING:-}" ] || cp -a "$FRESHET_BRING" "$machine/root/project/output"
mapfile -t proxies < <(env | grep -iE '^(https?|no|ftp)_proxy=' || true)
code=0
for command in "${commands[@]}"; do
  echo "fresh_machine: $release: $command"
  env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${proxies[@]}" \
    chroot "$machine" bash -c "cd /root/project && $command" </dev/null || { code=$?; break; }
done
rm -rf "$home/output"
[ ! -d "$machine/root/project/output" ] || mv "$machine/root/project/output" "$home/output"
exit $code

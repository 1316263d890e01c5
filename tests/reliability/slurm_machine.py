# SPDX-License-Identifier: Apache-2.0
"""A Slurm of one machine, private to a folder: munged, slurmctld and slurmd with a state of their own."""
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
CONFIGURATION = """ClusterName=check
SlurmctldHost={host}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=pmix
ReturnToService=2
KillWait=10
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=60 State=UP
"""


def why_not():
    """Why there can be no Slurm here; empty if there can."""
    absent = [program for program in PROGRAMS if not find(program)]
    if absent:
        return f"no {', '.join(absent)} here (Debian: slurm-wlm munge)"
    return "" if os.geteuid() == 0 else "Slurm's daemons need root"


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Slurm:
    """Slurm while a `with` block lasts. `environment` is for its commands.

    folder: short and only root's; munge refuses others and a socket's path holds about 100 characters
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))
        self.daemons = []

    def __enter__(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        host = socket.gethostname().split(".")[0]
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(host=host, folder=self.folder, cpus=os.cpu_count(),
                                                                     ports=free_ports(2)))
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        try:
            self._start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                        f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                        f"--seed-file={self.folder}/munge.seed")
            self._wait("munge", lambda: (self.folder / "munge.socket").exists())
            self._start("slurmctld", "-D")
            self._start("slurmd", "-D", "-N", host)
            self._wait("an idle node", lambda: "idle" in self.command("sinfo", "-h", "-o", "%t"))
        except Exception:
            self.__exit__()
            raise
        return self

    def _start(self, program, *words):
        with open(self.folder / f"{program}.out", "w") as out:
            self.daemons.append(subprocess.Popen([find(program), *words], env=self.environment, stdout=out, stderr=out))

    def _wait(self, what, is_there, seconds=60):
        for _ in range(2 * seconds):
            if is_there():
                return
            time.sleep(0.5)
        logs = " ".join(file.read_text()[-300:] for file in sorted(self.folder.glob("*.log")))
        raise RuntimeError(f"Slurm does not start: no {what} after {seconds} s: {' '.join(logs.split())}")

    def command(self, *words, cwd=None):
        """Standard output of one of Slurm's commands; empty if it fails."""
        done = subprocess.run(words, env=self.environment, cwd=cwd, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

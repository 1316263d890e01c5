# SPDX-License-Identifier: Apache-2.0
"""A Slurm of one machine, private to a folder: munged, slurmctld and slurmd with a state of their own.

Several nodes are several slurmd of this machine, each of which believes that all cores are its own.
"""
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

from check import ROOT

ENDED = ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY", "DEADLINE", "BOOT_FAIL")
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
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=2,bf_interval=2
SlurmctldPort={ports[0]}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd_%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd_%n.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool_%n
TmpFS={folder}/tmp_%n
"""
NODE = "NodeName=n{number} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} State=UNKNOWN\n"
PARTITION = "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"


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


def make_project(check, program):
    """A folder from which the scripts of jobs/ run as they stand."""
    project = check.work / "project"
    (project / "build" / "release" / "src").mkdir(parents=True)
    (project / "build" / "release" / "src" / "freshet").symlink_to(program)
    for name in ("inputs", "jobs"):
        (project / name).symlink_to(ROOT / name)
    return project


class Slurm:
    """Slurm while a `with` block lasts. `environment` is for its commands.

    folder: short and only root's; munge refuses others and a socket's path holds about 100 characters
    """

    def __init__(self, folder, nodes=1):
        self.folder = Path(folder)
        self.nodes = nodes
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))
        if nodes > 1:
            # the shared memory of nodes on one machine would collide; Open MPI 5 by itself finds no way between them
            self.environment.update(OMPI_MCA_btl="self,tcp", OMPI_MCA_reachable="weighted")
        self.daemons = []

    def __enter__(self):
        names = [f"n{number}" for number in range(self.nodes)]
        for name in ("state", *(f"{kind}_{node}" for kind in ("spool", "tmp") for node in names)):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        host = socket.gethostname().split(".")[0]
        ports = free_ports(1 + self.nodes)
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(host=host, folder=self.folder, ports=ports)
            + "".join(NODE.format(number=number, host=host, port=ports[1 + number], cpus=os.cpu_count())
                      for number in range(self.nodes)) + PARTITION)
        if self._version() >= 23:  # there may be no cgroups here; Slurm 22 has no such word, and does without
            (self.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        try:
            self._start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                        f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                        f"--seed-file={self.folder}/munge.seed")
            self._wait("munge", lambda: (self.folder / "munge.socket").exists())
            self._start("slurmctld", "-D")
            for name in names:
                self._start("slurmd", "-D", "-N", name)
            self._wait("idle nodes", lambda: self.command("sinfo", "-h", "-N", "-o", "%t").split() == self.nodes * ["idle"])
        except Exception:
            self.__exit__()
            raise
        return self

    @staticmethod
    def _version():
        """The year of Slurm's release, as in slurm-wlm 24.11.5."""
        said = subprocess.run([find("slurmd"), "-V"], capture_output=True, text=True).stdout
        return int(re.search(r"(\d+)\.", said).group(1))

    def _start(self, program, *words):
        with open(self.folder / f"{program}.out", "a") as out:
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

    def wait_for_end(self, job, seconds):
        """The job's last state, in Slurm's word."""
        until = time.monotonic() + seconds
        while True:
            shown = dict(word.split("=", 1) for word in self.command("scontrol", "show", "job", job).split() if "=" in word)
            status = shown.get("JobState", "unknown to Slurm")
            if status in ENDED or time.monotonic() > until:
                return status
            time.sleep(0.25)

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

#!/usr/bin/env python3
"""Runs examples/fleet on a Slurm of one node: 200 profiles, some damaged, some twice, some late.

    run.py --pgokit build/bin/pgokit --make pgokit-make-profiles [--keep]

The sum must be what one machine gives, byte for byte; a task that fails is run again by Slurm; nothing is
counted twice. Needs root and Debian's slurmctld, slurmd, slurm-client and munge: exit code 77 without.
"""
import argparse
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

FLEET = pathlib.Path(__file__).resolve().parents[2] / "examples/fleet"
DAEMONS = ["/usr/sbin/munged", "/usr/sbin/slurmctld", "/usr/sbin/slurmd"]


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def write_configuration(folder):
    host = socket.gethostname().split(".")[0]
    controller, node = free_ports(2)
    cpus = os.cpu_count()
    (folder / "slurm.conf").write_text(f"""\
ClusterName=pgokit
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
SlurmctldPort={controller}
SlurmdPort={node}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MailProg=/bin/true
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} Sockets=1 CoresPerSocket={cpus} ThreadsPerCore=1
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
    (folder / "munge").mkdir(mode=0o711)
    (folder / "munge/key").write_bytes(os.urandom(1024))
    (folder / "munge/key").chmod(0o400)


@contextlib.contextmanager
def slurm(folder):
    """Daemons of our own; only those are ended."""
    write_configuration(folder)
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    munge = folder / "munge"
    commands = [
        ["/usr/sbin/munged", "--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
         f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed"],
        ["/usr/sbin/slurmctld", "-D", "-c"],
        ["/usr/sbin/slurmd", "-D"],
    ]
    running = []
    try:
        for command in commands:
            log = (folder / (pathlib.Path(command[0]).name + ".out")).open("w")
            running.append(subprocess.Popen(command, stdout=log, stderr=log))
            time.sleep(1)
        for _ in range(60):
            state = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True).stdout
            if "idle" in state:
                break
            time.sleep(0.5)
        else:
            print("Slurm does not start here:", (folder / "slurmctld.out").read_text()[-500:])
            sys.exit(77)
        yield
    finally:
        for process in reversed(running):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def make_shards(make, folder):
    """200 profiles in all: 160 in time (10 of them damaged, 20 twice), 40 late (15 of them seen before)."""
    made, incoming, late = folder / "made", folder / "incoming", folder / "late"
    for place in (made, incoming, late):
        place.mkdir()
    subprocess.run([make, made, "155", "20000", "probes"], check=True)
    profiles = sorted(made.iterdir())
    for number, profile in enumerate(profiles[:130]):
        shutil.copy(profile, incoming / f"host{number}.prof")
    for number, profile in enumerate(profiles[:20]):
        shutil.copy(profile, incoming / f"again{number}.prof")
    for number, profile in enumerate(profiles[20:30]):
        data = bytearray(profile.read_bytes())
        if number % 2:
            data = data[:len(data) * number // 11]
        else:
            data[300 + number] ^= 0xff
            data[10] ^= 0x40  # the number of sections
        (incoming / f"damaged{number}.prof").write_bytes(data)
    for number, profile in enumerate(profiles[130:]):
        shutil.copy(profile, late / f"late{number}.prof")
    for number, profile in enumerate(profiles[100:115]):
        shutil.copy(profile, late / f"late_again{number}.prof")
    return incoming, late


def wait_for(job):
    for _ in range(1200):
        out = subprocess.run(["squeue", "-h", "-j", job], capture_output=True, text=True).stdout
        if not out.strip():
            return
        time.sleep(0.25)
    raise SystemExit(f"job {job} does not end")


def play_round(incoming, state, tasks):
    done = subprocess.run([FLEET / "fleet.sh", incoming, state, str(tasks)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"fleet.sh: {done.stdout}{done.stderr}")
    if done.stdout.strip():
        wait_for(done.stdout.split()[-1])
    return done.stdout.strip()


def flaky(pgokit, folder):
    """A pgokit whose first run in a task dies half-way: as if its machine had been taken away."""
    script = folder / "flaky"
    script.write_text(f"""#!/usr/bin/env bash
mark={folder}/died-$SLURM_ARRAY_TASK_ID
if [ "$SLURM_ARRAY_TASK_ID" = 3 ] && mkdir "$mark" 2>/dev/null; then
  timeout -s KILL 0.02 {pgokit} "$@"
  exit 137
fi
exec {pgokit} "$@"
""")
    script.chmod(0o755)
    return script


def check(condition, what):
    print(("ok    " if condition else "WRONG ") + what)
    return bool(condition)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pgokit", required=True, type=pathlib.Path)
    parser.add_argument("--make", required=True, type=pathlib.Path)
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    if os.geteuid() != 0 or not all(os.path.exists(d) for d in DAEMONS) or not shutil.which("sbatch"):
        print("no root, or no slurmctld, slurmd, slurm-client, munge")
        return 77
    pgokit = args.pgokit.resolve()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fleet-"))
    folder.chmod(0o755)
    incoming, late = make_shards(args.make.resolve(), folder)
    state = folder / "state-of-fleet"
    single = lambda out: subprocess.run(  # noqa: E731
        [pgokit, "merge", "--quiet", "--distinct", "-o", out, incoming], capture_output=True, text=True)
    good = True
    with slurm(folder):
        os.environ["PGOKIT"] = str(flaky(pgokit, folder))
        play_round(incoming, state, 8)
        one = single(folder / "one.prof")
        total = state / "current/total.prof"
        good &= check(total.exists() and total.read_bytes() == (folder / "one.prof").read_bytes(),
                      "160 profiles by 8 tasks: the bytes of one machine")
        good &= check(one.returncode == 3 and one.stderr.count("left out") == 10, "10 damaged ones were left out")
        logs = "".join(log.read_text() for log in (state / "round-1").glob("map-*.log"))
        good &= check(logs.count("left out\n") >= 10, "and the logs of the tasks name them")
        good &= check((folder / "died-3").exists() and "to be run again" in logs, "a task died and Slurm ran it again")
        for profile in late.iterdir():
            shutil.copy(profile, incoming)
        play_round(incoming, state, 8)
        single(folder / "two.prof")
        good &= check(total.read_bytes() == (folder / "two.prof").read_bytes(), "with 40 late ones: the same again")
        good &= check(len((state / "round-2/new").read_text().splitlines()) == 25,
                      "the second round took 25 profiles: 15 of the late ones had been counted")
        good &= check(not play_round(incoming, state, 8), "a third round finds nothing new")
        good &= check(len(list(incoming.iterdir())) == 200, "200 profiles in all")
    if args.keep or not good:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

"""The cost of a command: seconds of wall clock and of processors, and peak memory."""
import os
import subprocess
import sys

# Starts a command and prints its cost. A process of its own: the peak memory of a child begins with its parent's.
LAUNCHER = """
import os, subprocess, sys, time
begin = time.monotonic()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
wall = time.monotonic() - begin
print(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""


def run(command, environment=None):
    """Runs a command to its end. Returns seconds of wall clock, seconds of processors, and MB of memory."""
    command = [str(part) for part in command]
    done = subprocess.run(
        [sys.executable, "-S", "-c", LAUNCHER, *command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return tuple(float(value) for value in done.stdout.split())

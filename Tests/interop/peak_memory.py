"""Runs a command and writes the most memory it held at a time, in KiB, to a file.

    peak_memory.py FILE COMMAND...

The kernel counts a program's memory from the fork on, so that who starts it must itself be small.
"""

import os
import sys

process = os.fork()
if process == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
_, status, used = os.wait4(process, 0)
with open(sys.argv[1], "w") as file:
    file.write(str(used.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status) % 256)

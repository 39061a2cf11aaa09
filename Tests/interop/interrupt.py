"""Ctrl-C on the terminal of `virtual-key -- PROGRAM`: the program gets it once."""

import os
import sys
import tempfile

import pexpect

PROGRAM = """
import signal, sys
count = 0
def interrupted(*_):
    global count
    count += 1
signal.signal(signal.SIGINT, interrupted)
print("tty" if sys.stdin.isatty() and sys.stdout.isatty() else "no tty", flush=True)
input()
print("interrupts", count)
sys.exit(5)
"""

with tempfile.TemporaryDirectory() as folder:
    command = ["--", sys.executable, "-c", PROGRAM]
    child = pexpect.spawn(
        sys.argv[1], command, encoding="utf-8", timeout=None, env=os.environ | {"TMPDIR": folder}
    )
    child.expect("\ntty|^tty")
    child.sendintr()
    child.sendline("")
    child.expect("interrupts (\\d+)")
    assert child.match[1] == "1", child.match[1]
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 5, child.exitstatus
    assert os.listdir(folder) == [], os.listdir(folder)
print("interrupted")

"""What every measurement shares: running a command as a person would, and tables."""

import base64
import json
import os
import statistics
import subprocess
import sys

PIN = "246810"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KEYBACKUP = os.path.join(ROOT, ".build/release/keybackup")
TOOLS = os.path.join(ROOT, ".build/benchmarks")
STATE = sys.argv[1]

# Neither finds nor changes anything of the person who measures.
os.environ["HOME"] = STATE
for name in ("KEYBACKUP_FOLDER", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
    os.environ.pop(name, None)


def on_terminal(*command, fails=False):
    """Runs a command that may ask for the PIN; what it used, and its output.

    With `fails`, it may end with any code.
    """
    output = os.path.join(STATE, "output")
    done = subprocess.run([f"{TOOLS}/on-terminal", PIN, output, *command],
                          capture_output=True, text=True)
    used = json.loads(done.stdout)
    # 88: `status` says that there is no spare key.
    if not fails and used["code"] not in (0, 88):
        sys.exit(f"{command}: exit {used['code']}: {done.stderr}")
    with open(output) as file:
        return used, file.read()


def in_turns(times, **commands):
    """The median use of each command; the first of several rounds, which warms up, does not count."""
    seen = {name: [] for name in commands}
    for turn in range(times + 1 if times > 1 else 1):
        for name, command in commands.items():
            used, _ = on_terminal(*command())
            if turn or times == 1:
                seen[name].append(used)
    return {name: {"ms": 1000 * statistics.median(u["seconds"] for u in all_used),
                   "least": 1000 * min(u["seconds"] for u in all_used),
                   "processor": 1000 * statistics.median(u["processor"] for u in all_used),
                   "mib": max(u["kib"] for u in all_used) / 1024}
            for name, all_used in seen.items()}


def table(title, head, rows):
    print(f"\n### {title}\n\n| " + " | ".join(head) + " |")
    print("|---" + "|---:" * (len(head) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)


def ms(value):
    return f"{value:.1f} ms" if value < 1000 else f"{value / 1000:.2f} s"


def encode(data):
    return base64.b64encode(data).decode()


def assertion(rp_id, credential_id, salt):
    """The fido2-assert command for one hmac-secret, and the file its answer goes to."""
    request, answer = (os.path.join(STATE, n) for n in ("request", "answer"))
    with open(request, "w") as file:
        file.write("\n".join([encode(bytes(32)), rp_id, encode(credential_id), encode(salt)]))
        file.write("\n")
    return ["fido2-assert", "-G", "-h", "-t", "pin=true", "-i", request, "-o", answer,
            "/dev/hidraw0"], answer


def hmac_secret(rp_id, credential_id, salt):
    command, answer = assertion(rp_id, credential_id, salt)
    on_terminal(*command)
    with open(answer) as file:
        return base64.b64decode(file.read().split("\n")[4])

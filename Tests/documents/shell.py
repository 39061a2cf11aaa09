"""A bash on a terminal of its own, which runs one command after the other and answers questions."""
import fcntl, os, pty, re, select, signal, struct, termios, time

END = "\x01\x02keybackup-documents-end\x02\x01"
# Runs what descriptor 3 says, marks the end on the terminal, tells the exit code to descriptor 4.
DRIVER = r"""
set -o pipefail
while IFS= read -r -d '' -u 3 __command; do
  eval "$__command" 3<&- 4>&-
  __code=$?
  printf '%s' "$END_MARK"
  printf '%d\n' "$__code" >&4
done
"""


class Shell:
    def __init__(self, environment, folder, columns=80):
        commands, self.commands = os.pipe()
        self.codes, codes = os.pipe()
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            try:
                os.chdir(folder)
                for old, new in ((commands, 103), (codes, 104)):
                    os.dup2(old, new)
                os.closerange(3, 103)
                os.dup2(103, 3)
                os.dup2(104, 4)
                os.closerange(5, 128)
                os.execvpe(
                    "bash", ["bash", "--norc", "--noprofile", "-c", DRIVER],
                    dict(environment, END_MARK=END))
            finally:
                os._exit(127)
        os.close(commands)
        os.close(codes)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))

    def run(self, command, answer, limit=3600):
        """Runs a command; `answer` gets the screen and says what is typed, or None to wait.

        Returns the exit code (None: it had to be killed) and the screen.
        """
        os.write(self.commands, command.encode() + b"\0")
        screen, answered = b"", 0
        started = quiet_since = time.monotonic()
        while True:
            ready, _, _ = select.select([self.terminal], [], [], 0.1)
            now = time.monotonic()
            if ready:
                try:
                    piece = os.read(self.terminal, 65536)
                except OSError:
                    return None, screen.decode("utf-8", "replace")
                screen += piece
                quiet_since = now
                if END.encode() in screen:
                    break
                if piece.endswith(b"\n"):
                    continue
            text = screen[answered:].decode("utf-8", "replace")
            typed = answer(text, now - quiet_since)
            if typed is not None:
                answered = len(screen)
                os.write(self.terminal, typed.encode() + b"\n")
                quiet_since = time.monotonic()
            # Nobody answers an unknown question; all else may be a busy computer.
            elif now - started > limit or question(text) and now - quiet_since > 60:
                self.close()
                return None, screen.decode("utf-8", "replace")
        code = b""
        while not code.endswith(b"\n"):
            code += os.read(self.codes, 16)
        text = screen.decode("utf-8", "replace").replace(END, "")
        return int(code), text

    def close(self):
        """Ends it, and what it started."""
        if self.process is None:
            return
        process, self.process = self.process, None
        try:
            os.killpg(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
        for descriptor in (self.commands, self.codes, self.terminal):
            os.close(descriptor)
        os.waitpid(process, 0)


QUESTION = re.compile(r"[^\n]*[:?\]>] ?$")


def question(text):
    """The question that a screen ends with, or ''."""
    line = text.rsplit("\n", 1)[-1].lstrip("\r")
    return line if QUESTION.fullmatch(line) else ""

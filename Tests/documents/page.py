"""A page: its fences, their marks and commands. The marks are explained in scripts/try-documents."""
import re

# Fences that hold commands or programs and are not run by themselves.
PROGRAMS = {"sh", "bash", "zsh", "fish", "shell", "shell-session", "python", "swift", "make", "makefile"}
FENCE_MARKS = {"not run", "exits", "typed", "from"}
STATE_MARKS = {"keys", "computer", "apart", "together", "before"}
COMMAND_WORDS = {"$", "keybackup", "sudo", "make", "git", "apt", "apt-get", "systemctl", "printf"}


class PageError(Exception):
    """The page cannot be understood."""


class Command:
    """One command of a console fence, and what the page says it shows."""

    def __init__(self, text, line):
        self.text, self.line, self.expected = text, line, []
        # Where its output stands in the page: lines [first, end), counted from 0.
        self.first = self.end = line


class Fence:
    def __init__(self, line, indent, language):
        self.line, self.indent, self.language = line, indent, language
        self.marks, self.lines, self.commands = {}, [], []
        self.reason = ""

    @property
    def kind(self):
        if "not run" in self.marks:
            return "not run"
        if "from" in self.marks:
            return "from " + self.marks["from"]
        return "run" if self.language == "console" else "shown"


class Page:
    """`steps` has fences and (mark, value) pairs, in the page's order."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.scene, self.steps, self.prose, self.problems = [], [], [], []
        self._read()
        self.fences = [step for step in self.steps if isinstance(step, Fence)]

    def _read(self):
        number, pending, blank_before = 0, {}, True
        while number < len(self.lines):
            line = self.lines[number]
            opening = re.match(r"^(\s*)(```+)\s*([\w-]*)\s*$", line)
            comment = re.match(r"^\s*<!--\s*(.*)$", line)
            if opening:
                number = self._fence(number, opening, pending)
                pending = {}
            elif comment:
                number, text = self._comment(number)
                self._mark(number, text, pending)
            else:
                if line.strip() and pending:
                    raise PageError(f"{number + 1}: {sorted(pending)} stands before no fence")
                if blank_before and re.match(r"^( {4,}|\t)", line):
                    word = line.split()[0]
                    if word in COMMAND_WORDS:
                        self.problems.append(
                            f"{number + 1}: a command in an indented block: write a fence\n  {line.strip()}")
                self.prose.append((number + 1, line))
            blank_before = not line.strip() or (blank_before and line.startswith("    "))
            number += 1

    def _comment(self, number):
        """The text of a comment that begins at a line; and its last line."""
        lines = [self.lines[number].split("<!--", 1)[1]]
        while "-->" not in lines[-1]:
            number += 1
            if number == len(self.lines):
                raise PageError(f"{number}: a comment has no end")
            lines.append(self.lines[number])
        lines[-1] = lines[-1].split("-->", 1)[0]
        return number, "\n".join(lines).strip()

    def _mark(self, number, text, pending):
        name, _, value = text.partition(":")
        name, value = name.strip(), value.strip()
        if name == "scene":
            if self.steps or self.scene:
                raise PageError(f"{number + 1}: the scene stands at the top, once")
            self.scene = [word.strip() for word in value.split(",") if word.strip()]
        elif name in FENCE_MARKS:
            pending[name] = value
        elif name in STATE_MARKS:
            self.steps.append((name, value, number + 1))
        # Any other comment is the author's own.

    def _fence(self, number, opening, marks):
        indent, ticks, language = opening.groups()
        fence = Fence(number + 1, indent, language)
        fence.marks = dict(marks)
        fence.reason = marks.get("not run", "")
        start = number + 1
        number = start
        while number < len(self.lines) and self.lines[number].strip() != ticks:
            line = self.lines[number]
            fence.lines.append(line[len(indent):] if line.startswith(indent) else line.lstrip())
            number += 1
        if number == len(self.lines):
            raise PageError(f"{fence.line}: a fence has no end")
        self.steps.append(fence)
        self._judge(fence)
        if fence.kind == "run":
            self._commands(fence, start)
        return number

    def _judge(self, fence):
        def problem(text):
            self.problems.append(f"{fence.line}: {text}")

        if "not run" in fence.marks and len(fence.reason.split()) < 3:
            problem("why is this fence not run? Give a reason of 3 words or more")
        if {"not run", "from"} <= set(fence.marks):
            problem("`not run` and `from` exclude each other")
        if fence.kind == "shown":
            plain = fence.language in ("", "text")
            for line in fence.lines:
                word = (line.split() or [""])[0]
                if line.startswith("$ ") or plain and word in COMMAND_WORDS:
                    problem(f"a command in a fence that is not run: make it console\n  {line}")
            if fence.language in PROGRAMS:
                problem(f"a {fence.language} fence must be marked `not run: reason` or `from: file`")
        if fence.kind != "run" and {"exits", "typed"} & set(fence.marks):
            problem("`exits` and `typed` are for fences that are run")

    def _commands(self, fence, start):
        command = None
        for offset, line in enumerate(fence.lines):
            if line == "$" or line.startswith("$ "):
                command = Command(line[2:], start + offset)
                command.first = command.end = start + offset + 1
                fence.commands.append(command)
            elif command is None:
                raise PageError(f"{start + offset + 1}: output stands before the first command")
            elif line.startswith("> ") and not command.expected and command.end == command.first:
                command.text += "\n" + line[2:]
                command.first = command.end = start + offset + 1
            else:
                command.expected.append(line)
                command.end = start + offset + 1
        for command in fence.commands:
            while command.expected and not command.expected[-1].strip():
                command.expected.pop()
                command.end -= 1
        if not fence.commands:
            raise PageError(f"{fence.line}: a console fence without a command (`$ ...`)")

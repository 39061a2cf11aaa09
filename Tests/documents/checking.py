"""What can be said of a page without running it: its marks, and the commands that it names."""
import json, os, re, shlex, subprocess


class Checker:
    def __init__(self, repository):
        self.repository, self._tree, self._targets = repository, None, None

    def problems(self, page):
        found = list(page.problems)
        for fence in page.fences:
            if "from" in fence.marks:
                found += self._copied(fence)
            for offset, line in enumerate(fence.lines):
                if fence.kind != "shown" and (fence.kind != "run" or line.startswith(("$ ", "> "))):
                    found += self._commands(fence.line + 1 + offset, re.sub(r"^[$>#] ", "", line))
        for number, line in page.prose:
            for code in re.findall(r"`([^`]+)`", line):
                found += self._commands(number, code)
        return found

    def _copied(self, fence):
        path = os.path.join(self.repository, fence.marks["from"])
        try:
            with open(path, encoding="utf-8") as file:
                lines = [line.strip() for line in file.read().split("\n")]
        except OSError as error:
            return [f"{fence.line}: {error}"]
        wanted = [line.strip() for line in fence.lines]
        for start in range(len(lines) - len(wanted) + 1):
            if lines[start:start + len(wanted)] == wanted:
                return []
        return [f"{fence.line}: these lines do not stand so in {fence.marks['from']}"]

    # Commands that exist

    def _commands(self, number, text):
        """Problems of the commands in a line, as far as it can be told."""
        found = []
        # ... and neither a path nor a file's name: keybackup as the first word of a command.
        for match in re.finditer(r"(?:^|[|;&(]\s*|\bsudo |\bexec |-- |&& )(keybackup|make) ([^|;&)<>]*)", text):
            try:
                given = shlex.split(match.group(2), comments=True)
            except ValueError:
                given = match.group(2).split()
            if match.group(1) == "make":
                found += self._made(number, given)
            else:
                found += self._typed(number, given)
        return found

    def _made(self, number, given):
        if self._targets is None:
            with open(os.path.join(self.repository, "Makefile"), encoding="utf-8") as file:
                self._targets = set(re.findall(r"^([\w-]+):", file.read(), re.M))
        return [
            f"{number}: make has no target {word}"
            for word in given if re.fullmatch(r"[a-z][a-z-]*", word) and word not in self._targets]

    @property
    def tree(self):
        if self._tree is None:
            # The program itself knows nothing below the commands that other programs run.
            dump = subprocess.run(
                [os.path.join(self.repository, ".build/debug/all-commands"), "--experimental-dump-help"],
                stdout=subprocess.PIPE, check=True).stdout
            self._tree = json.loads(dump)["command"]
        return self._tree

    def _typed(self, number, given):
        command, path = self.tree, ["keybackup"]
        options = self._options(command) | {"--help", "-h", "--version", "--generate-completion-script"}
        for position, word in enumerate(given):
            known = {sub["commandName"]: sub for sub in command.get("subcommands", [])}
            if word in known:
                command = known[word]
                path.append(word)
                options |= self._options(command)
                if word == "help":
                    return []
            elif word.startswith("-") and word != "-" and word != "--":
                name = word.split("=")[0]
                if name not in options and not re.fullmatch(r"-\d+", name) and "…" not in name:
                    return [f"{number}: {' '.join(path)} has no option {name}"]
            elif known and re.fullmatch(r"[a-z][a-z-]*", word) and not any(
                    other.startswith("-") for other in given[:position]):
                return [f"{number}: there is no command {' '.join(path)} {word}"]
        return []

    @staticmethod
    def _options(command):
        return {
            ("-" if name["kind"] == "short" else "--") + name["name"]
            for argument in command.get("arguments", []) for name in argument.get("names", [])}

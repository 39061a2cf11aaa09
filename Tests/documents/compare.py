"""Compares what a command showed with what a page says, and remembers which ID stands for which."""
import re

ID = re.compile(r"(?<![0-9a-zA-Z])(?=[0-9a-f]*[0-9])[0-9a-f]{8,}(?![0-9a-zA-Z])")
SPECIAL = re.compile(
    r"(?P<any>\s*…\s*)|(?P<date>\d{4}-\d\d-\d\d)|(?P<time>\d\d:\d\d(?::\d\d)?)|(?P<id>"
    + ID.pattern + r")|(?P<space>\s+)")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b[=>()][A-Z0-9]?")


def plain(screen):
    """A screen's text: no escapes, no carriage returns."""
    return ESCAPES.sub("", screen).replace("\r\n", "\n").replace("\r", "\n")


def words(text):
    return " ".join(text.split())


class IDs:
    """Which real ID stands for which of the page."""

    def __init__(self):
        self.pairs = []

    def real(self, shown):
        for page, actual in self.pairs:
            if page.startswith(shown) or shown.startswith(page):
                return actual[: len(shown)]
        return None

    def learn(self, shown, actual):
        """False if another one stands for it already, or it for another one."""
        known = self.real(shown)
        if known is not None:
            if known.startswith(actual) or actual.startswith(known):
                self.pairs.insert(0, (shown, actual))
                return True
            return False
        if any(other.startswith(actual) or actual.startswith(other) for _, other in self.pairs):
            return False
        self.pairs.append((shown, actual))
        return True

    def translate(self, command):
        return ID.sub(lambda match: self.real(match.group()) or match.group(), command)

    def matches(self, expected, screen):
        """Whether the screen shows what the page says; learns the IDs."""
        parts, shown = [], []
        text, last = words(expected), 0
        for match in SPECIAL.finditer(text):
            parts.append(re.escape(text[last:match.start()]))
            last = match.end()
            kind = match.lastgroup
            if kind == "any":
                parts.append(r"\s*.*?\s*")
            elif kind == "date":
                parts.append(r"\d{4}-\d\d-\d\d")
            elif kind == "time":
                parts.append(r"\d\d:\d\d(?::\d\d)?")
            elif kind == "id":
                parts.append(r"([0-9a-f]{%d,})" % min(8, len(match.group())))
                shown.append(match.group())
            else:
                parts.append(r"\s")
        parts.append(re.escape(text[last:]))
        found = re.fullmatch("".join(parts), words(screen), re.DOTALL)
        if not found:
            return False
        return all([self.learn(*pair) for pair in zip(shown, found.groups())])

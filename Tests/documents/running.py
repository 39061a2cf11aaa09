"""Runs a page and says where it is not so."""
from compare import IDs, plain
from page import Fence
from shell import question
from world import NEW_PIN, PIN, SceneError, World, WORDS
import re


class Person:
    """Answers the questions of one fence."""

    def __init__(self, world, typed):
        self.world, self.typed = world, [text.strip() for text in typed.split("|")] if typed else []
        self.begin()

    def begin(self):
        """The next command."""
        self.last, self.new_pin, self.unknown = "", None, ""
        self.gave_pin, self.answers = False, 0

    def answer(self, text, quiet):
        asked = question(plain(text))
        if not asked:
            return None
        known = self.known(asked)
        # An unknown question may be a line that is not finished yet.
        if known is None and quiet < 3 or quiet < 0.1:
            return None
        if self.typed:
            known = self.typed.pop(0)
            known = self.world.pin if known == "PIN" else known
        elif known is None or self.answers == 20:
            self.unknown = asked
            return None
        if self.is_new_pin(asked):
            self.new_pin = known
        elif "PIN" in asked:
            self.gave_pin = True
        self.last = known
        self.answers += 1
        return known

    @staticmethod
    def is_new_pin(asked):
        return re.search(r"new pin.*: ?$", asked, re.I) and "again" not in asked

    def known(self, asked):
        if self.is_new_pin(asked):
            # Another one where there was one.
            return NEW_PIN if self.gave_pin and self.world.pin != NEW_PIN else PIN
        if "again" in asked:
            return self.last
        if re.search(r"\bPIN\b.*: ?$", asked):
            return self.world.pin
        if re.search(r"recovery code.*: ?$", asked, re.I) and self.world.code:
            return self.world.code
        if re.search(r"words.*\(hidden\): ?$", asked):
            return WORDS
        if asked.rstrip().endswith("[y/N]"):
            return "y"
        return None


class Runner:
    def __init__(self, page, repository, keybackup, virtual_key, verbose=False):
        self.page, self.commands, self.verbose = page, 0, verbose
        self.programs = (repository, keybackup, virtual_key)
        self.ids, self.new_outputs = IDs(), []

    def run(self, update=False):
        """The problems of the page, each with its line."""
        if not any(fence.kind == "run" for fence in self.page.fences):
            return []
        world = World(*self.programs)
        try:
            world.set(self.page.scene)
            problems = []
            for step in self.page.steps:
                if isinstance(step, Fence):
                    if step.kind == "run":
                        problems += self.fence(world, step, update)
                else:
                    problems += self.mark(world, *step)
                if problems and not update:
                    break
            return problems
        except SceneError as error:
            return [f"1: {error}"]
        finally:
            world.close()
            if update:
                self.write()

    def typed(self, command, world):
        """A command of the page as it is run: with the real IDs and the real home."""
        return self.ids.translate(command).replace("/home/alice", world.home())

    def mark(self, world, name, value, line):
        names = [word.strip() for word in value.split(",") if word.strip()]
        if name == "keys":
            world.plug([] if names == ["none"] else names)
        elif name in ("computer", "apart"):
            world.go_to(value, synchronised=name == "computer")
        elif name == "together":
            world.bring_together()
        else:
            code, screen = world.shell.run(self.typed(value, world), Person(world, "").answer)
            if code != 0:
                return [f"{line}: the hidden commands ended with {code}\n{plain(screen)}"]
        return []

    def fence(self, world, fence, update):
        problems = []
        person = Person(world, fence.marks.get("typed", ""))
        for command in fence.commands:
            wanted = int(fence.marks.get("exits", 0)) if command is fence.commands[-1] else 0
            self.commands += 1
            person.begin()
            code, screen = world.shell.run(self.typed(command.text, world), person.answer)
            screen = world.shown(plain(screen))
            if self.verbose:
                print(f"$ {command.text}\n{screen}[{code}]")
            said = "\n".join("    " + line for line in screen.strip().split("\n"))
            if code is None:
                asked = f"; it asked: {person.unknown}" if person.unknown else ""
                return problems + [
                    f"{command.line + 1}: $ {command.text}\n  did not end{asked}. It showed:\n{said}"]
            if code != wanted:
                problems.append(
                    f"{command.line + 1}: $ {command.text}\n  ended with {code}, not {wanted}. It showed:\n{said}")
                break
            world.pin = person.new_pin or world.pin
            world.learn_code()
            expected = "\n".join(command.expected)
            if expected and not self.ids.matches(expected, screen):
                if update:
                    self.new_outputs.append((command, fence.indent, screen))
                    self.ids.matches(screen, screen)
                else:
                    shown = "\n".join("    " + line for line in command.expected)
                    problems.append(
                        f"{command.line + 1}: $ {command.text}\n  The page says:\n{shown}\n  It showed:\n{said}")
                    break
        if person.typed and not problems:
            problems.append(f"{fence.line}: nobody asked for: {' | '.join(person.typed)}")
        return problems

    def write(self):
        """Puts what was shown where the page said something else."""
        if not self.new_outputs:
            return
        lines = self.page.lines
        for command, indent, screen in reversed(self.new_outputs):
            shown = [(indent + line).rstrip() for line in screen.strip("\n").split("\n")]
            lines[command.first:command.end] = shown
        with open(self.page.path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))

"""Checks that every line of a file is an event of docs/events.schema.json.

Prints the events' names. Fields that the schema does not describe are errors here,
so that it stays complete, though readers must skip them.
"""

import argparse
import json
import pathlib
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("events", type=pathlib.Path)
    options = parser.parse_args()
    schema = json.loads((ROOT / "docs/events.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    text = options.events.read_text()
    if not text.endswith("\n"):
        sys.exit("the last line is not complete")
    for line in text.splitlines():
        event = json.loads(line)
        validator.validate(event)
        described = schema["$defs"][event["event"]]["properties"].keys() | {"schema"}
        if event.keys() - described:
            sys.exit(f"not in the schema: {event.keys() - described}")
        print(event["event"])


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""What the commands view, top, plot and diff share: options with a range, and messages in place of tracebacks."""
import argparse
import math
import sys

# what a run that is damaged, or that lacks what is asked for, leads to
FAILURES = (OSError, ValueError, KeyError, IndexError)


def whole(low, high):
    """A type for argparse: a whole number from low to high."""
    def read(text):
        try:
            value = int(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {low} to {high}")
        return value
    return read


def number(low=-math.inf, high=math.inf):
    """A type for argparse: a finite number from low to high."""
    def read(text):
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (low <= value <= high and math.isfinite(value)):
            bounds = "" if math.isinf(low) and math.isinf(high) else f" from {low:g} to {high:g}"
            raise argparse.ArgumentTypeError(f"{text!r} is no finite number{bounds}")
        return value
    return read


def refuse(error):
    """Print the message of an error, or a text. Returns the exit code."""
    text = error.args[0] if isinstance(error, KeyError) and error.args else error
    print(f"freshet: error: {text}", file=sys.stderr)
    return 2


def printable(text):
    """A text in one line: ? for characters such as a line feed."""
    return "".join(c if c.isprintable() else "?" for c in str(text))

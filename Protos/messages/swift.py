"""Swift as text: names, documentation, calls in lines of 110 columns."""
import re
import sys

WIDTH = 110
NOTICE = "// Made by Protos/generate: do not edit."
KEYWORDS = ("as", "case", "default", "extension", "import", "in", "is", "operator", "protocol", "repeat", "where")
# How long a text may be, by the word behind 'text', as CofferWire's Limits have it.
LIMITS_OF_TEXT = {"long": "text", "frame": "frame"}


def fail(text):
    sys.exit(f"Protos/messages: {text}")


def camel(name):
    first, *rest = name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def words(text, indent, prefix):
    """The text in lines that are as long as they may be."""
    lines, line = [], ""
    for word in text.split():
        if line and len(indent) + len(prefix) + len(line) + 1 + len(word) > WIDTH:
            lines.append(f"{indent}{prefix}{line}")
            line = word
        else:
            line = f"{line} {word}" if line else word
    return lines + [f"{indent}{prefix}{line}"]


def documentation(comment, indent="", last=""):
    """A documentation comment: the first sentence, what follows it, and `last`, each by itself."""
    comment = " ".join(comment.split())
    if comment.endswith(","):
        fail(f"a comment that ends with a comma does not stand alone: {comment}")
    comment = comment[:1].upper() + comment[1:]
    if not comment.endswith((".", "?", "!")):
        comment += "."
    first, _, rest = comment.partition(". ")
    paragraphs = [first + "."] + [rest] if rest else [comment]
    lines = []
    for paragraph in paragraphs + ([last] if last else []):
        lines += ([f"{indent}///"] if lines else []) + words(paragraph, indent, "/// ")
    return lines


def call(head, arguments, tail, indent):
    """A call or a signature; the arguments go to lines of their own where they do not fit behind the head."""
    whole = f"{indent}{head}{', '.join(arguments)}{tail}"
    if len(whole) <= WIDTH:
        return [whole]
    lines, line = [f"{indent}{head}"], ""
    own = tail[1:2] in (" ", ".", "?")  # What follows the parenthesis stands with it on a line.
    for index, argument in enumerate(arguments):
        end = "," if index + 1 < len(arguments) else "" if own else tail
        if line and len(indent) + 4 + len(line) + 1 + len(argument) + len(end) > WIDTH:
            lines.append(f"{indent}    {line}")
            line = argument + end
        else:
            line = f"{line} {argument}{end}" if line else argument + end
    lines.append(f"{indent}    {line}")
    return lines + ([f"{indent}{tail}"] if own else [])

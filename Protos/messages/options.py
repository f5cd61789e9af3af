"""What the options file says: what the protocol cannot say of its messages in Swift."""
import re
from pathlib import Path

from swift import fail

LIMITS = ("small", "request", "model", "container", "rows")


class Options:
    """What the options file says: declarations by the names of the protocol."""

    def __init__(self, path):
        self.messages, self.enums, self.others, self.by_hand = {}, {}, {}, set()
        self.first_cases, self.enums_with_zero = {}, set()
        fields = None
        for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
            self.place = f"{path}:{number}"
            text = line.split("#")[0].rstrip()
            if not text:
                continue
            if text.startswith(" "):
                if fields is None:
                    fail(f"{self.place}: a field of no message")
                match = re.fullmatch(r"\s+(\w+)(?:\s+(\w+))?(?:\s*:\s*([^=]+?))?(?:\s*=\s*(.+))?", text)
                if not match:
                    fail(f"{self.place}: not a field: {text.strip()}")
                name, swift, kind, default = match.groups()
                if name in fields:
                    fail(f"{self.place}: {name} is there twice")
                fields[name] = {"swift": swift, "kind": kind or "", "default": default, "place": self.place}
                continue
            fields = None
            if text.startswith("hand "):
                self.by_hand |= set(text.split()[1:])
                continue
            keyword, name, *rest = text.split() + ["", ""]
            rest = [word for word in rest if word]
            if name in self.messages | self.enums | self.others:
                fail(f"{self.place}: {name} is there twice")
            if not name or keyword != "message" and not rest:
                fail(f"{self.place}: not whole: {text}")
            if keyword == "message":
                fields = {}
                self.messages[name] = {"lines": fields, "place": self.place, **self.flags(rest)}
            elif keyword == "enum":
                self.enums[name] = {"swift": rest[-1], "maps": rest[0] == "maps"}
            elif keyword == "other":
                _, _, swift = rest[0].rpartition("CofferModel.")
                wrapper = rest[2] if rest[1:2] == ["in"] else None
                self.others[name] = {"swift": swift, "is_outside": rest[0] != swift, "wrapper": wrapper}
            else:
                fail(f"{self.place}: neither message nor enum nor other nor hand: {keyword}")

    def flags(self, rest):
        flags = {"limit": None, "later": None, "set": None, "as": None}
        rest = list(rest)
        while rest:
            word = rest.pop(0)
            if word in LIMITS:
                flags["limit"] = word
            elif word in ("later", "set", "as") and rest:
                flags[word] = rest.pop(0)
            elif word == "maps" and rest:
                flags["as"], flags["maps"] = rest.pop(0), True
            elif word in ("checked", "hashable", "fields"):
                flags[word] = True
            else:
                fail(f"{self.place}: unknown word '{word}'")
        return flags

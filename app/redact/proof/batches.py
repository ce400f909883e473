"""Looks for secrets in batches of cases, with the readings of detect.py.

usage: batches.py < LINES    one JSON object a line:
    {"executions": [{"cases": [{"case", "secret", "out", "json", "depth"}],
                     "made", "page", "answer"}],
     "pages": [], "files": []}

Answers each line with one: {"looked": how many cases, "found": [{"case", "where"}]}.

It decodes the output of a case, each text of the page that shows it and each string of the agent's
answer as deep as the secret was encoded. It searches everything, also the files on the disk, for
each secret of the batch in one encoding.
"""
import array
import collections
import html
import json
import re
import sys

import detect

TIME = re.compile(r"\d{1,2} [A-Z][a-z]{2} \d{4}, [0-9:.]+ UTC|\d{4}-\d\d-\d\dT[0-9:.]+Z")
COLOUR = re.compile(r"</?i\b[^>]*>")
TAG = re.compile(r"<[^>]*>")
SHORTEST = 8  # characters of the shortest needle of detect.py


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for v in value:
            yield from strings(v)
    elif isinstance(value, dict):
        for k, v in value.items():
            yield k
            yield from strings(v)


def encoded(text):
    return text.encode("utf-8", "replace")


def lines(secret):
    """Returns the lines of a secret without a key's armour."""
    return [line for line in secret.splitlines() if not line.startswith("-----")]


def spellings(secret):
    yield from detect.spellings(secret)
    yield "json u, escaped", b"".join(b"\\\\u%04x" % b for b in secret.encode())
    escaped = html.escape(secret, quote=False).replace('"', "&#34;").replace("'", "&#39;")
    yield "html numbers", escaped.encode()
    escaped = json.dumps(secret, ensure_ascii=False)[1:-1]
    for char in "&<>":
        escaped = escaped.replace(char, "\\u%04x" % ord(char))
    yield "json, html escaped", escaped.encode()


class Sieve:
    """Searches for all spellings of all secrets at once.

    Every run of 11 bytes has a whole word of 8 that begins at a multiple of 4. So the words at such
    places tell which spellings may be there, and then it searches for those.
    """

    def __init__(self, secrets):
        self.words = {}
        for case, secret in secrets:
            for line in lines(secret):
                for name, needle in spellings(line):
                    if len(needle) < 11:
                        raise ValueError("a secret of case %d is too short" % case)
                    for at in range(4):
                        word = int.from_bytes(needle[at : at + 8], sys.byteorder)
                        self.words.setdefault(word, set()).add((case, name, needle))

    def find(self, data):
        seen = set()
        for skip in (0, 4):
            words = array.array("Q")
            words.frombytes(data[skip : skip + (len(data) - skip) // 8 * 8])
            for word in self.words.keys() & words:
                seen |= self.words[word]
        return {(case, name) for case, name, needle in seen if needle in data}


class Detector:
    def __init__(self):
        # texts of several pages or answers of an earlier batch, without the secrets of this one
        self.known = set()

    def batch(self, batch):
        looked, found, fresh = 0, [], collections.Counter()
        for x in batch["executions"]:
            looked += len(x["cases"])
            found += self.execution(x, fresh)
        self.known.update(text for text, times in fresh.items() if times > 1)
        sieve = Sieve((c["case"], c["secret"]) for x in batch["executions"] for c in x["cases"])
        for name, data in everything(batch):
            for case, spelling in sorted(sieve.find(data)):
                found.append({"case": case, "where": "%s: %s" % (name, spelling)})
        return {"looked": looked, "found": found}

    def execution(self, x, fresh):
        done = set()
        for case in x["cases"]:
            texts = outs(case)
            yield from looks("out", texts, [case])
            done.update(texts)
        yield from looks("page", [t for t in self.page(x, fresh) if t not in done], x["cases"])
        yield from looks("answer", [t for t in self.answer(x, fresh) if t not in done], x["cases"])

    def page(self, x, fresh):
        """Yields the texts between tags, except in known fragments, and drops those from the page.

        Tags that colour Python don't end a text.
        """
        fragments = COLOUR.sub("", without(x["made"], x["page"])).split("<")
        fragments = [f for f in fragments if f not in self.known]
        fresh.update(set(fragments))
        x["page"] = "<" + "<".join(fragments)
        for text in TAG.split(x["page"]):
            yield from of_json(html.unescape(text))

    def answer(self, x, fresh):
        answer = json.loads(without(x["made"], x["answer"]))
        texts = set(each(answer.pop("result", None))) | set(strings(answer))
        texts -= self.known
        fresh.update(texts)
        return texts


def without(made, text):
    """Removes random names, which would be read as encodings of something."""
    for name in made:
        text = text.replace(name, "")
    return text


def looks(name, texts, cases):
    """Yields the cases that leak in texts."""
    deepest = max(c["depth"] for c in cases)
    all_of_them = detect.seeker([c["secret"] for c in cases])
    for text in texts:
        if len(text) < SHORTEST or TIME.fullmatch(text):
            continue
        raw = encoded(text)
        if len(cases) > 1 and not detect.look(raw, all_of_them, deepest):
            continue
        for c in cases:
            hit = detect.look(raw, detect.seeker([c["secret"]]), deepest)
            if hit:
                yield {"case": c["case"], "where": "%s: %s" % (name, hit)}


def pieces(value):
    """Returns the strings of a JSON value, and all of them joined."""
    parts = list(strings(value))
    return parts + ["".join(parts)]


def each(value):
    """Yields the pieces of each element of a list, or else of the value."""
    for v in value if isinstance(value, list) else [value]:
        yield from pieces(v)


def outs(case):
    """Returns the texts that the redactor let out."""
    return pieces(json.loads(case["out"][0])) if case["json"] else case["out"]


def of_json(text):
    """Returns the strings of a text that is JSON, or else the text."""
    if text[:1] in ("[", "{"):
        try:
            return list(each(json.loads(text)))
        except ValueError:
            pass
    return [text]


def everything(batch):
    """Yields all bytes with a name, as they are and as a browser reads them.

    What pages have in common is left out.
    """
    pages = "\n".join([x["page"] for x in batch["executions"]] + batch["pages"])
    yield "pages", encoded(pages)
    yield "pages, unescaped", encoded(html.unescape(pages))
    yield "pages, without tags", encoded(html.unescape(TAG.sub("", pages)))
    yield "answers", encoded("\n".join(x["answer"] for x in batch["executions"]))
    for path in batch["files"]:
        with open(path, "rb") as f:
            yield path.rpartition("/")[2], f.read()


def main():
    detector = Detector()
    for line in sys.stdin:
        print(json.dumps(detector.batch(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()

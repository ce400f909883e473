"""Looks for secrets in batches of cases, with the readings of detect.py.

usage: batches.py < LINES    one JSON object a line:
                             {"executions": [{"cases": [{"case", "secret", "out", "json", "depth"}], "made", "page", "answer"}], "pages": [], "files": []}

Answers each line with one: {"looked": how many cases, "found": [{"case", "where"}]}.

What came out of a case, each text of the page that shows it and each string of the agent's answer are read as deep as the secret was written. Everything
there is, the files on the disk among it, is searched for each secret of the batch in one encoding.
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
SHORTEST = 8  # characters: no needle of detect.py has fewer


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
    """What counts of a secret: a key without its armour."""
    return [line for line in secret.splitlines() if not line.startswith("-----")]


def spellings(secret):
    yield from detect.spellings(secret)
    yield "json u, escaped", b"".join(b"\\\\u%04x" % b for b in secret.encode())
    escaped = html.escape(secret, quote=False).replace('"', "&#34;").replace("'", "&#39;")
    yield "html numbers", escaped.encode()
    yield "json, html escaped", json.dumps(secret, ensure_ascii=False)[1:-1].replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e").encode()


class Sieve:
    """All spellings of all secrets at once. Every run of 11 bytes has a whole word of 8 that begins at a multiple of 4, so words at such places tell where a
    spelling may be; then it is looked for itself."""

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
        self.known = set()  # what several pages or answers of an earlier batch had, which didn't know the secrets of this one

    def batch(self, batch):
        looked, found, fresh = 0, [], collections.Counter()
        for x in batch["executions"]:
            looked += len(x["cases"])
            found += self.execution(x, fresh)
        self.known.update(text for text, times in fresh.items() if times > 1)
        sieve = Sieve((c["case"], c["secret"]) for x in batch["executions"] for c in x["cases"])
        for name, data in everything(batch):
            found += ({"case": case, "where": "%s: %s" % (name, spelling)} for case, spelling in sorted(sieve.find(data)))
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
        """What stands between tags, except in fragments that are known. The execution keeps those that aren't.

        Tags that colour Python don't end a text."""
        fragments = [f for f in COLOUR.sub("", without(x["made"], x["page"])).split("<") if f not in self.known]
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
    """Of random names, which would be read as encodings of something."""
    for name in made:
        text = text.replace(name, "")
    return text


def looks(name, texts, cases):
    """The cases that leak in texts."""
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
    """The strings of a JSON value, and these put together."""
    parts = list(strings(value))
    return parts + ["".join(parts)]


def each(value):
    """The pieces of each element of a list, as those of several results, or else of the value."""
    for v in value if isinstance(value, list) else [value]:
        yield from pieces(v)


def outs(case):
    """What the redactor let out."""
    return pieces(json.loads(case["out"][0])) if case["json"] else case["out"]


def of_json(text):
    """The strings of a text that is JSON, or else the text."""
    if text[:1] in ("[", "{"):
        try:
            return list(each(json.loads(text)))
        except ValueError:
            pass
    return [text]


def everything(batch):
    """All bytes but what pages have in common, with a name: as they are, and as a browser would read them."""
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

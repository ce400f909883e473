"""Has the agent's model write two sentences about figures, and checks them.

Needs no keys and no hosts.
inputs: {"title": "Revenue", "figures": {"January": "10.50", "February": "20.25"}}

The model may choose words, never numbers. The script refuses an answer with other numbers than
those in the figures once, then writes a sentence without a model.
"""

import re
from decimal import Decimal

from airlock import inputs, llm, set_result

figures = {name: Decimal(value) for name, value in inputs["figures"].items()}
total = sum(figures.values())
known = {str(value) for value in figures.values()} | {str(total), str(len(figures))}
listing = "\n".join("%s: %s" % item for item in figures.items())


def summary():
    prompt = "Sum up %s in at most two sentences. Use no numbers but these.\n" % inputs["title"]
    prompt += "%s\nTotal: %s" % (listing, total)
    for attempt in (1, 2):
        try:
            text = llm.complete(prompt)
        except llm.Error as error:
            print("no model:", error)
            break
        invented = sorted(set(re.findall(r"\d+(?:\.\d+)?", text)) - known)
        if not invented:
            return text, "model"
        print("attempt %d invented %s" % (attempt, ", ".join(invented)))
        prompt += "\nYour last answer had numbers that are not there: %s." % ", ".join(invented)
    return "%s is %s in total." % (inputs["title"], total), "script"


text, by = summary()
set_result({"total": total, "summary": text, "written_by": by})

set -eu
text=$(printf '%s' "$SANDBOX_INPUT" | python3 -c 'import json, sys; print(json.load(sys.stdin)["text"])')
printf '{"lines": %d, "words": %d, "characters": %d}\n' \
  "$(printf '%s\n' "$text" | wc -l)" "$(printf '%s' "$text" | wc -w)" "$(printf '%s' "$text" | wc -m)" >"$SANDBOX_OUTPUT"

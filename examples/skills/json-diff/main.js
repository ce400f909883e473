const fs = require("fs");

const { before, after } = JSON.parse(process.env.SANDBOX_INPUT);
const differences = [];

function compare(path, a, b) {
  const nested = a && b && typeof a === "object" && typeof b === "object" && Array.isArray(a) === Array.isArray(b);
  if (!nested) {
    if (a !== b) differences.push({ path, before: a ?? null, after: b ?? null });
    return;
  }
  for (const key of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
    compare(`${path}/${key}`, a[key], b[key]);
  }
}

compare("", before, after);
fs.writeFileSync(process.env.SANDBOX_OUTPUT, JSON.stringify(differences));

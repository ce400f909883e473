// usage: node client.mjs ENDPOINT PROFILE. Prints the tools' names and what a script returned, as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [endpoint, profile] = process.argv.slice(2);
const transport = new StreamableHTTPClientTransport(new URL(endpoint), {
  requestInit: { headers: { Authorization: `Bearer ${profile}` } },
});
const client = new Client({ name: "foreign", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
let reports = 0;
const script = "import time\ntime.sleep(6)\nset_result(['done'])";
const ran = await client.callTool({ name: "execute", arguments: { script } }, undefined, {
  onprogress: () => reports++,
  resetTimeoutOnProgress: true,
  timeout: 50_000,
});
console.log(JSON.stringify({ tools: tools.map((t) => t.name), reports, text: ran.content[0].text, structured: ran.structuredContent, isError: ran.isError ?? false }));
await client.close();

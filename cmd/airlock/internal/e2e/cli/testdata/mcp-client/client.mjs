// usage: node client.mjs ENDPOINT PROFILE. Prints the tools' names and what a script with two questions returned, as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [endpoint, profile] = process.argv.slice(2);
const transport = new StreamableHTTPClientTransport(new URL(endpoint), {
  requestInit: { headers: { Authorization: `Bearer ${profile}` } },
});
const client = new Client({ name: "foreign", version: "1" }, { capabilities: { sampling: {} } });
client.setRequestHandler(CreateMessageRequestSchema, async (request) => ({
  role: "assistant",
  model: "m",
  content: { type: "text", text: request.params.messages[0].content.text.toUpperCase() },
}));
await client.connect(transport);
const { tools } = await client.listTools();
let reports = 0;
const script = "import time\na = llm.complete('first?')\nb = llm.complete('second?')\ntime.sleep(6)\nset_result([a, b])";
const ran = await client.callTool({ name: "execute", arguments: { script } }, undefined, {
  onprogress: () => reports++,
  resetTimeoutOnProgress: true,
  timeout: 50_000,
});
console.log(JSON.stringify({ tools: tools.map((t) => t.name), reports, text: ran.content[0].text, structured: ran.structuredContent, isError: ran.isError ?? false }));
await client.close();

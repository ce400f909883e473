// usage: node flow.js URL. The flow of an agent with a client whose types are generated from the instance's /openapi.json: whatever the document says wrongly does not compile.
// Prints the profile as one line of JSON, waits until a person has locked it, and prints what a script with a question returned.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };
type Execution = components["schemas"]["Execution"];

const [baseUrl] = process.argv.slice(2);
const airlock = createClient<paths>({ baseUrl });

function got<T>(answer: { data?: T; error?: components["schemas"]["Error"]; response: Response }): T {
  if (answer.error) throw new Error(`${answer.response.status} ${answer.error.error.code}: ${answer.error.error.hint}`);
  if (answer.data === undefined) throw new Error(`${answer.response.status} without a body`);
  return answer.data;
}

const created = got(await airlock.POST("/profiles", { body: { description: "Generated client" } }));
const path = { id: created.profile_id };
got(await airlock.POST("/profiles/{id}/keys", { params: { path }, body: { keys: [{ name: "API_TOKEN", description: "to be measured", mode: "injected", hosts: ["api.example.com"] }, { name: "OTHER" }] } }));
got(await airlock.DELETE("/profiles/{id}/keys/{name}", { params: { path: { ...path, name: "OTHER" } } }));
got(await airlock.POST("/profiles/{id}/hosts", { params: { path }, body: { hosts: [{ host: "api.example.com", reason: "data" }, "other.example.com:8443"] } }));
console.log(JSON.stringify({ profile: created.profile_id, setup: created.setup_url }));

let profile = created;
while (!profile.locked) profile = got(await airlock.GET("/profiles/{id}", { params: { path, query: { wait: 50 } } }));
const values = profile.keys.map((key) => key.value_exists);

const refused = await airlock.POST("/execute", { body: { profile_id: created.profile_id, script: "1", timeout: -1 } });
if (refused.error?.error.field !== "timeout") throw new Error(`a wrong timeout: ${JSON.stringify(refused.error)}`);

const script = "set_result([llm.complete('how?'), len(settings.get('API_TOKEN')) + inputs['n']])";
const submitted = got(await airlock.POST("/execute", { params: { header: { "Idempotency-Key": "once" } }, body: { profile_id: created.profile_id, script, timeout: 30, inputs: { n: 1 } } }));
const id = { id: submitted.execution_id };
let execution: Execution = got(await airlock.GET("/executions/{id}", { params: { path: id, query: { wait: 50 } } }));
while (execution.status === "pending" || execution.status === "running" || execution.status === "awaiting_llm") {
  if (execution.status === "awaiting_llm" && execution.llm_request) {
    got(await airlock.POST("/executions/{id}/respond", { params: { path: id }, body: { response: "well", request_id: execution.llm_request.request_id } }));
  }
  execution = got(await airlock.GET("/executions/{id}", { params: { path: id, query: { wait: 50 } } }));
}
const list = got(await airlock.GET("/executions", { params: { query: { limit: 5 } }, headers: { Authorization: `Bearer ${created.profile_id}` } }));
console.log(JSON.stringify({ status: execution.status, result: execution.result, values, listed: list.executions.length }));

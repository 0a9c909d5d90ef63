// Reduces what vendors publish of their requests to JSON Schema: names, types, what is
// required, what excludes what. Descriptions and examples are left out.
//
//   node reduce.mjs OUTPUT MODULE@VERSION MODULE-DIRECTORY
//
// Run it with scripts/vendor-schemas, which brings the packages.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createGenerator } from "ts-json-schema-generator";

const [output, googleModule, googleDirectory] = process.argv.slice(2);
const draft = "http://json-schema.org/draft-07/schema#";
const base64 = { type: "string", pattern: "^[A-Za-z0-9+/_-]*={0,2}$" };
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const versions = read("package.json").dependencies;

// write puts each definition that is referred to on a line of its own, so that a change
// can be reviewed.
function write(name, source, root, definitions) {
  const used = new Set([root]);
  for (const d of used) for (const [, ref] of JSON.stringify(definitions[d]).matchAll(/"#\/definitions\/([^"]*)"/g)) used.add(decodeURIComponent(ref));
  const lines = [...used].sort().map((d) => `    ${JSON.stringify(d)}: ${JSON.stringify(definitions[d])}`);
  const head = { $schema: draft, $comment: `Made by scripts/vendor-schemas from ${source}.`, $ref: "#/definitions/" + encodeURIComponent(root) };
  const fields = Object.entries(head).map(([k, v]) => `  ${JSON.stringify(k)}: ${JSON.stringify(v)},\n`).join("");
  writeFileSync(`${output}/${name}.json`, `{\n${fields}  "definitions": {\n${lines.join(",\n")}\n  }\n}\n`);
}

function source(name) {
  const times = JSON.parse(execFileSync("npm", ["view", `${name}@${versions[name]}`, "time", "--json"], { encoding: "utf8" }));
  return `the npm package ${name} ${versions[name]} of ${times[versions[name]].slice(0, 10)}`;
}

// Types of TypeScript: OpenAI, Anthropic, Mistral, AWS.

function patch(file, ...replacements) {
  writeFileSync(file, replacements.reduce((text, [from, to]) => text.replace(from, to), readFileSync(file, "utf8")));
}

// AWS writes "name: T | undefined" of what is required, and blobs are arrays of bytes
// there, which are base64 on the wire.
patch("node_modules/@aws-sdk/client-bedrock-runtime/dist-types/models/models_0.d.ts",
  [/^(\s+\w+): (.*) \| undefined;$/gm, "$1: $2;"],
  [/\bUint8Array\b/g, "string"]);
// A type that depends on what is asked of its details, which the generator can not.
patch("node_modules/@earendil-works/pi-ai/dist/types.d.ts",
  [/IsJsonCompatible<TDetails> extends true \? (\{[^}]*\}) : never;/, "$1;"],
  ["JsonRepresentation<TDetails>", "JsonValue"]);

writeFileSync("tsconfig.json", JSON.stringify({
  compilerOptions: { module: "nodenext", moduleResolution: "nodenext", target: "es2022", strict: true, skipLibCheck: true },
  files: ["requests.ts"],
}));

// edit goes through a schema from the leaves up.
function edit(schema, change) {
  if (Array.isArray(schema)) return schema.map((s) => edit(s, change));
  if (schema === null || typeof schema !== "object") return schema;
  return change(Object.fromEntries(Object.entries(schema).map(([k, v]) => [k, edit(v, change)])));
}

// elsewhere are fields that these types have and the body has not: a header, a part of
// the path.
const elsewhere = ["betas", "modelId"];
const bodyOnly = (s) => {
  if (!s.properties?.messages) return s;
  const properties = Object.fromEntries(Object.entries(s.properties).filter(([k]) => !elsewhere.includes(k)));
  return { ...s, properties, required: s.required?.filter((r) => !elsewhere.includes(r)) };
};

function fromTypes(name, type, pkg, change = (s) => s) {
  const { definitions } = createGenerator({
    path: "requests.ts", tsconfig: "tsconfig.json", type, skipTypeCheck: true, jsDoc: "none", additionalProperties: false, expose: "all",
  }).createSchema(type);
  write(name, source(pkg), type, edit(definitions, (s) => bodyOnly(change(s))));
}

// A union of AWS has a member for what later versions may add.
const known = (s) => (s.anyOf ? { ...s, anyOf: s.anyOf.filter((m) => !m.$ref?.includes("UnknownMember")) } : s);
// The types of what Mistral's library sends require what it fills with a default value;
// the input types of the same library leave these out.
const defaults = ["prefix", "index", "type", "safe_prompt", "parallel_tool_calls", "strict"];
const filled = (s) => (Array.isArray(s.required) ? { ...s, required: s.required.filter((r) => !defaults.includes(r) || s.properties[r].const) } : s);

fromTypes("openai-chat-completions", "ChatCompletions", "openai");
fromTypes("openai-responses", "Responses", "openai");
fromTypes("anthropic-messages", "Messages", "@anthropic-ai/sdk");
fromTypes("mistral-chat", "Mistral", "@mistralai/mistralai", filled);
fromTypes("bedrock-converse-stream", "Converse", "@aws-sdk/client-bedrock-runtime", known);
fromTypes("pi-messages", "PiMessages", "@earendil-works/pi-ai");

// Google's public API, of its protocol buffers in the JSON mapping that they define.

const scalars = {
  string: { type: "string" }, bool: { type: "boolean" }, bytes: base64, float: { type: "number" }, double: { type: "number" },
  int32: { type: "integer" }, uint32: { type: "integer" }, int64: { type: ["integer", "string"] }, uint64: { type: ["integer", "string"] },
  "google.protobuf.Struct": { type: "object" }, "google.protobuf.Value": {}, "google.protobuf.ListValue": { type: "array" },
  "google.protobuf.Duration": { type: "string" }, "google.protobuf.Timestamp": { type: "string" },
};

function fromProtos(name, namespace, request, path, pkg) {
  const find = (from, type) => type.split(".").reduce((n, part) => n?.nested?.[part], from);
  const root = read(path);
  const definitions = {};
  // refer resolves a name as protocol buffers do, from the inner scope outwards.
  function refer(type, scopes) {
    if (scalars[type]) return scalars[type];
    for (let depth = scopes.length; depth >= 0; depth--) {
      const full = [...scopes.slice(0, depth), type].join(".");
      const found = find(root, full);
      if (found) return define(full, found);
    }
    throw new Error(`${type} is not known in ${scopes.join(".")}`);
  }
  function define(full, message) {
    if (message.values) return { enum: Object.keys(message.values) };
    if (!definitions[full]) {
      definitions[full] = {}; // a message may hold itself
      const properties = {}, required = [];
      for (const [field, f] of Object.entries(message.fields)) {
        const one = refer(f.type, full.split("."));
        const key = f.options?.json_name ?? field;
        properties[key] = f.keyType ? { type: "object", additionalProperties: one } : f.rule === "repeated" ? { type: "array", items: one } : one;
        if (f.options?.["(google.api.field_behavior)"] === "REQUIRED") required.push(key);
      }
      const choices = Object.values(message.oneofs ?? {}).map((o) => o.oneof).filter((o) => o.length > 1);
      const atMostOne = (names) => {
        const each = names.map((n) => ({ required: [n] }));
        return { oneOf: [{ not: { anyOf: each } }, ...each] };
      };
      definitions[full] = { type: "object", properties, required, additionalProperties: false, ...(choices.length ? { allOf: choices.map(atMostOne) } : {}) };
    }
    return { $ref: "#/definitions/" + full };
  }
  const { $ref } = refer(request, namespace.split("."));
  const full = $ref.slice("#/definitions/".length);
  const body = definitions[full]; // the model is in the path
  delete body.properties.model;
  body.required = body.required.filter((r) => r !== "model");
  write(name, source(pkg), full, definitions);
}

fromProtos("google-generate-content", "google.ai.generativelanguage.v1beta", "GenerateContentRequest",
  "node_modules/@google-ai/generativelanguage/build/protos/protos.json", "@google-ai/generativelanguage");

// Google's cloud, of its discovery document.

function fromDiscovery(name, document, request, from) {
  const all = read(document), definitions = {};
  function reduce(s) {
    if (s.$ref) {
      if (!definitions[s.$ref]) {
        definitions[s.$ref] = {};
        definitions[s.$ref] = reduce(all.schemas[s.$ref]);
      }
      return { $ref: "#/definitions/" + s.$ref };
    }
    if (s.type === "any") return {};
    if (s.format === "byte") return base64;
    if (s.enum) return { enum: s.enum };
    if (s.format === "int64") return { type: ["integer", "string"] };
    if (s.type === "array") return { type: "array", items: reduce(s.items) };
    if (s.type !== "object") return { type: s.type };
    if (!s.properties) return { type: "object", additionalProperties: s.additionalProperties ? reduce(s.additionalProperties) : true };
    const properties = Object.fromEntries(Object.entries(s.properties).map(([k, v]) => [k, reduce(v)]));
    return { type: "object", properties, additionalProperties: false };
  }
  reduce({ $ref: request });
  write(name, `the discovery document ${all.id}, revision ${all.revision}, in the Go module ${from}`, request, definitions);
}

fromDiscovery("vertex-generate-content", `${googleDirectory}/aiplatform/v1/aiplatform-api.json`, "GoogleCloudAiplatformV1GenerateContentRequest", googleModule);

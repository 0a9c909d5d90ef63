// Drives a program in rpc mode through the reference's client class and prints
// what came of each call, one JSON object a line.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { PI_INTEROP_PACKAGE: pkg, PI_UNDER_TEST: binary, SCRATCH: scratch } = process.env;
const { RpcClient } = await import(pathToFileURL(join(pkg, "dist/modes/rpc/rpc-client.js")).href);

// The class starts a JavaScript file, so here is one that becomes the program.
const shim = join(scratch, "shim.cjs");
writeFileSync(shim, `
const child = require("node:child_process").spawn(${JSON.stringify(binary)}, process.argv.slice(2), { stdio: "inherit" });
child.on("exit", (code) => process.exit(code ?? 1));
process.on("SIGTERM", () => child.kill("SIGTERM"));
`);

const client = new RpcClient({ cliPath: shim, cwd: process.cwd(), provider: "mock", model: "m" });
await client.start();
// What goes over the wire, to see that no command is left out.
const sent = new Set();
const send = client.send;
client.send = function (command, ...rest) {
  sent.add(command.type);
  return send.call(this, command, ...rest);
};
const say = (name, value) => console.log(JSON.stringify({ name, value: value === undefined ? null : value }));
const run = async (name, ...args) => {
  try {
    const value = await client[name](...args);
    say(name, value);
    return value;
  } catch (error) {
    say(name, { error: String(error.message ?? error) });
  }
};

const state = await run("getState");
const events = await client.promptAndWait("one");
say("events", events.map((e) => e.type).filter((t, i, all) => all.indexOf(t) === i));
await run("getLastAssistantText");
await run("getMessages");
await run("getSessionStats");
await run("bash", "echo mine; exit 4");
await run("abortBash");
await run("abort");
await run("abortRetry");
await run("getAvailableModels");
await run("setModel", "mocka", "a");
await run("cycleModel");
await run("setModel", "mock", "m");
await run("getAvailableThinkingLevels");
await run("cycleThinkingLevel");
await run("setThinkingLevel", "high");
await run("setSteeringMode", "all");
await run("setFollowUpMode", "all");
await run("setAutoCompaction", false);
await run("setAutoRetry", true);
await run("setSessionName", "my work");
const image = { type: "image", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==", mimeType: "image/png" };
await run("steer", "left", [image]);
await run("followUp", "then");
await run("clearQueue");
const entries = await run("getEntries");
await run("getEntries", entries.leafId);
await run("getTree");
await run("compact", "the end");
await run("compact"); // there is nothing left to sum up
await run("getCommands");
const points = await run("getForkMessages");
await run("exportHtml", join(scratch, "page.html"));
await run("clone");
await run("fork", points[0].entryId);
await run("newSession", state.sessionFile);
await run("switchSession", state.sessionFile);
await run("getState");
say("commands", [...sent].sort());
await client.stop();

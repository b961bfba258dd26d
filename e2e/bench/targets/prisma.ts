// The yardstick that is written with Prisma, in a folder with packages of its own: the workspace doesn't need 300 MB for it.
// In: nothing. Out: its program; null where npm can't install it.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const folder = join(import.meta.dirname, "prisma");

export function installedPrisma(): string | null {
  console.error("installing Prisma for its yardstick");
  // Generating the client needs no engine: whatever is named here keeps one from being fetched.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
  const run = (command: string, args: readonly string[]): boolean => {
    const { status, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: "utf8" });
    if (status !== 0) console.error(`Prisma is left out: ${stderr}`);
    return status === 0;
  };
  const isReady =
    run("npm", ["ci", "--no-audit", "--no-fund"]) && run("npx", ["prisma", "generate", "--schema", "schema.prisma"]);
  return isReady ? join(folder, "server.mjs") : null;
}

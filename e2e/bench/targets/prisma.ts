// The target that is written with Prisma, in a folder with its own packages, because the workspace doesn't need these
// 300 MB. In: nothing. Out: its program; null if npm can't install it.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const folder = join(import.meta.dirname, "prisma");

export function installedPrisma(): string | null {
  console.error("installing Prisma for W5");
  // Generating the client needs no engine. Any value here prevents the download of one.
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

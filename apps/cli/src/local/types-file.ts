// The SDK types beside an app, kept up to date. In: a file, and the types of what is served. Out: the file, written only where it
// differs, so that no editor or bundler wakes for nothing. It never replaces a file that isn't one of ours.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";

/** How each of ours begins. */
const MARK = "// Types of the project ";

/** A declaration file: TypeScript takes `import type { Shop } from "./shop.gen.d.ts"` with every module setting. */
export function typesFileBeside(blueprint: string): string {
  return join(dirname(blueprint), `${basename(blueprint, extname(blueprint))}.gen.d.ts`);
}

export type TypesWritten = { readonly kind: "current" } | { readonly kind: "failed"; readonly reason: string };

export function writeTypes(file: string, types: string): TypesWritten {
  try {
    const before = read(file);
    if (before === types) return { kind: "current" };
    if (before !== null && !before.startsWith(MARK)) {
      return { kind: "failed", reason: "it is there and not written by Plinth; --types FILE names another one" };
    }
    writeFileSync(file, types);
    return { kind: "current" };
  } catch (error) {
    return { kind: "failed", reason: String(error) };
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

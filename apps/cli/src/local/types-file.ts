// Keeps the SDK types next to an app up to date. In: a file, and the types of the live version. Out: the file, written only if it
// differs, so that editors and bundlers don't run for nothing. It never replaces a file that Plinth didn't write.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";

/** The first words of each of our files. */
const MARK = "// Types of the project ";

/** A declaration file: TypeScript accepts `import type { Shop } from "./shop.gen.d.ts"` with every module setting. */
export function typesFileBeside(blueprint: string): string {
  return join(dirname(blueprint), `${basename(blueprint, extname(blueprint))}.gen.d.ts`);
}

export type TypesWritten = { readonly kind: "current" } | { readonly kind: "failed"; readonly reason: string };

export function writeTypes(file: string, types: string): TypesWritten {
  try {
    const before = read(file);
    if (before === types) return { kind: "current" };
    if (before !== null && !before.startsWith(MARK)) {
      return { kind: "failed", reason: "it exists, and Plinth didn't write it; --types FILE names another file" };
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

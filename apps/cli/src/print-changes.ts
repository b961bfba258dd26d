// Prints a diff. In: typed changes, and required consents. Out: lines in the order of the diff: each change with its classes and
// its witness, then the number of changes of each class.
import type { Change, ChangeClass } from "@plinth/blueprint";
import { type Colour, HELD_BLANK, type Terminal, wrap } from "./terminal.ts";

const colours: Readonly<Record<ChangeClass, Colour>> = {
  unsupported: "red",
  destructive: "red",
  loosens_access: "yellow",
  widens_egress: "yellow",
  breaking: "red",
  data_dependent: "yellow",
  rewrite: "blue",
  backfill: "blue",
  online: "blue",
  safe: "green",
};

/** `indent`: spaces before every line. */
export function printChanges(terminal: Terminal, changes: readonly Change[], indent = ""): void {
  const { out } = terminal;
  if (changes.length === 0) out(`${indent}Nothing changes.`);
  for (const change of changes) printChange(terminal, change, indent);
  if (changes.length > COUNTED_FROM) out(wrap(terminal, `${indent}${countsOf(terminal, changes)}`, `${indent}    `));
}

export function printConsents({ out, paint }: Terminal, consents: readonly string[]): void {
  if (consents.length === 0) return;
  out("");
  out(paint("bold", "An approval needs these consents:"));
  for (const consent of consents) out(`  ${consent}`);
}

/** A shorter list needs no counts. */
const COUNTED_FROM = 5;

function printChange(terminal: Terminal, { classes, summary, witness }: Change, indent: string): void {
  const { out, paint } = terminal;
  const words = classes.map((name) => paint(colours[name], name.replaceAll("_", HELD_BLANK))).join(", ");
  out(wrap(terminal, `${indent}${plain(summary)} [${words}]`, `${indent}    `));
  if (witness === undefined) return;
  out(wrap(terminal, `${indent}    ${paint("yellow", "!")} ${plain(witness.summary)}`, `${indent}      `));
  for (const [name, value] of Object.entries(witness.record ?? {}))
    out(`${indent}      ${name}: ${JSON.stringify(value)}`);
}

/** "12 changes: 1 destructive, 3 breaking, 8 safe". */
function countsOf({ paint }: Terminal, changes: readonly Change[]): string {
  const counts = (Object.keys(colours) as ChangeClass[]).flatMap((name) => {
    const count = changes.filter(({ classes }) => classes.includes(name)).length;
    return count === 0 ? [] : [`${count} ${paint(colours[name], name.replaceAll("_", HELD_BLANK))}`];
  });
  return `${paint("bold", `${changes.length} changes`)}: ${counts.join(", ")}`;
}

/** Backticks disturb in a terminal. */
export function plain(text: string): string {
  return text.replaceAll("`", "");
}

// A diff for a person. In: typed changes, and what they owe. Out: lines, the gravest change of each entity first, with the
// witness of what is laid open.
import type { Change, ChangeClass } from "@plinth/blueprint";
import type { Colour, Terminal } from "./terminal.ts";

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

export function printChanges({ out, paint }: Terminal, changes: readonly Change[]): void {
  if (changes.length === 0) out("Nothing changes.");
  for (const { classes, summary, witness } of changes) {
    const words = classes.map((name) => paint(colours[name], name.replaceAll("_", " "))).join(", ");
    out(`${summary.replaceAll("`", "")}  [${words}]`);
    if (witness === undefined) continue;
    out(`    ${paint("yellow", "!")} ${witness.summary.replaceAll("`", "")}`);
    for (const [name, value] of Object.entries(witness.record ?? {})) out(`      ${name}: ${JSON.stringify(value)}`);
  }
}

export function printConsents({ out, paint }: Terminal, consents: readonly string[]): void {
  if (consents.length === 0) return;
  out("");
  out(paint("bold", "Whoever approves this agrees to:"));
  for (const consent of consents) out(`  ${consent}`);
}

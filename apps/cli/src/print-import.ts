// Prints the result of an import. In: the imported blueprint. Out: on stderr the inventory as a table, then differences and
// omissions, grouped by kind and reason, and the permissions to review.
import { columns } from "./columns.ts";
import type { ImportNote, InventoryRow } from "./import/inventory.ts";
import type { ImportedBlueprint } from "./import/write/write-blueprint.ts";
import type { Terminal } from "./terminal.ts";

const titles: Readonly<Record<ImportNote["kind"], string>> = {
  unaccounted: "Unaccounted for:",
  left_out: "Left out:",
  changed: "Said differently:",
};

/** Names on one line. The JSON has all of them. */
const NAMES_MAX = 8;

export function printImport(terminal: Terminal, { inventory, proposals }: ImportedBlueprint): void {
  for (const kind of ["changed", "left_out", "unaccounted"] as const)
    printNotes(
      terminal,
      titles[kind],
      inventory.notes.filter((note) => note.kind === kind),
    );
  printTable(terminal, inventory.rows);
  const proposed = [...new Set(proposals.map((one) => `  ${one.entity}: ${one.role}, from ${one.from}`))];
  if (proposed.length > 0) {
    terminal.err(terminal.paint("bold", "Permissions to review (marked `review` in the blueprint):"));
    for (const line of proposed) terminal.err(line);
  }
  terminal.err("Otherwise only admin has access. Add the rules of other roles under `permissions:`.");
}

function printNotes(terminal: Terminal, title: string, notes: readonly ImportNote[]): void {
  if (notes.length === 0) return;
  terminal.err(terminal.paint("bold", title));
  const groups = new Map<string, ImportNote[]>();
  for (const note of notes) {
    const key = `${note.of}: ${note.text}`;
    groups.set(key, [...(groups.get(key) ?? []), note]);
  }
  for (const [reason, members] of groups) {
    const shown = members.slice(0, NAMES_MAX).map((note) => note.path);
    const more = members.length - shown.length;
    terminal.err(`  ${reason}\n    ${shown.join(", ")}${more > 0 ? ` and ${more} more (all with --json)` : ""}`);
  }
}

function printTable(terminal: Terminal, rows: readonly InventoryRow[]): void {
  const sum = (key: "found" | "expressed" | "changed" | "leftOut" | "unaccounted"): string =>
    String(rows.reduce((all, row) => all + row[key], 0));
  const cells = rows.map((row) => [
    row.kind,
    ...[row.found, row.expressed, row.changed, row.leftOut, row.unaccounted].map(String),
  ]);
  const table = [
    ["In the source", "found", "expressed", "differently", "left out", "unaccounted"],
    ...cells,
    ["all", sum("found"), sum("expressed"), sum("changed"), sum("leftOut"), sum("unaccounted")],
  ];
  for (const line of columns(terminal, table)) terminal.err(line);
}

// What came of a deployment, for whoever saved the file. In: the outcome. Out: lines, and whether the text is served now.

import { plain, printChanges } from "../print-changes.ts";
import { printDiagnostics } from "../print-diagnostics.ts";
import { mendLines, refusalText, violationLines } from "../print-refusals.ts";
import type { Terminal } from "../terminal.ts";
import { wrap } from "../terminal.ts";
import type { Deployed } from "./deploy.ts";

export interface Telling {
  /** Its `out` takes what is news, its `err` what went wrong. */
  readonly terminal: Terminal;
  readonly file: string;
  /** The project's address in the console. */
  readonly project: string;
}

export function tellDeployed({ terminal, file, project }: Telling, text: string, result: Deployed): boolean {
  const { out, err, paint } = terminal;
  const complain = (line: string): void => err(wrap(terminal, line, "    "));
  switch (result.kind) {
    case "unchanged":
      return true;
    case "deployed":
      printDiagnostics(terminal, file, text, result.diagnostics);
      out(`${paint("green", "Deployed")} ${file}:`);
      printChanges(terminal, result.changes, "  ");
      if (result.unfinished !== null) {
        complain(`It serves, but a step that runs beside it failed: ${result.unfinished}`);
        err(`  Try that step again: ${project}/deployments`);
      }
      return true;
    case "invalid":
      printDiagnostics(terminal, file, text, result.diagnostics);
      return false;
    case "refused":
      err(`${file} was not deployed, because no migration can be made:`);
      for (const reason of result.reasons) complain(`  ${refusalText(reason)}`);
      return false;
    case "violated":
      err(`${file} was not deployed, because records that stand already would break what it says:`);
      for (const line of result.violations.flatMap(violationLines)) err(`  ${line}`);
      err("  Change those records, or what the file asks of them.");
      for (const line of mendLines(result.fields)) err(`  ${line}`);
      return false;
    case "undecided":
      err(`${file} was not deployed, because it would drop data:`);
      for (const drop of result.drops) complain(`  ${plain(drop.summary)}`);
      if (result.drops.some(({ kind }) => kind === "field_removed"))
        err("  A field that only has another name keeps what it holds: write `was(old_name)` behind its type.");
      if (result.drops.some(({ kind }) => kind === "entity_removed"))
        err("  An entity that only has another name keeps its records: write `was: old_name` in it.");
      err(`  To drop it, agree to it here: ${project}/changes/${result.proposalId}`);
      return false;
    case "failed":
      complain(`${file} was not deployed: ${result.reason}`);
      return false;
  }
}

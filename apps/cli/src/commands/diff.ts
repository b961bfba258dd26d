// `plinth diff OLD NEW`. In: two blueprints. Out: the changes between them with their classes, and the required consents. It uses
// no database: `plinth plan` checks the effects on live data.
import { compileModel, type Proposed, proposeChange } from "@plinth/compiler";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { printChanges, printConsents } from "../print-changes.ts";
import { printRefused } from "../print-refusals.ts";
import { checkFile } from "../read-blueprint.ts";
import type { Terminal } from "../terminal.ts";

export async function diff(
  terminal: Terminal,
  before: string,
  after: string,
  options: { readonly json: boolean },
): Promise<ExitCode> {
  const proposed = await propose(terminal, before, after);
  const { changes, consents, refused } = proposed;
  if (options.json) terminal.out(JSON.stringify({ changes, consents, refused }));
  else {
    printChanges(terminal, changes);
    printConsents(terminal, consents);
    printRefused(terminal, refused);
  }
  return refused.length > 0 ? 1 : 0;
}

/** The content of a proposal of the second blueprint if the first is live. */
export async function propose(terminal: Terminal, before: string, after: string): Promise<Proposed> {
  // Warnings about the old version don't matter, because nobody will change it any more.
  const [old, model] = [await checkFile(terminal, before, { quiet: true }), await checkFile(terminal, after)];
  if (old === null || model === null) throw new CommandFailure("a blueprint with errors can't be compared");
  const live = { model: old, bundle: compileModel(old) };
  return proposeChange({ before: live, after: model, setAside: [], tag: "preview", author: "person" });
}

// `plinth diff OLD NEW`. In: two blueprints. Out: what changes between them, each change with what it does, and what whoever
// approves it agrees to. It asks nobody: what depends on data, `plinth plan` asks the live database.
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

/** What a proposal of the second blueprint would hold where the first is live. */
export async function propose(terminal: Terminal, before: string, after: string): Promise<Proposed> {
  // Nobody mends the version that is gone: what it only warned of doesn't matter any more.
  const [old, model] = [await checkFile(terminal, before, { quiet: true }), await checkFile(terminal, after)];
  if (old === null || model === null) throw new CommandFailure("a blueprint with errors can't be compared");
  const live = { model: old, bundle: compileModel(old) };
  return proposeChange({ before: live, after: model, setAside: [], tag: "preview", author: "person" });
}

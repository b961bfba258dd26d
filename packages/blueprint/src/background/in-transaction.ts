// Checks a step of a `sync` action, which is one transaction. In: the step. Out: nothing; it reports what can't be in a
// transaction. The caller waits for such an action, so it neither waits nor calls other services, and any failure rolls
// it back.
import { entryOf, type MapNode, type Word } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";

/** Kinds of actions that run elsewhere, or later. */
const outside: readonly string[] = [
  "wait",
  "wait_for",
  "approve",
  "worker.run",
  "http.request",
  "connector",
  "email.send",
  "email.send_receipt",
];

/** Keys that make a step wait, retry or undo, with the reason why they have no place here. */
const keys: Readonly<Record<string, string>> = {
  delay: "makes its caller wait",
  wait_for: "makes its caller wait",
  approval: "makes its caller wait",
  retry: "has no effect here: when a step fails, the whole action is rolled back",
  compensate: "has no effect here: when a step fails, the whole action is rolled back",
  max_parallel: "has no effect here: a transaction runs one step after the other",
};

const hint = "Add `mode: async` to the action: it then answers 202 with a run that the caller can follow.";

/** @param kind The kind of its action; null if there is no such action. */
export function refuseOutsideTransaction(
  { reader }: BackgroundContext,
  action: Word,
  map: MapNode,
  kind: string | null,
): void {
  // A step that only waits is named by its key.
  if (kind !== null && outside.includes(kind)) {
    const message = `\`${action.text}\` can't be part of a \`sync\` action, which is one transaction.`;
    reader.report.add("invalid_step", action.range, message, hint);
    return;
  }
  for (const [key, why] of Object.entries(keys)) {
    const entry = entryOf(map, key);
    if (entry !== undefined) reader.report.add("invalid_step", entry.key.range, `\`${key}\` ${why}.`, hint);
  }
}

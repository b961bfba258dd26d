// Which failures count as handled, for steps in handlers, lists and compensations.
import type { BundleStep } from "@plinth/bundle";
import type { StepStatus } from "@plinth/service";
import { expect, test } from "vitest";
import { handledSteps } from "./handled-steps.ts";
import { stepOf } from "./testing/work-cell.ts";

const note = { kind: "audit.write", note: { kind: "literal", value: "x" } } as const;
const step = (id: string, handler: BundleStep["onError"] = { kind: "fail" }): BundleStep =>
  stepOf(id, note, { onError: handler });
const handler = (...steps: readonly BundleStep[]): BundleStep["onError"] => ({ kind: "steps", steps });

const steps = [
  step("pay", handler(step("bank", handler(step("cheque"))), step("tell"))),
  step("hint", { kind: "continue" }),
];

test.each<[Record<string, StepStatus>, string | null, readonly string[]]>([
  [{ pay: "failed" }, null, []],
  [{ pay: "failed", "pay/on_error/bank": "failed" }, null, []],
  [{ pay: "failed", "pay/on_error/bank": "failed" }, "pay/on_error/bank", ["pay"]],
  [{ pay: "failed", "pay/on_error/bank": "completed" }, null, ["pay"]],
  [{ pay: "failed", "pay/on_error/bank": "completed", "pay/on_error/tell": "failed" }, null, ["pay"]],
  [{ pay: "failed", "pay/on_error/bank": "skipped", "pay/on_error/tell": "failed" }, null, []],
  [{ pay: "failed", "pay/on_error/bank": "skipped", "pay/on_error/tell": "skipped" }, null, ["pay"]],
  [
    { pay: "failed", "pay/on_error/bank": "failed", "pay/on_error/bank/on_error/cheque": "completed" },
    null,
    ["pay", "pay/on_error/bank"],
  ],
  [{ "pay/3": "failed", "pay/3/on_error/bank": "completed", "pay/4": "failed" }, null, ["pay/3"]],
  [{ hint: "failed", "hint/0": "failed" }, null, ["hint", "hint/0"]],
  [{ "pay/compensate/hint": "failed", gone: "failed" }, null, []],
])("%j from %s", (states, from, handled) => {
  expect(handledSteps(steps, new Map(Object.entries(states)), from)).toEqual(handled);
});

// One attack, in a process of its own at the lowest priority. In: one message that names it. Out: one with its outcome.
// It ends by itself, and with the harness: an attack never outlives its window by more than its patience.
import { readdirSync } from "node:fs";
import { setPriority } from "node:os";
import { giveWay } from "@plinth/service";
import type { Outcome } from "./attack.ts";
import { attackNamed } from "./attacks.ts";
import type { Target } from "./target.ts";

export interface AttackOrder {
  readonly name: string;
  readonly target: Target;
  readonly seconds: number;
  readonly prepared: unknown;
}

giveWay(process.pid, 19);
// Threads have priorities of their own, and V8's compile and collect garbage.
for (const thread of readdirSync("/proc/self/task")) setPriority(Number(thread), 19);
process.on("disconnect", () => process.exit(1));
process.once("message", async ({ name, target, seconds, prepared }: AttackOrder) => {
  const outcome: Outcome = await attackNamed(name).run(target, seconds, prepared);
  process.send?.(outcome, () => process.exit(0));
});
process.send?.("ready");

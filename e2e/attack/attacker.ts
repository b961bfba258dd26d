// Runs one attack in a separate process with the lowest priority. In: one message with its name. Out: one message with
// its outcome. It ends by itself, or when the harness ends.
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
// Threads have separate priorities, and V8 compiles and collects garbage in them.
for (const thread of readdirSync("/proc/self/task")) setPriority(Number(thread), 19);
process.on("disconnect", () => process.exit(1));
process.once("message", async ({ name, target, seconds, prepared }: AttackOrder) => {
  const outcome: Outcome = await attackNamed(name).run(target, seconds, prepared);
  process.send?.(outcome, () => process.exit(0));
});
process.send?.("ready");

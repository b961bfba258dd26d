// The process that hashes passwords. In: a task as a message. Out: its hash, or whether the password matches. It stores
// and logs nothing, and ends with the process that started it.

import { hash, verify } from "@node-rs/argon2";
import { giveWay } from "@plinth/service";

export type PasswordTask =
  | { readonly id: number; readonly kind: "hash"; readonly password: string }
  | { readonly id: number; readonly kind: "verify"; readonly password: string; readonly stored: string };

export type PasswordAnswer =
  | { readonly id: number; readonly result: string | boolean }
  | { readonly id: number; readonly failed: string };

/** OWASP's second recommended setting: 46 MiB, one pass, one lane. */
const COST = { memoryCost: 46 * 1024, timeCost: 1, parallelism: 1 } as const;
/** Under load this process gets about a tenth of the processor time of another process. */
const NICENESS = 10;

// Before the first hash, so that the threads that compute it inherit the priority.
giveWay(process.pid, NICENESS);
process.on("disconnect", () => process.exit(0));
process.on("message", async (task: PasswordTask) => {
  const answer: PasswordAnswer = await resultOf(task).then(
    (result) => ({ id: task.id, result }),
    (error: Error) => ({ id: task.id, failed: error.message }),
  );
  process.send?.(answer);
});

// Unicode can represent one text in several ways, and keyboards differ in which one they send.
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize("NFKC"));

async function resultOf(task: PasswordTask): Promise<string | boolean> {
  return task.kind === "hash" ? hash(bytesOf(task.password), COST) : verify(task.stored, bytesOf(task.password));
}

// A plan that is only to be measured. In: what control sent. Out: what measuring reads, or a Fault.
// It is not approved and never run: what a step would do is not looked at.
import { Fault } from "@plinth/service";
import { z } from "zod";
import type { Measured } from "../release/measure.ts";

const name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);

const facts = {
  id: z.string().max(200),
  table: name.nullable(),
  lock: z.enum(["none", "row exclusive", "share update exclusive", "share row exclusive", "access exclusive"]),
  rewrites: z.boolean(),
  scans: z.boolean(),
};

const step = z.discriminatedUnion("kind", [
  z.looseObject({ ...facts, kind: z.literal("statement"), transactional: z.boolean() }),
  z.looseObject({ ...facts, kind: z.literal("backfill") }),
  z.looseObject({ ...facts, kind: z.literal("verify"), count: z.string().min(1), sample: z.string().min(1) }),
  z.looseObject({ ...facts, kind: z.enum(["set_aside", "restore"]) }),
]);

const referring = z.strictObject({
  path: z.string().max(200),
  table: name,
  column: name,
  target: name,
  keepsDeleted: z.boolean(),
});

const plan = z.looseObject({ steps: z.array(step).max(10_000), referring: z.array(referring).max(10_000).default([]) });

/** @throws Fault validation_failed */
export function readMeasured(body: unknown): Measured {
  const parsed = plan.safeParse(body);
  if (parsed.success) return parsed.data as unknown as Measured;
  const errors = parsed.error.issues.map((issue) => ({
    path: `/${issue.path.join("/")}`,
    code: "invalid",
    message: issue.message,
  }));
  throw new Fault("validation_failed", { detail: "This is no plan that the cell understands.", errors });
}

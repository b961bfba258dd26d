// A plan that is only to be measured. In: what control sent. Out: a plan of the shape that measuring reads, or a Fault.
// It is not approved and never run: what a step would do is not looked at.
import type { MigrationPlan } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import { z } from "zod";

const facts = {
  id: z.string().max(200),
  table: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/)
    .nullable(),
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

const plan = z.looseObject({ steps: z.array(step).max(10_000) });

/** @throws Fault validation_failed */
export function readPlan(body: unknown): MigrationPlan {
  const parsed = plan.safeParse(body);
  if (parsed.success) return body as MigrationPlan;
  const errors = parsed.error.issues.map((issue) => ({
    path: `/${issue.path.join("/")}`,
    code: "invalid",
    message: issue.message,
  }));
  throw new Fault("validation_failed", { detail: "This is no plan that the cell understands.", errors });
}

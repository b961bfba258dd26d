// Procedures about a project's rows. In: checked input. Out: the answers of the service.
import { z } from "zod";
import { forProject } from "../trpc.ts";
import type { DataProcedures } from "./api.ts";

const name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, "must be a name");

const record = { entity: name, recordId: z.uuid() };
const version = z.int().min(1).max(2_147_483_647);
/** The project's API checks the values. */
const values = z.record(name, z.unknown());

/** `price`, `price[gte]`. */
const filterName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}(\[[a-z_]{2,20}\])?$/, "must be a field, with an operator or without");

const rows = z.object({
  entity: name,
  cursor: z.string().min(1).max(4096).optional(),
  limit: z.number().int().min(1).max(100).optional(),
  sort: z.string().min(1).max(500).optional(),
  deleted: z.boolean().optional(),
  filters: z.record(filterName, z.string().max(1000)).refine(isFilter, "can't name a parameter of the page").optional(),
});

/** Each is a separate stream in the cell. */
const FOLLOWED_MAX = 50;
const followed = z.object({
  entities: z
    .array(z.object({ entity: name, after: z.string().min(1).max(500).optional() }))
    .min(1)
    .max(FOLLOWED_MAX),
});

function isFilter(filters: Record<string, string>): boolean {
  return !["cursor", "limit", "sort"].some((parameter) =>
    Object.keys(filters).some((filter) => filter.split("[")[0] === parameter),
  );
}

export const dataProcedures: DataProcedures = {
  entities: forProject("read").query(({ ctx }) => ctx.services.data.entities(ctx.person, ctx.project)),
  rows: forProject("read")
    .input(rows)
    .query(({ ctx, input }) => ctx.services.data.rows(ctx.person, ctx.project, input)),
  changes: forProject("read")
    .input(followed)
    .query(({ ctx, input, signal }) => ctx.services.data.changes(ctx.person, ctx.project, input.entities, signal)),
  create: forProject("write")
    .input(z.object({ entity: name, values }))
    .mutation(({ ctx, input }) => ctx.services.data.create(ctx.person, ctx.project, input)),
  update: forProject("write")
    .input(z.object({ ...record, version, values }))
    .mutation(({ ctx, input }) => ctx.services.data.update(ctx.person, ctx.project, input)),
  remove: forProject("write")
    .input(z.object({ ...record, version }))
    .mutation(({ ctx, input }) => ctx.services.data.remove(ctx.person, ctx.project, input)),
  restore: forProject("write")
    .input(z.object(record))
    .mutation(({ ctx, input }) => ctx.services.data.restore(ctx.person, ctx.project, input)),
  transition: forProject("write")
    .input(z.object({ ...record, edge: name }))
    .mutation(({ ctx, input }) => ctx.services.data.transition(ctx.person, ctx.project, input)),
};

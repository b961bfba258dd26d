// Predicates: what decides about a row. In: nothing. Out: their form in a bundle, and which of them are the same. Whoever asks
// whether a predicate always holds, or what it looks at, finds it said here, and never searches the SQL for it.
import { z } from "zod";
import { identifier, sql } from "./decode-field.ts";
import type { SqlTemplate } from "./template.ts";

/** A condition on a row that is true or false, never unknown. */
export type Predicate =
  | { readonly kind: "always" }
  | { readonly kind: "never" }
  | { readonly kind: "sql"; readonly sql: SqlTemplate; readonly looks: readonly Look[] };

/** A table in which a predicate looks for other rows than the one that it judges. */
export interface Look {
  /** Of an entity, of pairs (a join table), or of a module. */
  readonly table: string;
  /** What it reads of the rows there, sorted; `id` apart, which never changes. */
  readonly columns: readonly string[];
  /** It looks rows up by their ids alone, so that a new row is seen by nobody until another one refers to it. */
  readonly byId: boolean;
}

export const ALWAYS: Predicate = { kind: "always" };
export const NEVER: Predicate = { kind: "never" };

/** The predicate as a template; equal for those that say the same in the same words. */
export function predicateSql(predicate: Predicate): SqlTemplate {
  return predicate.kind === "sql" ? predicate.sql : predicate.kind === "always" ? "true" : "false";
}

/** One of each, in a fixed order. */
export function distinctPredicates(predicates: readonly Predicate[]): readonly Predicate[] {
  const bySql = new Map(predicates.map((predicate) => [predicateSql(predicate), predicate]));
  return [...bySql].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, predicate]) => predicate);
}

/** How a predicate stands in a bundle. */
export const predicate: z.ZodType = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.enum(["always", "never"]) }),
  z.looseObject({
    kind: z.literal("sql"),
    sql,
    looks: z.array(z.looseObject({ table: identifier, columns: z.array(identifier), byId: z.boolean() })),
  }),
]);

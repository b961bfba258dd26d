// Predicates, which decide about a row. In: nothing. Out: their form in a bundle, and which of them are equal. Whether
// a predicate is always true, and which tables it reads, is stored here, so that nobody has to search the SQL for it.
import { z } from "zod";
import { identifier, sql } from "./decode-field.ts";
import type { SqlTemplate } from "./template.ts";

/** A condition on a row that is true or false, never unknown. */
export type Predicate =
  | { readonly kind: "always" }
  | { readonly kind: "never" }
  | { readonly kind: "sql"; readonly sql: SqlTemplate; readonly looks: readonly Look[] };

/** A table in which a predicate reads other rows than its own. */
export interface Look {
  /** Of an entity, of pairs (a join table), or of a module. */
  readonly table: string;
  /** The columns that it reads there, sorted, except `id`, which never changes. */
  readonly columns: readonly string[];
  /** It looks up rows only by id, so that nobody sees a new row until another one refers to it. */
  readonly byId: boolean;
}

export const ALWAYS: Predicate = { kind: "always" };
export const NEVER: Predicate = { kind: "never" };

/** The predicate as a template; equal predicates have equal text. */
export function predicateSql(predicate: Predicate): SqlTemplate {
  return predicate.kind === "sql" ? predicate.sql : predicate.kind === "always" ? "true" : "false";
}

/** One of each, in a fixed order. */
export function distinctPredicates(predicates: readonly Predicate[]): readonly Predicate[] {
  const bySql = new Map(predicates.map((predicate) => [predicateSql(predicate), predicate]));
  return [...bySql].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, predicate]) => predicate);
}

/** The form of a predicate in a bundle. */
export const predicate: z.ZodType = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.enum(["always", "never"]) }),
  z.looseObject({
    kind: z.literal("sql"),
    sql,
    looks: z.array(z.looseObject({ table: identifier, columns: z.array(identifier), byId: z.boolean() })),
  }),
]);

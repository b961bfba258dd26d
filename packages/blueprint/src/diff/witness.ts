// Describes a witness. In: the result of comparing two rules. Out: a witness for people: who can now do what to which
// record.

import type { Expression, RuleWitness } from "@plinth/expression";
import { withArticle } from "@plinth/expression";
import type { Entity, Operation, Permission } from "../model/model.ts";
import type { Witness } from "./change.ts";
import { capitalized, oneOf } from "./one-of.ts";

export interface Gain {
  readonly role: string;
  readonly operation: Operation;
  readonly entity: string;
  /** The gained field; null if the whole record is gained. */
  readonly field: string | null;
}

export interface Grants {
  readonly entity: Entity;
  readonly permissions: readonly Permission[];
}

/**
 * Whom the new grants let in whom the old grants kept out, each with the roles of its own model; null if it is proven
 * that there is nobody.
 */
export type Compare = (gain: Gain, was: Grants, is: Grants) => Witness | null;

export function witnessOf(gain: Gain, { context, reads }: RuleWitness): Witness {
  const own = reads.filter(({ expression }) => expression.kind === "field");
  const record = Object.fromEntries(own.map(({ expression, value }) => [placeOf(expression), value]));
  const words = own.map(({ expression, value }) => wordsOf(placeOf(expression), value, context.user.id));
  const which = words.length === 0 ? "" : ` with ${words.join(", ")}`;
  const { role, operation, entity } = gain;
  const summary = `${capitalized(oneOf(role))} can now ${actOf(gain)}${which}.`;
  return { role, operation, entity, decided: true, summary, record };
}

export function undecidedWitness(gain: Gain, because: "budget" | "unknown"): Witness {
  const { role, operation, entity } = gain;
  const may = `${oneOf(role)} can now ${actOf(gain)}`;
  const summary =
    because === "budget"
      ? `It could not be decided within the budget whether ${may} where they could not before; it counts as looser.`
      : `It can't be decided whether ${may} where they could not before, so it counts as if they could.`;
  return { role, operation, entity, decided: false, summary, record: null };
}

export function actOf({ operation, entity, field }: Omit<Gain, "role">): string {
  const record = withArticle(`\`${entity}\``);
  const edge = operation.startsWith("transition:") ? operation.slice("transition:".length) : null;
  const verb = edge === null ? operation : `take \`${edge}\` on`;
  if (field === null) return `${verb} ${record}`;
  return operation === "read" ? `read \`${field}\` of ${record}` : `${verb} ${record} and set \`${field}\``;
}

/** `status`, `old.status`, `shop_id.open`. A mark after a name says that it means something else now. */
function placeOf(expression: Expression): string {
  if (expression.kind !== "field") return "";
  const row = expression.row === "old" || expression.row === "new" ? expression.row : null;
  const path = expression.path.map((name) => name.replace(/~$/, "")).join(".");
  return row === null ? path : `${row}.${path}`;
}

function wordsOf(place: string, value: unknown, user: string | null): string {
  const name = place
    .replace(/^old\.(.*)$/, "$1 before")
    .replace(/^new\.(.*)$/, "$1 after")
    .replaceAll("_", " ");
  if (value === null) return `no ${name}`;
  if (typeof value === "string" && value === user) return `${name} their own`;
  if (typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value))
    return `${name} somebody else's`;
  return `${name} \`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

const widest: readonly string[] = ["public", "user", "owner"];

/** The widest role that can do this, as an example. */
export function exampleRole({ permissions }: Entity, operation: Operation): string {
  const roles = permissions.filter((one) => one.operation === operation).map((one) => one.role);
  return widest.find((role) => roles.includes(role)) ?? roles[0] ?? "admin";
}

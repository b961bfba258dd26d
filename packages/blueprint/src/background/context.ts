// The state that the readers of background sections share: the report, and all names that one section can use from
// another.

import type { Schema } from "@plinth/expression";
import type { CheckedEntity } from "../check/entities/entity-draft.ts";
import type { Reader } from "../declarations/expect.ts";
import type { Egress } from "../model/background.ts";
import type { Field, JsonValue, ModuleName } from "../model/model.ts";
import type { PlaceTable } from "../text/places.ts";
import type { Node } from "../text/syntax.ts";

export interface BackgroundContext {
  readonly reader: Reader;
  readonly entities: ReadonlyMap<string, CheckedEntity>;
  readonly roles: ReadonlySet<string>;
  /** The names of rules that are used; this check adds to them. */
  readonly rulesUsed: Set<string>;
  readonly modules: ReadonlySet<ModuleName>;
  readonly workers: ReadonlySet<string>;
  readonly workflows: ReadonlySet<string>;
  readonly connections: readonly Connection[];
  /** Name > the entity of its records; null if it carries no record. */
  readonly events: ReadonlyMap<string, string | null>;
  /** Declared event > its data. */
  readonly payloads: ReadonlyMap<string, readonly Field[]>;
  /** Templates of the section `emails`, by name. */
  readonly emails: ReadonlyMap<string, EmailSignature>;
  /** Events that inbound webhooks emit. */
  readonly mapped: ReadonlySet<string>;
  /**
   * The maximum time of one call to another service in milliseconds, set by the operator; null if no operator is known.
   */
  readonly callMsMax: number | null;
  /** The positions of rules in the text; this check adds to them. */
  readonly places: PlaceTable;
  /** The schema of the records for rules. */
  readonly schema: Schema;
}

/** The values that a step must give to an e-mail template. */
export interface EmailSignature {
  readonly name: string;
  readonly variables: readonly Field[];
}

export interface Connection {
  readonly name: string;
  readonly kind: string;
  readonly provider: string;
}

export type { Egress };
export type Canonical = { readonly [name: string]: JsonValue };

/** Keys are sorted; keys without a value are left out. */
export function canonical(members: Readonly<Record<string, JsonValue | undefined | null>>): Canonical {
  const given = Object.entries(members).filter(
    (entry): entry is [string, JsonValue] => entry[1] !== undefined && entry[1] !== null,
  );
  return Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Any value of the blueprint as JSON, with sorted keys in maps. */
export function jsonOf(node: Node): JsonValue {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(jsonOf);
  const entries = node.entries.map(({ key, value }): [string, JsonValue] => [key.text, jsonOf(value)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function distinct(egress: readonly Egress[]): readonly Egress[] {
  const found = new Map(egress.map((one) => [`${one.to} ${one.entity ?? ""} ${one.host ?? ""}`, one]));
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

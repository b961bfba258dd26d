// The form of the grammar: which keys are allowed where, their meaning, and their possible values. Completion, hover,
// the JSON Schema and the reference use the same description; a test compares it with the readers.

export type Shape =
  | { readonly kind: "text" | "rule" | "template" | "boolean" | "integer" | "number" | "field" | "value" }
  /** One of these words. */
  | { readonly kind: "word"; readonly words: readonly string[] }
  /** The name of something that the blueprint declares. */
  | { readonly kind: "name"; readonly of: NameOf }
  | { readonly kind: "list"; readonly of: Shape }
  /** Fixed keys; with `bare`, the key above can be used alone, without a value. */
  | { readonly kind: "map"; readonly keys: Readonly<Record<string, KeyShape>>; readonly bare?: true }
  /** Keys that the author names. */
  | { readonly kind: "names"; readonly key: string; readonly keys?: readonly string[]; readonly value: Shape }
  | { readonly kind: "any_of"; readonly of: readonly Shape[] }
  /** A shape that refers back to one above it, by name. */
  | { readonly kind: "shape"; readonly name: ShapeName };

export type NameOf =
  | "entity"
  | "field"
  | "role"
  | "event"
  | "worker"
  | "action"
  | "connection"
  | "test_user"
  | "test_row"
  /** A value of the enum that the transitions change. */
  | "state"
  /** A field to sort by, with `-` in front for the reverse order. */
  | "sort_field"
  /** `entity.row`, and with a transition `entity.row.transition`. */
  | "entity_row"
  | "row_transition"
  | "organization_role"
  | "integration_kind"
  | "provider"
  | "webhook_provider";
export type ShapeName = "entity" | "step" | "permissions" | "fields" | "member";

export interface KeyShape {
  /** One or two sentences in Markdown: its effect. */
  readonly help: string;
  readonly value: Shape;
  readonly required?: true;
}

export const text: Shape = { kind: "text" };
export const rule: Shape = { kind: "rule" };
export const template: Shape = { kind: "template" };
export const boolean: Shape = { kind: "boolean" };
export const integer: Shape = { kind: "integer" };
export const number: Shape = { kind: "number" };
export const field: Shape = { kind: "field" };
export const value: Shape = { kind: "value" };

export const words = (...list: readonly string[]): Shape => ({ kind: "word", words: list });
export const named = (of: NameOf): Shape => ({ kind: "name", of });
export const listOf = (of: Shape): Shape => ({ kind: "list", of });
export const anyOf = (...of: readonly Shape[]): Shape => ({ kind: "any_of", of });
export const oneOrMore = (of: Shape): Shape => anyOf(of, listOf(of));
export const map = (keys: Readonly<Record<string, KeyShape>>): Shape => ({ kind: "map", keys });
export const bareMap = (keys: Readonly<Record<string, KeyShape>>): Shape => ({ kind: "map", keys, bare: true });
export const names = (key: string, of: Shape, keys?: readonly string[]): Shape =>
  keys === undefined ? { kind: "names", key, value: of } : { kind: "names", key, value: of, keys };
export const shape = (name: ShapeName): Shape => ({ kind: "shape", name });
export const key = (help: string, of: Shape): KeyShape => ({ help, value: of });

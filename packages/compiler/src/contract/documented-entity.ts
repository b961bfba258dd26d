// What the OpenAPI document must know of an entity. Types alone.
import type { Entity } from "@plinth/blueprint";

/** What the document must know of an entity; the built-in ones have it too. */
export type DocumentedEntity = Pick<
  Entity,
  | "name"
  | "plural"
  | "fields"
  | "permissions"
  | "softDelete"
  | "stateMachine"
  | "orgField"
  | "views"
  | "uniques"
  | "label"
  | "help"
  | "relations"
  | "requireVersion"
>;

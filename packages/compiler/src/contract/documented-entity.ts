// What the OpenAPI document needs to know about an entity. Only types.
import type { Entity } from "@plinth/blueprint";

/** What the document needs to know about an entity, including built-in ones. */
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

// An entity during the check. Only types.
import type { EntityDeclaration } from "../../declarations/declarations.ts";
import type { FieldDeclaration } from "../../declarations/entity-declaration.ts";
import type { Entity, Field } from "../../model/model.ts";

export interface CheckedEntity {
  readonly entity: Omit<Entity, "permissions">;
  /** Fields with a wrong declaration: rules that use them get no further problems. */
  readonly brokenFields: ReadonlySet<string>;
}

/** An entity before the others are known. */
export interface EntityDraft extends CheckedEntity {
  readonly declared: EntityDeclaration;
  /** The declared fields with valid types, in order. */
  readonly fields: readonly { readonly field: Field; readonly declared: FieldDeclaration }[];
}

// An entity on its way through the check. Types alone.
import type { EntityDeclaration } from "../../declarations/declarations.ts";
import type { FieldDeclaration } from "../../declarations/entity-declaration.ts";
import type { Entity, Field } from "../../model/model.ts";

export interface CheckedEntity {
  readonly entity: Omit<Entity, "permissions">;
  /** Fields whose declaration is wrong: rules that name them are not blamed. */
  readonly brokenFields: ReadonlySet<string>;
}

/** An entity while the others are not known yet. */
export interface EntityDraft extends CheckedEntity {
  readonly declared: EntityDeclaration;
  /** The declared fields whose types are fine, in order. */
  readonly fields: readonly { readonly field: Field; readonly declared: FieldDeclaration }[];
}

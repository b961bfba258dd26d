// One typed change between two models, as `diff.ts` finds it. Types alone.

export type ChangeKind =
  | "project_changed"
  | "module_added"
  | "module_removed"
  | "role_added"
  | "role_removed"
  | "role_changed"
  | "entity_added"
  | "entity_removed"
  | "entity_changed"
  | "field_added"
  | "field_removed"
  | "field_changed"
  | "default_changed"
  | "unique_added"
  | "unique_removed"
  | "permission_added"
  | "permission_removed"
  | "permission_changed";

/**
 * `safe`: old clients and rows are untouched. `loosens_access`: somebody may do what they could not.
 * `breaking`: a client that works now may fail. `unsupported`: no migration can be made for it yet.
 */
export type Risk = "safe" | "loosens_access" | "breaking" | "unsupported";

export interface Change {
  readonly kind: ChangeKind;
  /** `shipment`, `shipment.note`, `shipment.permissions.user.read`, `roles.support`, `modules.auth`, `project`. */
  readonly path: string;
  /** One sentence for a person. */
  readonly summary: string;
  readonly risk: Risk;
  /** What stood there, as its notation. Absent where nothing did. */
  readonly before?: unknown;
  readonly after?: unknown;
}

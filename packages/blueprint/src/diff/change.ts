// One typed change between two models, as `diff.ts` finds it. Only types.
import type { Operation } from "../model/model.ts";

export type ChangeKind =
  | "project_changed"
  | "module_added"
  | "module_removed"
  | "role_added"
  | "role_removed"
  | "role_changed"
  | "entity_added"
  | "entity_removed"
  | "entity_renamed"
  | "entity_changed"
  | "field_added"
  | "field_removed"
  | "field_renamed"
  | "field_changed"
  | "default_changed"
  | "unique_added"
  | "unique_removed"
  | "index_added"
  | "index_removed"
  | "check_added"
  | "check_removed"
  | "check_changed"
  | "exclusion_added"
  | "exclusion_removed"
  | "exclusion_changed"
  | "transition_added"
  | "transition_removed"
  | "transition_changed"
  /** Deletes newly destroy records that no restore brings back. */
  | "cascade_destroys"
  | "permission_added"
  | "permission_removed"
  | "permission_changed"
  | "view_added"
  | "view_removed"
  | "view_changed"
  | "api_changed"
  | "search_changed"
  | "background_added"
  | "background_removed"
  | "background_changed"
  /** It does more because of another change. */
  | "background_widened"
  /** Found by comparing the OpenAPI documents. */
  | "api_contract_changed";

/**
 * The effects of a change. `online`: needs CONCURRENTLY, or NOT VALID and VALIDATE. `backfill`: rows are written in
 * batches. `data_dependent`: existing rows can violate it. `rewrite`: a new column replaces an old one. `breaking`: a
 * client that works now can fail. `destructive`: data is set aside. `loosens_access`: somebody can do what they could
 * not do before. `widens_egress`: data newly leaves the project. `unsupported`: no migration is possible.
 */
export type ChangeClass =
  | "unsupported"
  | "destructive"
  | "loosens_access"
  | "widens_egress"
  | "breaking"
  | "data_dependent"
  | "rewrite"
  | "backfill"
  | "online"
  | "safe";

/** Classes that need a person's consent by name, and changes of the protected core. */
export type ConsentKind = "destructive" | "loosens_access" | "widens_egress" | "breaking" | "protected_core";

export interface Change {
  readonly kind: ChangeKind;
  /** `shipment`, `shipment.note`, `shipment.permissions.user.read`, `roles.support`, `modules.auth`, `project`. Unique in a diff together with `kind`. */
  readonly path: string;
  /** One sentence for a person. */
  readonly summary: string;
  /** At least one, the gravest first. */
  readonly classes: readonly ChangeClass[];
  /** The previous notation. Absent if there was none. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** For a change that loosens access. */
  readonly witness?: Witness;
  /** For `cascade_destroys`: the records that would be destroyed. */
  readonly referring?: ReferringRecords;
  /** Existing records of a kind whose number the reader must know. */
  readonly counted?: CountedRecords;
}

/** Records to count, in the live tables. */
export interface CountedRecords {
  /** The text before a colon and the number: "deleted records, which are removed". */
  readonly what: string;
  readonly table: string;
  /** If this column is empty, a record doesn't count. */
  readonly column: string;
  /** The values that count; null for all. */
  readonly only: readonly string[] | null;
  readonly except: readonly string[];
}

/** Records that refer to others, in the live tables. */
export interface ReferringRecords {
  readonly table: string;
  readonly column: string;
  /** The table that they refer to. */
  readonly target: string;
  /** Whether that table marks deleted records, which can't be deleted again. */
  readonly keepsDeleted: boolean;
}

/** Somebody who can now do what they could not do before, to such a record. */
export interface Witness {
  readonly role: string;
  readonly operation: Operation;
  readonly entity: string;
  /** False if the rules could not be compared exactly, so that the change counts as loosening without an example. */
  readonly decided: boolean;
  /** One sentence for a person: "`public` can now read a `listing` with status `draft`." */
  readonly summary: string;
  /** Field > value of such a record; for an update, of the row before and after. Null if undecided. */
  readonly record: Readonly<Record<string, unknown>> | null;
}

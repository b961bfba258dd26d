// One typed change between two models, as `diff.ts` finds it. Types alone.
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
  /** Deletes newly destroy what no restore brings back. */
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
  /** Found by comparing the OpenAPI documents. */
  | "api_contract_changed";

/**
 * What a change does. `online`: needs CONCURRENTLY, or NOT VALID and VALIDATE. `backfill`: rows are written in batches.
 * `data_dependent`: rows that stand may violate it. `rewrite`: a new column takes an old one's place. `breaking`: a client
 * that works now may fail. `destructive`: data is set aside. `loosens_access`: somebody may do what they could not.
 * `widens_egress`: data newly leaves. `unsupported`: no migration can be made for it.
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

/** Classes that a person must agree to by name, and touches of the protected core. */
export type ConsentKind = "destructive" | "loosens_access" | "widens_egress" | "breaking" | "protected_core";

export interface Change {
  readonly kind: ChangeKind;
  /** `shipment`, `shipment.note`, `shipment.permissions.user.read`, `roles.support`, `modules.auth`, `project`. Unique in a diff together with `kind`. */
  readonly path: string;
  /** One sentence for a person. */
  readonly summary: string;
  /** At least one, the gravest first. */
  readonly classes: readonly ChangeClass[];
  /** What stood there, as its notation. Absent where nothing did. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** Of a change that loosens access. */
  readonly witness?: Witness;
  /** Of `cascade_destroys`: the records that stand to be destroyed. */
  readonly referring?: ReferringRecords;
  /** Records that stand and are of a kind that the reader must know the number of. */
  readonly counted?: CountedRecords;
}

/** Records that are to be counted, as the live tables have them. */
export interface CountedRecords {
  /** Stands before a colon and the number: "deleted records, which are taken out of service". */
  readonly what: string;
  readonly table: string;
  /** Where it is empty, a record doesn't count. */
  readonly column: string;
  /** The values that count; null for all. */
  readonly only: readonly string[] | null;
  readonly except: readonly string[];
}

/** Records that refer to others, as the live tables have them. */
export interface ReferringRecords {
  readonly table: string;
  readonly column: string;
  /** The table that they refer to. */
  readonly target: string;
  /** Whether that one marks its deleted records, which nobody can delete again. */
  readonly keepsDeleted: boolean;
}

/** Somebody who may now do what they could not, to such a record. */
export interface Witness {
  readonly role: string;
  readonly operation: Operation;
  readonly entity: string;
  /** False where the rules could not be compared exactly, so that the change counts as loosening without an example. */
  readonly decided: boolean;
  /** One sentence for a person: "`public` may now read a `listing` with status `draft`." */
  readonly summary: string;
  /** Field > value of such a record; for an update, of the row before and after. Null where undecided. */
  readonly record: Readonly<Record<string, unknown>> | null;
}

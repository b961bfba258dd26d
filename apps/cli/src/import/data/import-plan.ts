// What an import will do, whichever source its rows come from. In: nothing. Out: the types that sources make and a run carries out, and
// their names for people.
import type { ImportStep, TransferShape } from "@plinth/control/router";
import type { Batch, BatchBounds } from "./batches.ts";

/** Where records come from: a database, or the folder of an export. */
export interface RecordSource {
  /** Names the source, whoever asks and however: the same import goes on where it stopped. A SHA-256 in hex. */
  readonly fingerprint: string;
  /** For people; without a password. */
  readonly label: string;
  plan(shape: TransferShape, options: PlanOptions): Promise<ImportPlan>;
  close(): Promise<void>;
}

export interface PlanOptions {
  /** Whether an organization is named for records that no column gives one. */
  readonly hasOrganization: boolean;
}

export interface ImportPlan {
  readonly steps: readonly PlannedStep[];
  /** Nothing is imported while there is one. */
  readonly problems: readonly string[];
  /** What stays behind, and why. */
  readonly left: readonly string[];
}

/** A step before the import's salt is known. */
export interface PlannedStep {
  /** The table or the file. */
  readonly from: string;
  readonly entity: string;
  readonly kind: ImportStep["kind"];
  /** Field > column; none for the id. */
  readonly columns: readonly (readonly [field: string, column: string])[];
  /** About how many rows the source has; null where nobody knows. */
  readonly rows: number | null;
  readonly withSalt: (salt: string) => SourceStep;
}

/** A step as its source reads it. */
export interface SourceStep {
  readonly step: ImportStep;
  /** The rows behind the key, in the source's order: of each the key, the hash of the values, and the values. */
  batches(after: string | null, bounds: BatchBounds, limit?: number): AsyncGenerator<Batch>;
  count(): Promise<number>;
}

/** For people. */
export function titleOf({ from, entity, kind, columns }: PlannedStep): string {
  const [field] = columns[0] ?? [];
  switch (kind) {
    case "records":
      return `${from} > ${entity}`;
    case "fill":
      return `${from} > ${entity}.${field}, once all records are there`;
    case "links":
      return `${from} > pairs of ${entity}.${field}`;
  }
}

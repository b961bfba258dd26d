// The plan of an import, for every kind of source. In: nothing. Out: the types that sources return and that a run uses, and the titles
// of steps for people.
import type { ImportStep, TransferShape } from "@plinth/control/router";
import type { Batch, BatchBounds } from "./batches.ts";

/** The source of records: a database, or the folder of an export. */
export interface RecordSource {
  /** Identifies the source, so that an unfinished import can continue. A SHA-256 in hex. */
  readonly fingerprint: string;
  /** For people, without a password. */
  readonly label: string;
  plan(shape: TransferShape, options: PlanOptions): Promise<ImportPlan>;
  close(): Promise<void>;
}

export interface PlanOptions {
  /** Whether there is an organization for records without a column for it. */
  readonly hasOrganization: boolean;
}

export interface ImportPlan {
  readonly steps: readonly PlannedStep[];
  /** If there are any, nothing is imported. */
  readonly problems: readonly string[];
  /** Tables, columns and files that are not imported, with reasons. */
  readonly left: readonly string[];
}

/** A step before the import's salt is known. */
export interface PlannedStep {
  /** The name of the table or file. */
  readonly from: string;
  readonly entity: string;
  readonly kind: ImportStep["kind"];
  /** Field > column. The id is not included. */
  readonly columns: readonly (readonly [field: string, column: string])[];
  /** The estimated number of rows in the source; null if it is unknown. */
  readonly rows: number | null;
  readonly withSalt: (salt: string) => SourceStep;
}

/** A step with its rows. */
export interface SourceStep {
  readonly step: ImportStep;
  /** The rows after the key, in the source's order: for each row the key, the hash of the values, and the values. */
  batches(after: string | null, bounds: BatchBounds, limit?: number): AsyncGenerator<Batch>;
  count(): Promise<number>;
}

/** The title for people. */
export function titleOf({ from, entity, kind, columns }: PlannedStep): string {
  const [field] = columns[0] ?? [];
  switch (kind) {
    case "records":
      return `${from} > ${entity}`;
    case "fill":
      return `${from} > ${entity}.${field}, after all records`;
    case "links":
      return `${from} > pairs of ${entity}.${field}`;
  }
}

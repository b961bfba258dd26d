// The calls between control and a cell for large numbers of records: imports and exports. In: nothing. Out: the shapes
// of bodies and answers, and the calls. Rows are lines in the text format of Postgres's COPY.
import { z } from "zod";
import type { CellCall } from "./calls.ts";

/** The maximum number of rows in a batch; each batch is a transaction. */
export const BATCH_ROWS_MAX = 10_000;
/** The maximum number of characters in a batch, as a JSON string; a batch of wide rows has fewer rows. */
export const BATCH_CHARS_MAX = 1_500_000;
/** The maximum number of rows in a batch that are too large. */
const TOO_LARGE_ROWS_MAX = 500;

/** An entity in an import or an export. */
export interface TransferEntity {
  readonly name: string;
  readonly fields: readonly TransferField[];
  /** Whether each record belongs to an organization. */
  readonly inOrganization: boolean;
}

export interface TransferField {
  readonly name: string;
  readonly sqlType: string;
  /** Required, and nothing else sets it. */
  readonly required: boolean;
  readonly nullable: boolean;
  /** The entity that it refers to; null for other fields. */
  readonly references: string | null;
  /** Many-to-many: a list of ids, which a separate step imports. */
  readonly isList: boolean;
  /** Why an import can't write it; null if it can. */
  readonly refused: string | null;
}

export interface TransferShape {
  readonly entities: readonly TransferEntity[];
}

/**
 * `records`: each row is a new record; its fields begin with `id`. `fill`: each row sets a reference of an existing
 * record, by its `id`. `links`: each row is a pair of a many-to-many field: the ids of both records.
 */
export interface ImportStep {
  readonly name: string;
  readonly kind: "records" | "fill" | "links";
  readonly entity: string;
  readonly fields: readonly string[];
}

export interface ImportBody {
  /** Identifies the source and how it is read: the same import continues where it stopped. */
  readonly source: string;
  /** The source for people, without its password. */
  readonly label: string;
}

export interface StepState {
  readonly name: string;
  /** Key of the last accepted row of the source; null before the first. */
  readonly lastKey: string | null;
  readonly read: number;
  readonly accepted: number;
  readonly refused: number;
  /** Sums of hashes: of all rows, as the source has computed them; of the refused rows; and of the stored records. */
  readonly sentChecksum: string;
  readonly refusedChecksum: string;
  readonly checksum: string;
}

export interface ImportState {
  /** The ids of records are computed from this and the source's keys. */
  readonly salt: string;
  readonly finished: boolean;
  /** The contents of a batch. */
  readonly rowsMax: number;
  readonly charsMax: number;
  readonly steps: readonly StepState[];
}

export interface BatchBody {
  readonly source: string;
  readonly step: ImportStep;
  /** The position after the last batch. If another command has already continued the import, this is a conflict. */
  readonly after: string | null;
  readonly last: string;
  readonly count: number;
  /**
   * In each line, the first column is the source's key, and the second the hash of the following values, computed by
   * the source.
   */
  readonly rows: string;
  /** Rows that are larger than a batch. They are counted and refused, and the import continues after them. */
  readonly tooLarge?: readonly TooLargeRow[];
  /** The organization of records without a column for it. */
  readonly organization: string | null;
  /** True: rows are checked and nothing is written. */
  readonly dry: boolean;
  /** In a dry run, the entities whose records come later: references to them are not checked. */
  readonly pending: readonly string[];
}

export interface TooLargeRow {
  /** The key, as reports show it. */
  readonly key: string;
  /** The hash of its values, computed by the source. */
  readonly hash: string;
}

export interface CloseBody {
  /** Null: the project's unfinished import, whatever its source. */
  readonly source: string | null;
}

export interface RowRefusal {
  readonly key: string;
  readonly field: string | null;
  readonly code: string;
  readonly message: string;
}

export interface BatchOutcome {
  readonly accepted: number;
  readonly refused: number;
  readonly refusals: readonly RowRefusal[];
  readonly state: StepState;
}

/** A part of an export, written to its own file: an entity's records, or the pairs of a many-to-many field. */
export interface ExportPart {
  readonly name: string;
  readonly entity: string;
  readonly kind: "records" | "links";
  readonly fields: readonly string[];
}

export interface ExportState {
  readonly id: string;
  readonly parts: readonly ExportPart[];
}

export interface PageBody {
  readonly part: string;
  readonly after: string | null;
}

export interface ExportPage {
  /** Lines in COPY's text format, one column for each field of the part. */
  readonly rows: string;
  readonly count: number;
  readonly checksum: string;
  /** The position for the next request; null at the end of the part. */
  readonly last: string | null;
}

const name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/);
const source = z.string().regex(/^[0-9a-f]{64}$/);
const key = z.string().max(10_000);

export const importBody: z.ZodType<ImportBody> = z.strictObject({ source, label: z.string().max(500) });

const importStep: z.ZodType<ImportStep, ImportStep> = z.strictObject({
  name: z.string().min(1).max(200),
  kind: z.enum(["records", "fill", "links"]),
  entity: name,
  fields: z.array(name).min(1).max(500),
});

const tooLargeRow = z.strictObject({ key: z.string().max(200), hash: z.string().regex(/^\d{1,20}$/) });

export const batchBody: z.ZodType<BatchBody, BatchBody> = z
  .strictObject({
    source,
    step: importStep,
    after: key.nullable(),
    last: key,
    count: z.number().int().min(0).max(BATCH_ROWS_MAX),
    rows: z.string().max(BATCH_CHARS_MAX),
    tooLarge: z.array(tooLargeRow).max(TOO_LARGE_ROWS_MAX).exactOptional(),
    organization: z.uuid().nullable(),
    dry: z.boolean(),
    pending: z.array(name).max(1000),
  })
  .refine(({ count, tooLarge = [] }) => count + tooLarge.length > 0, "must have a row");

export const closeBody: z.ZodType<CloseBody> = z.strictObject({ source: source.nullable() });

export const pageBody: z.ZodType<PageBody> = z.strictObject({ part: z.string().max(200), after: key.nullable() });

const stepState: z.ZodType<StepState> = z.object({
  name: z.string(),
  lastKey: z.string().nullable(),
  read: z.number(),
  accepted: z.number(),
  refused: z.number(),
  checksum: z.string(),
  sentChecksum: z.string(),
  refusedChecksum: z.string(),
});

const transferShape: z.ZodType<TransferShape> = z.object({
  entities: z.array(
    z.object({
      name: z.string(),
      inOrganization: z.boolean(),
      fields: z.array(
        z.object({
          name: z.string(),
          sqlType: z.string(),
          required: z.boolean(),
          nullable: z.boolean(),
          references: z.string().nullable(),
          isList: z.boolean(),
          refused: z.string().nullable(),
        }),
      ),
    }),
  ),
});

const importState: z.ZodType<ImportState> = z.object({
  salt: z.string(),
  finished: z.boolean(),
  rowsMax: z.number(),
  charsMax: z.number(),
  steps: z.array(stepState),
});

const batchOutcome: z.ZodType<BatchOutcome> = z.object({
  accepted: z.number(),
  refused: z.number(),
  refusals: z.array(z.object({ key: z.string(), field: z.string().nullable(), code: z.string(), message: z.string() })),
  state: stepState,
});

const exportState: z.ZodType<ExportState> = z.object({
  id: z.string(),
  parts: z.array(
    z.object({
      name: z.string(),
      entity: z.string(),
      kind: z.enum(["records", "links"]),
      fields: z.array(z.string()),
    }),
  ),
});

const exportPage: z.ZodType<ExportPage> = z.object({
  rows: z.string(),
  count: z.number(),
  checksum: z.string(),
  last: z.string().nullable(),
});

interface TransferCalls {
  readonly shape: CellCall<never, TransferShape>;
  readonly openImport: CellCall<ImportBody, ImportState>;
  readonly findImport: CellCall<never, ImportState>;
  readonly takeBatch: CellCall<BatchBody, BatchOutcome>;
  readonly closeImport: CellCall<CloseBody, ImportState>;
  readonly openExport: CellCall<never, ExportState>;
  readonly readPage: CellCall<PageBody, ExportPage>;
  readonly closeExport: CellCall<never, null>;
}

const PROJECT = "/internal/projects/:projectId";

/** Each needs an assertion for an operator. */
export const transferCalls: TransferCalls = {
  shape: { method: "GET", path: `${PROJECT}/transfer-shape`, body: null, answer: transferShape, status: 200 },
  openImport: { method: "POST", path: `${PROJECT}/imports`, body: importBody, answer: importState, status: 200 },
  findImport: { method: "GET", path: `${PROJECT}/imports/:source`, body: null, answer: importState, status: 200 },
  takeBatch: { method: "POST", path: `${PROJECT}/imports/batches`, body: batchBody, answer: batchOutcome, status: 200 },
  closeImport: { method: "POST", path: `${PROJECT}/imports/close`, body: closeBody, answer: importState, status: 200 },
  openExport: { method: "POST", path: `${PROJECT}/exports`, body: null, answer: exportState, status: 200 },
  readPage: {
    method: "POST",
    path: `${PROJECT}/exports/:exportId/pages`,
    body: pageBody,
    answer: exportPage,
    status: 200,
  },
  closeExport: { method: "DELETE", path: `${PROJECT}/exports/:exportId`, body: null, answer: null, status: 204 },
};

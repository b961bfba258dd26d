// What became of the rows of a batch, whichever kind of step it is of. Types alone.
import type { RowRefusal } from "@plinth/bundle/cell";

/** What became of the rows of a batch. */
export interface Taken {
  readonly accepted: number;
  /** Of the stored records. */
  readonly checksum: string;
  readonly refusals: readonly RowRefusal[];
  readonly refusedChecksum: string;
}

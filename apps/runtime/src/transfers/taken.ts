// The result of a batch, for any kind of step. Types only.
import type { RowRefusal } from "@plinth/bundle/cell";

/** The result of a batch. */
export interface Taken {
  readonly accepted: number;
  /** The checksum of the stored records. */
  readonly checksum: string;
  readonly refusals: readonly RowRefusal[];
  readonly refusedChecksum: string;
}

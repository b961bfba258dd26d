// Limits the saved replies for a project's `Idempotency-Key`s. In: the measured size, and the additions since. Out:
// whether a caller can save one more. One caller never fills it for the others. It only counts, and stores nothing.

/** The saved replies of a project: in total, and by callers who have saved much. */
export interface MeasuredReplies {
  readonly bytes: number;
  readonly byCaller: ReadonlyMap<string, number>;
}

/** For one project within a day, in characters. Postgres compresses them. */
export const KEPT_BYTES_MAX = 1_073_741_824;
/**
 * The additions of other replicas are only seen by measuring. It measures at the latest when this replica has filled
 * this share of the room.
 */
const MEASURED_EVERY = 1 / 8;
const MEASURED_EVERY_MS = 10_000;
/** Callers whose additions are counted separately between two measurements. */
const CALLERS_MAX = 10_000;
/** The share of the room that one caller can use. */
const OWN_SHARE = 1 / 2;
/** If the room is full, callers below this share can continue until twice the room is used. */
const LITTLE_SHARE = 1 / 64;

export class ReplyRoom {
  /** From this number of bytes on, a caller has saved much. */
  readonly muchBytes: number;
  readonly #bytesMax: number;
  readonly #clock: () => number;
  #measured: MeasuredReplies | null = null;
  #measuredMs = 0;
  #measuring: Promise<void> | null = null;
  #addedBytes = 0;
  #added = new Map<string, number>();

  /** @param clock Monotonic milliseconds. */
  constructor(bytesMax: number = KEPT_BYTES_MAX, clock: () => number = () => performance.now()) {
    this.#bytesMax = bytesMax;
    this.#clock = clock;
    // Below this limit, a caller counts as if they had saved nothing: only the additions since then could bring them to
    // "little".
    this.muchBytes = (bytesMax * LITTLE_SHARE) / 2;
  }

  add(caller: string, bytes: number): void {
    this.#addedBytes += bytes;
    this.#added.set(caller, (this.#added.get(caller) ?? 0) + bytes);
  }

  /** Measures again if that is due, once for all simultaneous callers. */
  async has(caller: string, measure: () => Promise<MeasuredReplies>): Promise<boolean> {
    if (this.#isDue(caller)) {
      this.#measuring ??= this.#measure(measure).finally(() => {
        this.#measuring = null;
      });
      await this.#measuring;
    }
    return !this.#isFull(caller);
  }

  #isDue(caller: string): boolean {
    if (this.#measured === null) return true;
    if (this.#addedBytes >= this.#bytesMax * MEASURED_EVERY || this.#added.size > CALLERS_MAX) return true;
    return this.#isFull(caller) && this.#clock() - this.#measuredMs >= MEASURED_EVERY_MS;
  }

  #isFull(caller: string): boolean {
    const bytes = (this.#measured?.bytes ?? 0) + this.#addedBytes;
    const own = (this.#measured?.byCaller.get(caller) ?? 0) + (this.#added.get(caller) ?? 0);
    if (own >= this.#bytesMax * OWN_SHARE || bytes >= 2 * this.#bytesMax) return true;
    return bytes >= this.#bytesMax && own >= this.#bytesMax * LITTLE_SHARE;
  }

  async #measure(measure: () => Promise<MeasuredReplies>): Promise<void> {
    const [before, added] = [this.#addedBytes, this.#added];
    this.#added = new Map();
    try {
      this.#measured = await measure();
      this.#measuredMs = this.#clock();
      this.#addedBytes -= before;
    } catch (error) {
      for (const [caller, bytes] of added) this.#added.set(caller, (this.#added.get(caller) ?? 0) + bytes);
      throw error;
    }
  }
}

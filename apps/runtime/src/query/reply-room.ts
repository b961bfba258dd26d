// Room for the replies that a project keeps for its `Idempotency-Key`s. In: what is kept, as it was measured, and what was added since.
// Out: whether a caller may have one more kept. One caller never fills it for the others. It counts, and keeps nothing itself.

/** What is kept of a project: in all, and by callers who keep much. */
export interface MeasuredReplies {
  readonly bytes: number;
  readonly byCaller: ReadonlyMap<string, number>;
}

/** Of one project within a day, in characters; Postgres compresses them. */
export const KEPT_BYTES_MAX = 1_073_741_824;
/** What other replicas add is seen by measuring: no later than after this share of the room was filled by this one. */
const MEASURED_EVERY = 1 / 8;
const MEASURED_EVERY_MS = 10_000;
/** Callers whose additions are counted one by one between two measurements. */
const CALLERS_MAX = 10_000;
/** What one caller may keep of the room. */
const OWN_SHARE = 1 / 2;
/** Where the room is full, whoever keeps less than this share goes on, until twice the room is kept. */
const LITTLE_SHARE = 1 / 64;

export class ReplyRoom {
  /** From so many bytes on a caller keeps much. */
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
    // What a caller keeps below that is as if nothing: who comes from there to "little" has added it since.
    this.muchBytes = (bytesMax * LITTLE_SHARE) / 2;
  }

  add(caller: string, bytes: number): void {
    this.#addedBytes += bytes;
    this.#added.set(caller, (this.#added.get(caller) ?? 0) + bytes);
  }

  /** Measures anew where that is due, once for all who ask. */
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

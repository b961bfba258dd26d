// One reply of server-sent events. In: events. Out: their text, as fast as it is read. It holds no more than its reader has yet to
// take: who doesn't read is given nothing more, and the changes wait in the database.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
import { Readable } from "node:stream";

/** Unread text beyond which nothing more is given. */
const UNREAD_BYTES_MAX = 65_536;

export interface ServerSentEvent {
  /** Where the stream goes on behind it; absent where the event says nothing of that. */
  readonly id?: string;
  readonly event: string;
  /** JSON. */
  readonly data: string;
}

export class EventStream extends Readable {
  #isFull = false;
  #isOver = false;
  readonly #onRoom: () => void;

  /** @param onRoom It is read again. */
  constructor(onRoom: () => void) {
    super({ highWaterMark: UNREAD_BYTES_MAX });
    this.#onRoom = onRoom;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Nothing more is said; what was may still have to be read. */
  get isOver(): boolean {
    return this.#isOver || this.destroyed;
  }

  override _read(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#onRoom();
  }

  send({ id, event, data }: ServerSentEvent): void {
    // JSON of Postgres may have line ends between its parts; in its texts they are escaped.
    const line = data.includes("\n") || data.includes("\r") ? data.replaceAll(/[\r\n]+/g, " ") : data;
    this.#give(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${line}\n\n`);
  }

  /**
   * Says that the stream lives and, where an id is given, how far it has come: as an event of its own, since some libraries take over
   * no id without one.
   */
  beat(id: string | null): void {
    if (id === null) this.#give(":\n\n");
    else this.send({ id, event: "beat", data: "{}" });
  }

  /** @param retryMs When to come back. */
  finish(retryMs: number): void {
    this.#give(`retry: ${Math.round(retryMs)}\n\n`);
    if (this.isOver) return;
    this.#isOver = true;
    this.push(null);
  }

  #give(text: string): void {
    if (this.isOver) return;
    if (!this.push(text)) this.#isFull = true;
  }
}

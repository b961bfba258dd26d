// One reply of server-sent events. In: events. Out: their text, as fast as it is read. It only buffers a limited
// amount: a client that doesn't read gets nothing more, and the changes wait in the database.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
import { Readable } from "node:stream";

/** With this much unread text, nothing more is added. */
const UNREAD_BYTES_MAX = 65_536;

export interface ServerSentEvent {
  /** The position after it, for a reconnect; absent if the event doesn't change it. */
  readonly id?: string;
  readonly event: string;
  /** JSON. */
  readonly data: string;
}

export class EventStream extends Readable {
  #isFull = false;
  #isOver = false;
  readonly #onRoom: () => void;

  /** @param onRoom Called when the client reads again. */
  constructor(onRoom: () => void) {
    super({ highWaterMark: UNREAD_BYTES_MAX });
    this.#onRoom = onRoom;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Nothing more will be sent, but the client may still have to read the rest. */
  get isOver(): boolean {
    return this.#isOver || this.destroyed;
  }

  override _read(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#onRoom();
  }

  send({ id, event, data }: ServerSentEvent): void {
    // Postgres's JSON may have line ends between its parts. In its texts they are escaped.
    const line = data.includes("\n") || data.includes("\r") ? data.replaceAll(/[\r\n]+/g, " ") : data;
    this.#give(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${line}\n\n`);
  }

  /**
   * Shows that the stream is alive and, if an id is given, how far it has come. It is a separate event, because some
   * libraries ignore an id without data.
   */
  beat(id: string | null): void {
    if (id === null) this.#give(":\n\n");
    else this.send({ id, event: "beat", data: "{}" });
  }

  /** @param retryMs When the client should reconnect. */
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

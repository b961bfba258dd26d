// Reads messages of a pipelined connection. In: bytes. Out: pg's own messages, except for rows: their columns are
// converted to text only if needed, because converting each column of a list costs more than everything else.
import type pg from "pg";
import { Parser } from "pg-protocol/dist/parser.js";
import { type RawRow, textsOf } from "./row-bytes.ts";

/**
 * Internal state and methods of pg's connection. They are not in its types, and depend on the version that the
 * workspace pins.
 */
export type LaneWire = {
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  readonly stream: { cork(): void; uncork(): void; write(bytes: Buffer): void; destroy(error: Error): void };
  attachListeners(stream: NodeJS.ReadableStream): void;
  emit(event: string, message: unknown): void;
  parse(statement: { readonly text: string; readonly name: string }): void;
  bind(bound: { readonly statement: string; readonly values: readonly (string | Buffer | null)[] }): void;
};

/**
 * The message DataRow: its columns are in `bytes` from `at` on. They can be overwritten after its handler has returned.
 */
export class WireRow {
  readonly name = "dataRow";
  /** The length of the whole message except its first byte. */
  readonly length: number;
  readonly bytes: Buffer;
  readonly at: number;

  constructor(bytes: Buffer, at: number, length: number) {
    this.bytes = bytes;
    this.at = at;
    this.length = length;
  }

  /** Read by pg's own queries. */
  get fields(): RawRow {
    return textsOf(this.bytes, this.at);
  }
}

type Message = { readonly name: string };

/** Members that its types don't declare. */
interface ProtocolParser {
  parse(bytes: Buffer, onMessage: (message: Message) => void): void;
  handlePacket(at: number, code: number, length: number, bytes: Buffer): Message;
}

const DATA_ROW = "D".charCodeAt(0);

class LaneParser extends (Parser as unknown as new () => ProtocolParser) {
  override handlePacket(at: number, code: number, length: number, bytes: Buffer): Message {
    return code === DATA_ROW ? new WireRow(bytes, at, length) : super.handlePacket(at, code, length, bytes);
  }
}

/** Before the client connects. */
export function listenAsLane(client: pg.Client): void {
  const wire = (client as unknown as { readonly connection: LaneWire }).connection;
  wire.attachListeners = (stream) => {
    const parser = new LaneParser();
    const onMessage = (message: Message): void => {
      wire.emit(message.name === "error" ? "errorMessage" : message.name, message);
    };
    stream.on("data", (bytes: Buffer) => parser.parse(bytes, onMessage));
  };
}

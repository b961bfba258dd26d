// Reads a request's body once its sender is known. In: a request whose head was judged, and a limit. Out: bytes, or a
// Fault. It never buffers more than its gate allows for the project and for all projects, and never waits for slow
// senders.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type ByteGate, Fault } from "@plinth/service";

export interface BodyReading {
  readonly project: string;
  readonly bytesMax: number;
}

/** Smaller bodies aren't counted, because the sockets limit them. */
const SMALL_BYTES = 8_192;
/** After this time a body must arrive at this rate at least. So 1 MiB may take 69 s. */
const GRACE_MS = 5_000;
const BYTES_PER_MS = 16;
const LOOK_MS = 500;

/** @throws Fault `payload_too_large`, `request_timeout`, `bad_request` (cut off), `unavailable` (no room). */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  gate: ByteGate,
  { project, bytesMax }: BodyReading,
): Promise<Buffer> {
  const announced = request.headers["content-length"];
  const length = announced === undefined ? null : Number(announced);
  if (length !== null && length > bytesMax) throw tooLarge(bytesMax);
  const bytes = length ?? bytesMax;
  if (bytes > SMALL_BYTES) {
    const release = await gate.acquire(project, bytes);
    response.once("close", release);
    if (response.destroyed) release();
  }
  // A client that sent `Expect: 100-continue` only continues now.
  if (request.headers.expect !== undefined) response.writeContinue();
  return collect(request, bytesMax);
}

/**
 * Many clients send the whole body before they read the answer. They never see the answer if the connection is closed
 * meanwhile.
 */
const DRAIN_MS = 1_000;
const DRAIN_BYTES = 16 * 1024 * 1024;
/** For clients without a valid credential. Enough for what a few clients and proxies have already sent. */
const STRANGER_DRAIN_BYTES = 4 * 1024 * 1024;
const STRANGERS_MAX = 32;
let strangers = 0;

/** Reads and discards the rest of a body, within limits. @param isKnown Whether its sender is known. */
export async function drain(request: IncomingMessage, isKnown: boolean): Promise<void> {
  // A client that waits for `100-continue` has sent nothing, and won't.
  if (request.headers.expect !== undefined) return;
  if (isKnown) return throwAway(request, DRAIN_BYTES);
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > STRANGER_DRAIN_BYTES || strangers >= STRANGERS_MAX) return;
  strangers++;
  await throwAway(request, STRANGER_DRAIN_BYTES);
  strangers--;
}

function throwAway(request: IncomingMessage, bytesMax: number): Promise<void> {
  return new Promise((resolve) => {
    let left = bytesMax;
    const stop = (): void => {
      clearTimeout(late);
      request.off("data", take).off("end", stop).off("close", stop);
      resolve();
    };
    const take = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) stop();
    };
    const late = setTimeout(stop, DRAIN_MS);
    request.on("data", take).on("end", stop).on("close", stop);
  });
}

function collect(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const startedMs = performance.now();
    let size = 0;
    const stop = (): void => {
      clearInterval(clock);
      request.off("data", take).off("end", end).off("error", lost).off("close", lost);
    };
    const fail = (fault: Fault): void => {
      stop();
      reject(fault);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > bytesMax) fail(tooLarge(bytesMax));
      else chunks.push(chunk);
    };
    const end = (): void => {
      stop();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
    };
    const lost = (): void => fail(new Fault("bad_request", { detail: "The body ended before it was complete." }));
    const clock = setInterval(() => {
      const elapsedMs = performance.now() - startedMs;
      if (elapsedMs > GRACE_MS + size / BYTES_PER_MS) fail(new Fault("request_timeout"));
    }, LOOK_MS);
    request.on("data", take).on("end", end).on("error", lost).on("close", lost);
  });
}

function tooLarge(bytesMax: number): Fault {
  return new Fault("payload_too_large", { detail: `The body may have at most ${bytesMax} bytes.` });
}

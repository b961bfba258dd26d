// Reads publications in threads, one at a time, so that requests don't wait while a large blueprint is deployed. In:
// bytes. Out: what was read. A thread has its own memory limit, and ends with its publication.
import { Worker } from "node:worker_threads";
import { FairQueue, Fault } from "@plinth/service";
import type { PublicationRead, PublicationReader } from "./read-publication.ts";

/** Several times what the largest publication needs. */
const MEMORY_MB = 768;
/** Beyond the patience of control, which then sends it again. */
const TIME_MS_MAX = 60_000;

export function createPublicationReader(): PublicationReader {
  const queue = new FairQueue({
    places: 1,
    placesPerProject: 1,
    waitingMax: 20,
    waitMsMax: 20_000,
    refusal: () =>
      new Fault("unavailable", { detail: "Too many releases arrive at once.", headers: { "retry-after": "5" } }),
  });
  return (bytes) => queue.run("publications", () => readInThread(bytes));
}

function readInThread(bytes: Uint8Array): Promise<PublicationRead> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./reading-thread.ts", import.meta.url), {
      workerData: bytes,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    worker.unref();
    const late = setTimeout(() => void worker.terminate(), TIME_MS_MAX);
    worker.once("message", (read: PublicationRead) => {
      clearTimeout(late);
      resolve(asBuffers(read));
    });
    const died = (cause: unknown): void => {
      clearTimeout(late);
      reject(new Fault("unavailable", { detail: "The publication takes too much work to read.", cause }));
    };
    worker.once("error", died);
    worker.once("exit", (code) => died(new Error(`the thread ended with ${code}`)));
  });
}

/** A message turns buffers into plain arrays of bytes, which Postgres's client would not send as they are. */
function asBuffers(read: PublicationRead): PublicationRead {
  if (read.kind !== "read") return read;
  const { publication, description } = read;
  const { bundle, plan } = publication;
  const { openapi, sdkTypes } = description;
  return {
    kind: "read",
    publication: { ...publication, bundle: bufferOf(bundle), plan: bufferOf(plan) },
    description: { openapi: bufferOf(openapi), sdkTypes: bufferOf(sdkTypes) },
  };
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

// The thread that reads one publication. In: its bytes. Out: one message with what was read. It has no credentials and
// no connections.
import { parentPort, workerData } from "node:worker_threads";
import { giveWayAsThread } from "@plinth/service";
import { readPublication } from "./read-publication.ts";

/** Under load it gets about a tenth of the processor time of another process. */
const NICENESS = 10;

giveWayAsThread(NICENESS);
parentPort?.postMessage(readPublication(workerData as Uint8Array));

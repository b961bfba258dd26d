// The entry point of the package, imported only by tests.
export {
  type ApiDocument,
  type Json,
  type JsonObject,
  type Operation,
  readDocument,
} from "./api-document.ts";
export { createFaultProxy, type FaultProxy } from "./fault-proxy.ts";
export { goldenDirectory } from "./golden-directory.ts";
export { Random } from "./random.ts";
export { type Exchanged, exchangeRaw } from "./raw-exchange.ts";
export { isLongRun, type Sample, sampleOf, seedOfRun, shareOf } from "./sample.ts";
export { freePort, type ProcessOptions, startProcess, type TestProcess } from "./start-process.ts";
export { createTestDatabase, type DatabaseTemplate, type TestDatabase } from "./test-database.ts";

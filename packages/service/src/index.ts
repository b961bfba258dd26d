// The entry point of the package: what every long-running process needs in addition to its own work.
export { ByteCache, type ByteCacheOptions, bytesOfText } from "./byte-cache.ts";
export { ByteGate, type ByteGateOptions } from "./byte-gate.ts";
export type { Clock } from "./clock.ts";
export { ConfigError, readConfig } from "./config.ts";
export { type Budget, FairQueue, type FairQueueOptions } from "./fair-queue.ts";
export { FairShare } from "./fair-share.ts";
export { Fault, type FaultOptions, type FieldError, type Problem, toProblem } from "./fault.ts";
export { type FaultCode, faultCatalogue } from "./fault-catalogue.ts";
export { type HealthChecks, healthRoutes } from "./health.ts";
export { type RunningService, runService, type ServiceOptions } from "./lifecycle.ts";
export { createLogger, type Logger, type LoggerOptions, type LogLevel } from "./logger.ts";
export { createLoopShare } from "./loop-share.ts";
export { giveWay, giveWayAsThread } from "./lower-priority.ts";
export { type Networks, networksOf, noNetworks } from "./networks.ts";
export { leanNodeFlags } from "./node-flags.ts";
export { RecentMap } from "./recent-map.ts";
export { announcesBody, checkRequestHeads, originForm } from "./request-head.ts";
export { SharedByteCache } from "./shared-byte-cache.ts";
export { type Bucket, type BucketLimit, secondsUntil, TokenBuckets } from "./token-buckets.ts";
export { createTurns } from "./turns.ts";
export { createUuidV7, isUuid } from "./uuid-v7.ts";
export {
  eventColumns,
  type RunKind,
  type RunStatus,
  runColumns,
  runKinds,
  runStatuses,
  type StepStatus,
  stepStatuses,
} from "./work-words.ts";

// The entry point of the package. The embedded server has its own (./embedded.ts), because most processes never start
// one.
export { withLock } from "./advisory-lock.ts";
export { type Confirmation, LocksHeld, Overtaken, type RowLock, takeLocks } from "./around-statement.ts";
export { boundedQuery, LOOK_UP_MS_MAX } from "./bounded-query.ts";
export { type BulkScope, type BulkTransaction, createBulkScope, type Snapshot } from "./bulk-scope.ts";
export { checkDatabase, type DatabaseNeeds } from "./check-database.ts";
export { readCopyLine, readCopyValue, writeCopyLine } from "./copy-text.ts";
export { orUnavailable } from "./database-unavailable.ts";
export {
  asFault,
  columnName,
  constraintColumns,
  constraintName,
  isCheckViolation,
  isConnectionLoss,
  isDiskFull,
  isExclusionViolation,
  isForeignKeyViolation,
  isLockTimeout,
  isNotNullViolation,
  isRetryable,
  isTimeout,
  isUniqueViolation,
  sqlState,
  tableName,
} from "./errors.ts";
export {
  createFastLane,
  type FastLane,
  type FastLaneOptions,
  type FastQuery,
} from "./fast-lane.ts";
export { quoteIdentifier, quoteLiteral } from "./identifier.ts";
export type { RawResult } from "./lane-statement.ts";
export { withClient, withSession } from "./lend.ts";
export { type Listening, type ListenOptions, listen } from "./listen.ts";
export { createPool, type Pool, type PoolOptions } from "./pool.ts";
export { UnprovenStatement } from "./prove-statement.ts";
export { bytesOfRows, type RawRow, RowReader } from "./row-bytes.ts";
export { type Migration, type MigrationRun, runMigrations } from "./run-migrations.ts";
export { limitStatements, withoutTimeout } from "./session.ts";
export { allowedFunctions } from "./statement-words.ts";
export { type TenantNames, tenantNames } from "./tenant-names.ts";
export { createTenantSchema, dropTenantSchema, grantTenantRoles } from "./tenant-schema.ts";
export {
  createTenantScope,
  type ProjectScope,
  type TenantLimits,
  type TenantScope,
  type TenantScopeOptions,
  type TenantStatement,
  type TenantTransaction,
  TurnMissed,
} from "./tenant-scope.ts";
export { inTransaction, inTransactionOf } from "./transaction.ts";
export { whenReachable } from "./when-reachable.ts";

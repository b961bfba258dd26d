export { cronInWords } from "./background/cron-words.ts";
export type { Change, ChangeClass, ChangeKind, ConsentKind, ReferringRecords, Witness } from "./change.ts";
export { type CheckedBlueprint, checkBlueprint, type MostAllowed } from "./check-blueprint.ts";
export {
  type Diagnostic,
  type DiagnosticCode,
  type DiagnosticKind,
  diagnosticCatalogue,
  type Position,
  type Severity,
} from "./diagnostic.ts";
export { diffModels } from "./diff.ts";
export { completeAt } from "./editor/complete.ts";
export { type Hover, hoverAt } from "./editor/hover.ts";
export type { Completion, Suggestion } from "./editor/suggestion.ts";
export {
  type AccessExplanation,
  type AccessQuestion,
  explainAccess,
  GIVEN,
  type GivenTests,
} from "./explain-access.ts";
export { patterns, storable } from "./field-types/patterns.ts";
export { formatBlueprint } from "./format.ts";
export { filledRow, testNow, type World, type WorldRow, worldOf } from "./judging/world.ts";
export { blueprintJsonSchema } from "./language/json-schema.ts";
export type * from "./model.ts";
export type * from "./model-background.ts";
export {
  type Audience,
  type BuiltinRule,
  EXAMPLE_RECORD,
  EXTENDED_SCHEMA,
  type FaultStatus,
  type LogFilters,
  type ModuleDescription,
  type ModuleEntity,
  type ModuleEvent,
  type ModuleOperation,
  type OperationBody,
  type OperationReply,
} from "./modules/description.ts";
export { describeModules, moduleEntities, moduleEvents } from "./modules/modules.ts";
export { ORGANIZATION_ENTITY, organizationFields, organizationRoles } from "./modules/organizations.ts";
export { USER_ENTITY, userFields } from "./modules/users.ts";
export { checkName } from "./names.ts";
export type { Place, Places } from "./places.ts";
export { serviceField } from "./plain-field.ts";
export { type Author, type CoreRule, protect, type Touch } from "./protect.ts";
export { type ModelRenames, renamesOf } from "./renames.ts";
export { branchesOf, type RuleCoverage, runTests, type TestReport, type TestResult } from "./run-tests.ts";
export { MODEL_VERSION, readStoredModel } from "./stored-model.ts";

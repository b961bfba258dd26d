export { cronInWords } from "./background/cron-words.ts";
export { type CheckedBlueprint, checkBlueprint, type MostAllowed } from "./check-blueprint.ts";
export type {
  Change,
  ChangeClass,
  ChangeKind,
  ConsentKind,
  CountedRecords,
  ReferringRecords,
  Witness,
} from "./diff/change.ts";
export { diffModels } from "./diff/diff.ts";
export { isGeneratedForExisting } from "./diff/fields.ts";
export { type BlockedField, blockedFields, type MendKind, mendsOf } from "./diff/mends.ts";
export { type Author, type CoreRule, protect, type Touch } from "./diff/protect.ts";
export { type Matches, type ModelRenames, matchByName, renamesOf } from "./diff/renames.ts";
export { mayNotFit } from "./diff/types.ts";
export { completeAt } from "./editor/complete.ts";
export { type Hover, hoverAt } from "./editor/hover.ts";
export type { Completion, Suggestion } from "./editor/suggestion.ts";
export { entityForKey } from "./entity-for-key.ts";
export {
  type AccessExplanation,
  type AccessQuestion,
  explainAccess,
  GIVEN,
  type GivenTests,
} from "./explain-access.ts";
export {
  explainRecord,
  type RecordExplanation,
  type RecordQuestion,
  type Somebody,
} from "./explain-record.ts";
export { patterns, storable } from "./field-types/patterns.ts";
export { formatBlueprint } from "./format/format.ts";
export { type FieldMend, type FieldPath, mendField } from "./format/mend-field.ts";
export { writeOldDefaults } from "./format/write-old-defaults.ts";
export { type WrittenPart, withoutParts, writtenParts } from "./format/written-parts.ts";
export { branchesOf, type RuleCoverage, runTests, type TestReport, type TestResult } from "./judging/run-tests.ts";
export { filledRow, testNow, type World, type WorldRow, worldOf } from "./judging/world.ts";
export { blueprintJsonSchema } from "./language/json-schema.ts";
export type * from "./model/background.ts";
export type * from "./model/model.ts";
export { serviceField } from "./model/plain-field.ts";
export { MODEL_VERSION, readStoredModel } from "./model/stored-model.ts";
export {
  type Audience,
  type BuiltinOperation,
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
export { USER_ENTITY, userEntity, userFields, userRelations } from "./modules/users.ts";
export { columnsOf, type MatrixCell, type MatrixGrant, type MatrixRow, matrixOf } from "./permission-matrix.ts";
export { targetOf } from "./rules/expression-schema.ts";
export {
  type Diagnostic,
  type DiagnosticCode,
  type DiagnosticKind,
  diagnosticCatalogue,
  type Position,
  type Severity,
} from "./text/diagnostic.ts";
export { checkName } from "./text/names.ts";
export type { Place, Places } from "./text/places.ts";
export { type Choice, conflictsOf, joinPieces, mergeTexts, type Piece } from "./text/three-way.ts";

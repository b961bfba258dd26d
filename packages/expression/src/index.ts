export {
  type CheckedExpression,
  type CheckedRule,
  checkExpression,
  checkRule,
  mentionsUser,
  type RuleSource,
} from "./check.ts";
export { isInstant } from "./check-comparison.ts";
export { allows, compareText, type EvaluationContext, evaluate, type Row, type Value } from "./evaluate.ts";
export { type ParsedExpression, parseExpression, type Syntax } from "./parse.ts";
export { printExpression } from "./print.ts";
export { type Problem, type ProblemCode, problemIsWarning } from "./problem.ts";
export type { RuleOperation, Scope } from "./resolve-name.ts";
export { type FieldSchema, type RecordSchema, relationName, type Schema } from "./schema.ts";
export { didYouMean, suggest } from "./suggest.ts";
export type { Expression, Operator, RowName, Type } from "./tree.ts";

export { parseNetwork, printNetwork } from "./address.ts";
export { withArticle } from "./article.ts";
export {
  type CheckedExpression,
  type CheckedRule,
  checkExpression,
  checkRule,
  checkValue,
  type Place,
  type RuleSource,
} from "./check.ts";
export { type ComparisonBudget, createBudget } from "./compare-budget.ts";
export { compareRules, findLoosening, type RuleComparison, type RuleWitness } from "./compare-rules.ts";
export { type ComparisonTypes, type FieldRange, keyOf as keyOfRule } from "./compare-variables.ts";
export { compareText, type Value } from "./datum.ts";
export { allows, type EvaluationContext, evaluate, evaluateValue, namedValue, type Row } from "./evaluate.ts";
export { type Explanation, explain, placeOf } from "./explain.ts";
export type { JsonValue } from "./json-value.ts";
export { type ParsedExpression, parseExpression } from "./parse.ts";
export { compilePattern, type Pattern, type PatternProblem, patternProblem, postgresPattern } from "./pattern.ts";
export { printExpression } from "./print.ts";
export { type Problem, type ProblemCode, problemIsWarning } from "./problem.ts";
export { type FieldSchema, type RecordSchema, relationName, type Schema } from "./schema.ts";
export type { RuleOperation, Scope, ValueShape, WorkScope } from "./scope.ts";
export { specialNames } from "./scope.ts";
export { type Anchor, overBothRows, substitute } from "./substitute.ts";
export { didYouMean, suggest } from "./suggest.ts";
export type { Syntax } from "./syntax.ts";
export { isInstant } from "./temporal.ts";
export type {
  Aggregate,
  Arithmetic,
  Comparison,
  Expression,
  FunctionName,
  Operator,
  Quantifier,
  RowName,
  TextTest,
  Type,
} from "./tree.ts";
export { countNodes, joined, mentionsUser, negated, partsOf, rewrite, someNode, withParts } from "./walk.ts";
export { type StepErrorCode, stepErrorCode, stepErrorCodes } from "./work-error.ts";
export type { Moment, Retry, Step, StepAction, StepFailure, Template, Values } from "./work-step.ts";

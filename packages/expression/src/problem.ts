// A problem of an expression: data for the diagnostics of the blueprint.

export type ProblemCode =
  | "expression_syntax"
  | "expression_too_large"
  | "expression_not_supported"
  | "unknown_name"
  | "ambiguous_name"
  | "unknown_enum_value"
  | "unknown_role_name"
  | "type_mismatch"
  | "not_a_condition"
  | "row_not_available"
  | "name_not_available"
  | "unknown_function"
  | "wrong_arguments"
  | "invalid_pattern"
  | "rule_circle";

export interface Problem {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint: string | null;
  /** Offsets into the expression's text (UTF-16 code units), end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Only `ambiguous_name` still has a meaning (the field wins), so it is a warning. */
export function problemIsWarning(problem: Problem): boolean {
  return problem.code === "ambiguous_name";
}

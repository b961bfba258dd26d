// What a diagnostic is, and the catalogue of all that there are. Docs and tests are made from it.
import type { ProblemCode } from "@plinth/expression";
import { expressionDiagnostics } from "./catalogue/expressions.ts";
import { type FieldCode, fieldDiagnostics } from "./catalogue/fields.ts";
import type { DiagnosticKind, Severity } from "./catalogue/kind.ts";
import { type StructureCode, structureDiagnostics } from "./catalogue/structure.ts";
import { type YamlCode, yamlDiagnostics } from "./catalogue/yaml.ts";

export type { DiagnosticKind, Severity };

/** Line and column are 1-based, the offset is 0-based; columns and offsets count UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string | null;
  readonly span: { readonly start: Position; readonly end: Position };
}

export type DiagnosticCode = YamlCode | StructureCode | FieldCode | ProblemCode;

export const diagnosticCatalogue: Readonly<Record<DiagnosticCode, DiagnosticKind>> = {
  ...yamlDiagnostics,
  ...structureDiagnostics,
  ...fieldDiagnostics,
  ...expressionDiagnostics,
};

// The type of a diagnostic, and the catalogue of all of them. Docs and tests are made from it.
import type { ProblemCode } from "@plinth/expression";
import { type BackgroundCode, backgroundDiagnostics } from "./catalogue/background.ts";
import { type EntityCode, entityDiagnostics } from "./catalogue/entities.ts";
import { expressionDiagnostics } from "./catalogue/expressions.ts";
import { type FieldCode, fieldDiagnostics } from "./catalogue/fields.ts";
import type { DiagnosticKind, Severity } from "./catalogue/kind.ts";
import { type PermissionCode, permissionDiagnostics } from "./catalogue/permissions.ts";
import { type StructureCode, structureDiagnostics } from "./catalogue/structure.ts";
import { type TestCode, testDiagnostics } from "./catalogue/tests.ts";
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

export type DiagnosticCode =
  | YamlCode
  | StructureCode
  | FieldCode
  | EntityCode
  | PermissionCode
  | TestCode
  | BackgroundCode
  | ProblemCode;

export const diagnosticCatalogue: Readonly<Record<DiagnosticCode, DiagnosticKind>> = {
  ...yamlDiagnostics,
  ...structureDiagnostics,
  ...fieldDiagnostics,
  ...entityDiagnostics,
  ...permissionDiagnostics,
  ...testDiagnostics,
  ...backgroundDiagnostics,
  ...expressionDiagnostics,
};

// Diagnostics for a blueprint above the operator's limits. In: its sizes, and the limits. Out: diagnostics of the whole text. The
// check itself reports limits in the section `api`, with their positions.
import type { Diagnostic } from "@plinth/blueprint";
import type { OperatorLimits } from "../operator-limits.ts";

export function operatorDiagnostics(
  { tables, bundleBytes, planBytes }: { tables: number; bundleBytes: number; planBytes: number },
  limits: Pick<OperatorLimits, "tablesMax" | "bundleBytesMax" | "planBytesMax">,
): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  if (tables > limits.tablesMax) {
    const message = `The blueprint has ${tables} tables; the operator allows at most ${limits.tablesMax}.`;
    found.push(diagnosticOf("too_many", message, "Each entity is a table, and so is each many-to-many field."));
  }
  if (bundleBytes > limits.bundleBytesMax) {
    const message = `The blueprint compiles to ${bundleBytes} bytes; the operator allows at most ${limits.bundleBytesMax}.`;
    found.push(diagnosticOf("blueprint_too_large", message, "Split the project, or remove entities, fields or rules."));
  }
  if (planBytes > limits.planBytesMax) {
    const message = `The change and its plan take ${planBytes} bytes; the operator allows at most ${limits.planBytesMax}.`;
    found.push(
      diagnosticOf("blueprint_too_large", message, "Split it into several changes, with a few entities each."),
    );
  }
  return found;
}

/** For a check that was stopped. */
export function overBudgetDiagnostic(resource: "time" | "memory"): Diagnostic {
  const message = `Reading this blueprint takes more ${resource} than the operator allows.`;
  return diagnosticOf("blueprint_too_large", message, "Shorten its longest rules and texts, or split the project.");
}

const start = { line: 1, column: 1, offset: 0 } as const;

function diagnosticOf(code: Diagnostic["code"], message: string, hint: string): Diagnostic {
  return { code, severity: "error", message, hint, span: { start, end: start } };
}

// What is told of a blueprint that asks for more than the operator allows. In: what it came to, and the limits.
// Out: diagnostics of the whole text. What the section `api` asks for is found by the check itself, with its place.
import type { Diagnostic } from "@plinth/blueprint";
import type { OperatorLimits } from "../operator-limits.ts";

export function operatorDiagnostics(
  { tables, bundleBytes, planBytes }: { tables: number; bundleBytes: number; planBytes: number },
  limits: Pick<OperatorLimits, "tablesMax" | "bundleBytesMax" | "planBytesMax">,
): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  if (tables > limits.tablesMax) {
    const message = `The blueprint makes ${tables} tables; the operator allows at most ${limits.tablesMax}.`;
    found.push(ofWhole("too_many", message, "Each entity is a table, and so is each many-to-many field."));
  }
  if (bundleBytes > limits.bundleBytesMax) {
    const message = `The blueprint compiles to ${bundleBytes} bytes; the operator allows at most ${limits.bundleBytesMax}.`;
    found.push(ofWhole("blueprint_too_large", message, "Split the project, or take away entities, fields or rules."));
  }
  if (planBytes > limits.planBytesMax) {
    const message = `The change and its plan take ${planBytes} bytes; the operator allows at most ${limits.planBytesMax}.`;
    found.push(ofWhole("blueprint_too_large", message, "Make it in several changes, some entities at a time."));
  }
  return found;
}

/** For a check that was ended. */
export function overBudgetDiagnostic(resource: "time" | "memory"): Diagnostic {
  const message = `Reading this blueprint takes more ${resource} than the operator allows.`;
  return ofWhole("blueprint_too_large", message, "Shorten its longest rules and texts, or split the project.");
}

const start = { line: 1, column: 1, offset: 0 } as const;

function ofWhole(code: Diagnostic["code"], message: string, hint: string): Diagnostic {
  return { code, severity: "error", message, hint, span: { start, end: start } };
}

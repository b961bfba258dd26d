// The diagnostics for which the control API refused a text. In: the error of a request. Out: diagnostics, or none.
import type { Diagnostic } from "@plinth/blueprint";
import { TRPCClientError } from "@trpc/client";

export function refusedDiagnostics(error: unknown): readonly Diagnostic[] {
  if (!(error instanceof TRPCClientError)) return [];
  const data: unknown = error.data;
  if (typeof data !== "object" || data === null || !("diagnostics" in data)) return [];
  return Array.isArray(data.diagnostics) ? (data.diagnostics as readonly Diagnostic[]) : [];
}

// Collects the diagnostics of one blueprint. In: codes with offsets. Out: sorted diagnostics with lines, in a limited
// number.
import { type Diagnostic, type DiagnosticCode, diagnosticCatalogue, type Position } from "./diagnostic.ts";
import type { Range } from "./syntax.ts";

export const DIAGNOSTICS_MAX = 100;

export interface Report {
  add(code: DiagnosticCode, range: Range, message: string, hint?: string | null): void;
  /** A missing entity `name`: this is reported once for the entity and its events, not at each use. */
  shouldBeCalled(name: string): void;
  /** Whether any error was added. */
  failed(): boolean;
  /** Sorted by position, at most `DIAGNOSTICS_MAX`; if there are more, errors have priority over warnings. */
  diagnostics(): readonly Diagnostic[];
}

export function createReport(source: string): Report {
  const found: { code: DiagnosticCode; range: Range; message: string; hint: string | null }[] = [];
  const keys = new Set<string>();
  const meant = new Set<string>();
  const causeOf = ({ code, range, hint }: (typeof found)[number]): string | null => {
    // The hint names the module, which fixes every place that needs it.
    if (code === "module_missing") return hint;
    if (code !== "unknown_entity" && code !== "unknown_event") return null;
    const name = source.slice(range.start, range.end).split(".")[0] ?? "";
    return meant.has(name) ? name : null;
  };
  return {
    add(code, range, message, hint = null) {
      const start = Math.max(0, Math.min(range.start, source.length));
      const end = Math.max(start, Math.min(range.end, source.length));
      const key = `${code} ${start} ${end} ${message}`;
      if (keys.has(key)) return;
      keys.add(key);
      found.push({ code, range: { start, end }, message, hint });
    },
    shouldBeCalled: (name) => void meant.add(name),
    failed: () => found.some((one) => diagnosticCatalogue[one.code].severity === "error"),
    diagnostics() {
      const positionOf = createPositions(source);
      const causes = onceEach(found, causeOf);
      const all = causes.map(
        ({ code, range, message, hint }): Diagnostic => ({
          code,
          severity: diagnosticCatalogue[code].severity,
          message,
          hint,
          span: { start: positionOf(range.start), end: positionOf(range.end) },
        }),
      );
      const kept =
        all.length <= DIAGNOSTICS_MAX
          ? all
          : [...all].sort((a, b) => severityOrder(a) - severityOrder(b) || byPosition(a, b)).slice(0, DIAGNOSTICS_MAX);
      return kept.sort(byPosition);
    },
  };
}

/** Without the later ones of each cause; null is never the same cause. */
function onceEach<One extends { readonly range: Range }>(
  all: readonly One[],
  causeOf: (one: One) => string | null,
): readonly One[] {
  const reported = new Set<string>();
  return all
    .toSorted((a, b) => a.range.start - b.range.start)
    .filter((one) => {
      const cause = causeOf(one);
      return cause === null || reported.size !== reported.add(cause).size;
    });
}

function severityOrder(diagnostic: Diagnostic): number {
  return diagnostic.severity === "error" ? 0 : 1;
}

function byPosition(a: Diagnostic, b: Diagnostic): number {
  const order = a.span.start.offset - b.span.start.offset || a.span.end.offset - b.span.end.offset;
  return order || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0);
}

export function createPositions(source: string): (offset: number) => Position {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1, offset };
  };
}

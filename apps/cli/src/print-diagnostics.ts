// Prints diagnostics. In: a blueprint's text and its diagnostics. Out: lines with position, code, message, the line itself with a
// caret under it, and the hint. It never changes their order.
import type { Diagnostic } from "@plinth/blueprint";
import type { Terminal } from "./terminal.ts";

/** Prints all diagnostics and a last line with their number. */
export function printDiagnostics(
  terminal: Terminal,
  file: string,
  text: string,
  diagnostics: readonly Diagnostic[],
): void {
  const lines = text.split(/\r?\n/);
  for (const diagnostic of diagnostics) terminal.err(diagnosticText(terminal, file, lines, diagnostic));
  const errors = diagnostics.filter(isError).length;
  const warnings = diagnostics.length - errors;
  const counts = [counted(errors, "error"), counted(warnings, "warning")].filter((part) => part !== null);
  if (counts.length > 0) terminal.err(`${file}: ${counts.join(", ")}`);
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(isError);
}

function diagnosticText(
  { paint, columns }: Terminal,
  file: string,
  lines: readonly string[],
  { code, severity, message, hint, span }: Diagnostic,
): string {
  const colour = severity === "error" ? "red" : "yellow";
  const number = String(span.start.line);
  const margin = " ".repeat(number.length);
  const bar = paint("blue", "|");
  const line = lines[span.start.line - 1] ?? "";
  // A span over several lines is marked to the end of its first line.
  const end = span.end.line === span.start.line ? span.end.column : line.length + 1;
  const { shown, from } = windowOf(line, span.start.column - 1, columns === null ? null : columns - number.length - 3);
  const before = shown.slice(0, span.start.column - 1 - from).replace(/[^\t]/g, " ");
  const marks = "^".repeat(Math.max(1, Math.min(end - span.start.column, shown.length - before.length)));
  const rows = [
    `${paint(colour, `${severity}[${code}]`)}: ${paint("bold", message)}`,
    `${margin}${paint("blue", "-->")} ${file}:${number}:${span.start.column}`,
    `${margin} ${bar}`,
    `${paint("blue", number)} ${bar} ${shown}`,
    `${margin} ${bar} ${before}${paint(colour, marks)}`,
  ];
  if (hint !== null) rows.push(`${margin} ${paint("blue", "=")} hint: ${hint}`);
  return `${rows.join("\n")}\n`;
}

/** The part of a line that fits. If the line is cut, `at` is a third from the left. */
function windowOf(line: string, at: number, room: number | null): { readonly shown: string; readonly from: number } {
  if (room === null || line.length <= room) return { shown: line, from: 0 };
  const dots = "...";
  const start = at < room - dots.length ? 0 : Math.min(at - Math.floor(room / 3), line.length - room);
  const part = line.slice(start, start + room);
  const left = start === 0 ? part : dots + part.slice(dots.length);
  return { shown: start + room >= line.length ? left : left.slice(0, -dots.length) + dots, from: start };
}

function isError(diagnostic: Diagnostic): boolean {
  return diagnostic.severity === "error";
}

function counted(number: number, noun: string): string | null {
  return number === 0 ? null : `${number} ${noun}${number === 1 ? "" : "s"}`;
}

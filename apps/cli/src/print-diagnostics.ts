// Diagnostics for a person. In: a blueprint's text and what is wrong with it. Out: lines with place, code, message,
// the line itself with a caret under it, and the hint. It never changes their order.
import type { Diagnostic } from "@plinth/blueprint";
import type { Terminal } from "./terminal.ts";

/** Prints all of them and a last line that counts. */
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
  { paint }: Terminal,
  file: string,
  lines: readonly string[],
  { code, severity, message, hint, span }: Diagnostic,
): string {
  const colour = severity === "error" ? "red" : "yellow";
  const number = String(span.start.line);
  const margin = " ".repeat(number.length);
  const bar = paint("blue", "|");
  const line = lines[span.start.line - 1] ?? "";
  // A span over several lines is marked to the end of its first.
  const end = span.end.line === span.start.line ? span.end.column : line.length + 1;
  const before = line.slice(0, span.start.column - 1).replace(/[^\t]/g, " ");
  const marks = "^".repeat(Math.max(1, end - span.start.column));
  const rows = [
    `${paint(colour, `${severity}[${code}]`)}: ${paint("bold", message)}`,
    `${margin}${paint("blue", "-->")} ${file}:${number}:${span.start.column}`,
    `${margin} ${bar}`,
    `${paint("blue", number)} ${bar} ${line}`,
    `${margin} ${bar} ${before}${paint(colour, marks)}`,
  ];
  if (hint !== null) rows.push(`${margin} ${paint("blue", "=")} hint: ${hint}`);
  return `${rows.join("\n")}\n`;
}

function isError(diagnostic: Diagnostic): boolean {
  return diagnostic.severity === "error";
}

function counted(number: number, noun: string): string | null {
  return number === 0 ? null : `${number} ${noun}${number === 1 ? "" : "s"}`;
}

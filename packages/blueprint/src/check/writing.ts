// Checks texts for people (label, help, deprecation). In: the text. Out: a diagnostic if it is too long, or has
// characters that a document can't contain.
import type { DiagnosticCode } from "../text/diagnostic.ts";
import type { Report } from "../text/report.ts";
import type { Word } from "../text/syntax.ts";

const WRITING_MAX = 2_000;

export function checkWriting({ text, range }: Word, code: DiagnosticCode, report: Report): void {
  if (text.length > WRITING_MAX) {
    report.add(code, range, `This text has ${text.length} characters. The maximum is ${WRITING_MAX}.`);
  } else if (isUnstorable(text)) {
    report.add(
      code,
      range,
      "This text contains a NUL character or half of a surrogate pair.",
      "Remove the escape sequence that creates it.",
    );
  }
}

/** Characters that the database and documents can't contain: NUL, or half of a surrogate pair. */
export function isUnstorable(text: string): boolean {
  return text.includes("\u0000") || !text.isWellFormed();
}

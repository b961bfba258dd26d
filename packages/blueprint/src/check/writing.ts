// In: what people are told of a field or an entity (label, help, why it is deprecated). Out: a diagnostic where it could not
// be shown: too long, or with characters that no document can hold.
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

/** What neither the database nor a document can hold: a NUL, or half of a character. */
export function isUnstorable(text: string): boolean {
  return text.includes("\u0000") || !text.isWellFormed();
}

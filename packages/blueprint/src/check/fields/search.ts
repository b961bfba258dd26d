// Reads `searchable(A, fuzzy)`. In: its words. Out: how search uses the field, with a diagnostic for each word that is
// not valid.
import type { FieldDeclaration } from "../../declarations/entity-declaration.ts";
import type { FieldSearch, FieldType, SearchWeight } from "../../model/model.ts";
import type { Report } from "../../text/report.ts";

const weights: readonly SearchWeight[] = ["A", "B", "C", "D"];

/** Null if there is none. */
export function checkSearch({ search }: FieldDeclaration, { kind }: FieldType, report: Report): FieldSearch | null {
  let weight: SearchWeight | null = null;
  let fuzzy = false;
  for (const { text, range } of search) {
    const named = weights.find((one) => one === text);
    if (named === undefined && text !== "fuzzy") {
      const hint = "Use a weight from `A` to `D` (`A` counts most), `fuzzy`, or both: `searchable(A, fuzzy)`.";
      report.add("invalid_field", range, `\`${text.slice(0, 40)}\` is not a valid value for \`searchable\`.`, hint);
    } else if (named === undefined ? fuzzy : weight !== null) {
      report.add(
        "duplicate_value",
        range,
        "`searchable` can have one weight, and `fuzzy` once.",
        "Remove one of them.",
      );
    } else if (named === undefined && kind === "i18n") {
      const message = "`fuzzy` can't be used here: translated texts can only be searched by whole words.";
      report.add("misplaced_modifier", range, message, "Remove `fuzzy`.");
    }
    if (named === undefined) fuzzy ||= text === "fuzzy";
    else weight ??= named;
  }
  return weight === null && !fuzzy ? null : { weight: weight ?? "D", fuzzy };
}

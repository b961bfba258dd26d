// Reads the section `search`. In: its syntax. Out: the language whose words search knows; null if none is named.
import { searchLanguages } from "../field-types/search-languages.ts";
import type { Report } from "../text/report.ts";
import { suggestFor } from "../text/suggestions.ts";
import type { Word } from "../text/syntax.ts";

export function checkSearchLanguage(word: Word | null, report: Report): string | null {
  if (word === null || searchLanguages.includes(word.text)) return word?.text ?? null;
  const meant = nameOf(word.text);
  const hint =
    meant === null
      ? (suggestFor(word.text, searchLanguages, report) ?? `Known languages: ${searchLanguages.join(", ")}.`)
      : `Write \`language: ${meant}\`.`;
  report.add(
    "invalid_search",
    word.range,
    `\`${word.text.slice(0, 40)}\` is not a language that search supports.`,
    hint,
  );
  return null;
}

/** For `de`: `german`; null if it is not the code of a supported language. */
function nameOf(code: string): string | null {
  if (!/^[A-Za-z]{2,3}(-[A-Za-z]{2,4})?$/.test(code)) return null;
  const name = new Intl.DisplayNames("en", { type: "language" }).of(code.slice(0, 2).toLowerCase())?.toLowerCase();
  return searchLanguages.find((one) => one === name) ?? null;
}

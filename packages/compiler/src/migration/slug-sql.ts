// Makes a slug in SQL, as the service does for a new record (the runtime's `slugOf`). They differ only if a mark of
// another script is directly next to Latin letters, which separates words here.
import { quoteText } from "../sql/sql-text.ts";

/** The maximum length of a generated slug. */
const SLUG_CHARS_MAX = 80;
/** Marks that decomposition separates from their letter. */
const MARKS = "[\\u0300-\\u036F\\u1AB0-\\u1AFF\\u1DC0-\\u1DFF\\u20D0-\\u20FF\\uFE20-\\uFE2F]";
const LETTERS: Readonly<Record<string, string>> = {
  "[ßẞ]": "ss",
  "[æÆ]": "ae",
  "[œŒ]": "oe",
  "[øØ]": "o",
  "[łŁ]": "l",
  "[đĐðÐ]": "d",
  "[þÞ]": "th",
};

/** Null if the text is null. If the text has no Latin letter or digit, the slug is the end of the id. */
export function slugSql(text: string, id: string): string {
  const plain = Object.entries({ [MARKS]: "", ...LETTERS }).reduce(
    (made, [letters, latin]) => replaced(made, letters, latin),
    `normalize(${text}, NFKD)`,
  );
  // Only ASCII is compared, whatever the database's language.
  const words = replaced(replaced(`lower(${plain} collate "C")`, "['’]", ""), "[^a-z0-9]+", "-");
  const slug = `rtrim(left(btrim(${words}, '-'), ${SLUG_CHARS_MAX}), '-')`;
  return `case when ${text} is not null then coalesce(nullif(${slug}, ''), right(${id}::text, 8)) end`;
}

function replaced(text: string, letters: string, latin: string): string {
  return `regexp_replace(${text}, ${quoteText(letters)}, ${quoteText(latin)}, 'g')`;
}

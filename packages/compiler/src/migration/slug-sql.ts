// A slug made of a text in SQL, as the service makes it of a new record's (the runtime's `slugOf`). They differ only where a mark
// of another script stands right beside Latin letters: it parts words here.
import { quoteText } from "../sql/sql-text.ts";

/** What the service makes is no longer. */
const SLUG_CHARS_MAX = 80;
/** Marks that decomposition sets apart from their letter. */
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

/** Null where the text is. A text without a Latin letter or digit is named by the id's last digits. */
export function slugSql(text: string, id: string): string {
  const plain = Object.entries({ [MARKS]: "", ...LETTERS }).reduce(
    (made, [letters, latin]) => replaced(made, letters, latin),
    `normalize(${text}, NFKD)`,
  );
  // Only ASCII is left to be told apart, whatever the database's language.
  const words = replaced(replaced(`lower(${plain} collate "C")`, "['’]", ""), "[^a-z0-9]+", "-");
  const slug = `rtrim(left(btrim(${words}, '-'), ${SLUG_CHARS_MAX}), '-')`;
  return `case when ${text} is not null then coalesce(nullif(${slug}, ''), right(${id}::text, 8)) end`;
}

function replaced(text: string, letters: string, latin: string): string {
  return `regexp_replace(${text}, ${quoteText(letters)}, ${quoteText(latin)}, 'g')`;
}

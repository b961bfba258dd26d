// Reads JSON of other services. In: its text. Out: its value. Whole numbers that JavaScript would round become texts of
// their digits, which is how expressions and fields represent such numbers.

/** A text without such a long number, which most are, is parsed at full speed. */
const LONG = /\d{16}/;
const WHOLE = /^-?\d+$/;

export function parseExactly(text: string): unknown {
  return LONG.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
}

function exact(_: string, value: unknown, context?: { readonly source: string }): unknown {
  const isRounded = typeof value === "number" && !Number.isSafeInteger(value);
  return isRounded && context !== undefined && WHOLE.test(context.source) ? context.source : value;
}

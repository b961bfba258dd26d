// JSON of other services, read. In: its text. Out: its value; whole numbers that JavaScript would round are their digits, as text, which
// is how expressions and fields hold numbers of that size.

/** What has no number of so many digits, which most texts have not, is read at full speed. */
const LONG = /\d{16}/;
const WHOLE = /^-?\d+$/;

export function parseExactly(text: string): unknown {
  return LONG.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
}

function exact(_: string, value: unknown, context?: { readonly source: string }): unknown {
  const isRounded = typeof value === "number" && !Number.isSafeInteger(value);
  return isRounded && context !== undefined && WHOLE.test(context.source) ? context.source : value;
}

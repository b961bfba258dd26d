// Exact numbers: whole numbers and decimals of any size. In: their text or a JSON number. Out: a scaled integer, and
// arithmetic on it. It never rounds, except that `/` is truncated.

/** `digits / 10^scale`; the scale is never negative. */
export interface Exact {
  readonly digits: bigint;
  readonly scale: number;
}

/** Decimal places after which a division is truncated. */
export const DIVISION_PLACES = 10;
/** The maximum number of digits, and the maximum exponent: far more than any column holds. */
const DIGITS_MAX = 1_500;
/**
 * Floats between 1e-150 and 1e150 (and 0) can be used in arithmetic, so that products and quotients are never out of
 * range.
 */
const FLOAT_EXPONENT_MAX = 150;

/** Parses `-12`, `12.50` or `1e-7`; null if the text is not such a number. */
export function parseExact(source: string | number): Exact | null {
  const text = typeof source === "number" ? String(source) : source;
  if (text.length > DIGITS_MAX) return null;
  const negative = text.charCodeAt(0) === 45;
  let at = negative ? 1 : 0;
  const wholeStart = at;
  at = endOfDigits(text, at);
  if (at === wholeStart) return null;
  let digits = text.slice(wholeStart, at);
  let scale = 0;
  if (text[at] === ".") {
    const end = endOfDigits(text, at + 1);
    scale = end - at - 1;
    if (scale === 0) return null;
    digits += text.slice(at + 1, end);
    at = end;
  }
  if (text[at] === "e" || text[at] === "E") {
    const sign = text[at + 1] === "-" || text[at + 1] === "+" ? 1 : 0;
    const end = endOfDigits(text, at + 1 + sign);
    if (end === at + 1 + sign || end - at > 6) return null;
    scale -= Number(text.slice(at + 1, end));
    at = end;
  }
  if (at !== text.length || Math.abs(scale) > DIGITS_MAX) return null;
  const value = BigInt(digits) * (negative ? -1n : 1n);
  return scale < 0 ? { digits: value * power(-scale), scale: 0 } : { digits: value, scale };
}

/** The shortest decimal text: no exponent, no trailing zeros. */
export function printExact({ digits, scale }: Exact): string {
  const negative = digits < 0n;
  const text = String(negative ? -digits : digits).padStart(scale + 1, "0");
  const whole = text.slice(0, text.length - scale);
  let end = text.length;
  while (end > whole.length && text[end - 1] === "0") end--;
  return `${negative ? "-" : ""}${whole}${end === whole.length ? "" : `.${text.slice(whole.length, end)}`}`;
}

/** Negative, zero or positive. */
export function compareExact(a: Exact, b: Exact): number {
  const [x, y] = aligned(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

export function addExact(a: Exact, b: Exact): Exact {
  const [x, y] = aligned(a, b);
  return { digits: x + y, scale: Math.max(a.scale, b.scale) };
}

export function subtractExact(a: Exact, b: Exact): Exact {
  return addExact(a, { digits: -b.digits, scale: b.scale });
}

export function multiplyExact(a: Exact, b: Exact): Exact {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/** The quotient, truncated toward zero after `places`; null for a division by zero. */
export function divideExact(a: Exact, b: Exact, places: number): Exact | null {
  if (b.digits === 0n) return null;
  return { digits: (a.digits * power(b.scale + places)) / (b.digits * power(a.scale)), scale: places };
}

/** Rounds to this many decimal places; a value in the middle is rounded away from zero. */
export function roundExact({ digits, scale }: Exact, places: number): Exact {
  if (scale <= places) return { digits, scale };
  const unit = power(scale - places);
  const size = digits < 0n ? -digits : digits;
  const rounded = (size + unit / 2n) / unit;
  return { digits: digits < 0n ? -rounded : rounded, scale: places };
}

/** The greatest whole number that is not greater than the value. */
export function floorExact({ digits, scale }: Exact): Exact {
  const unit = power(scale);
  const cut = digits / unit;
  return { digits: digits % unit < 0n ? cut - 1n : cut, scale: 0 };
}

/** As an IEEE double; null if it is outside the range for arithmetic. */
export function floatOf(exact: Exact): number | null {
  const size = exact.digits < 0n ? -exact.digits : exact.digits;
  if (size === 0n) return 0;
  if (size > power(FLOAT_EXPONENT_MAX + exact.scale)) return null;
  if (size * power(FLOAT_EXPONENT_MAX) < power(exact.scale)) return null;
  return Number(printExact(exact));
}

/**
 * Rounds a float to 15 digits, as Postgres converts it to numeric; a value in the middle is rounded to the even digit.
 * @param value Not infinite, and not NaN.
 */
export function fifteenDigits(value: number): Exact {
  // `toExponential` rounds a value in the middle up; 60 digits show whether it is exactly in the middle.
  const [digits = "", exponent = "0"] = value.toExponential(60).split("e");
  const isTie = /^-?\d\.\d{13}[02468]50*$/.test(digits);
  const text = isTie ? `${digits.slice(0, digits.indexOf(".") + 15)}e${exponent}` : value.toExponential(14);
  const exact = parseExact(text);
  if (exact === null) throw new Error(`${value} is not a number`);
  return exact;
}

/** Whether a float can be an operand of arithmetic. */
export function isCalculable(value: number): boolean {
  const size = Math.abs(value);
  return size === 0 || (size <= 1e150 && size >= 1e-150);
}

function aligned(a: Exact, b: Exact): [bigint, bigint] {
  if (a.scale === b.scale) return [a.digits, b.digits];
  return a.scale < b.scale
    ? [a.digits * power(b.scale - a.scale), b.digits]
    : [a.digits, b.digits * power(a.scale - b.scale)];
}

function power(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++;
  return at;
}

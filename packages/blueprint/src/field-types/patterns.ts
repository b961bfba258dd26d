// Regular expressions for JSON Schemas (ECMA-262, flag u). Each takes time linear in the text: no part of one can match
// in two ways.

/** Text that Postgres can store: no NUL, no half of a surrogate pair. */
export const storable = "^[^\\x00\\p{Cs}]*$";

type Format =
  | "uuid"
  | "email"
  | "url"
  | "slug"
  | "phone"
  | "color"
  | "timezone"
  | "country"
  | "currency"
  | "locale"
  | "bigint"
  | "date"
  | "time"
  | "datetime"
  | "duration";

const label = "[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?";

/** The years 1 to 9999 by the calendar. */
const date = calendarDate();
const clock = "(?:[01]\\d|2[0-3]):[0-5]\\d";

export const patterns: Readonly<Record<Format, string>> = {
  uuid: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
  /** The form of the HTML standard, with a dot in the host. */
  email: `^[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~\\-]+@${label}(?:\\.${label})+$`,
  /** http or https, a host by name or address, and no blanks or controls. */
  url: `^https?://(?:${label}(?:\\.${label})*|\\[[0-9A-Fa-f:.]{2,45}\\])(?::\\d{1,5})?(?:[/?#][^\\s\\x00-\\x1f\\x7f\\p{Cs}]*)?$`,
  slug: "^[a-z0-9]+(?:-[a-z0-9]+)*$",
  /** E.164. */
  phone: "^\\+[1-9]\\d{6,14}$",
  color: "^#(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$",
  /** The form of a name in the IANA database. */
  timezone: "^(?:UTC|[A-Z][A-Za-z0-9_+\\-]{1,31}(?:/[A-Z][A-Za-z0-9_+\\-]{1,31}){1,2})$",
  /** ISO 3166-1, two letters. */
  country:
    "^(?:A[DEFGILMOQRSTUWXZ]|B[ABDEFGHIJLMNOQRSTVWYZ]|C[ACDFGHIKLMNORUVWXYZ]|D[EJKMOZ]|E[CEGHRST]|F[IJKMOR]|" +
    "G[ABDEFGHILMNPQRSTUWY]|H[KMNRTU]|I[DELMNOQRST]|J[EMOP]|K[EGHIMNPRWYZ]|L[ABCIKRSTUVY]|M[ACDEFGHKLMNOPQRSTUVWXYZ]|" +
    "N[ACEFGILOPRUZ]|OM|P[AEFGHKLMNRSTWY]|QA|R[EOSUW]|S[ABCDEGHIJKLMNORSTVXYZ]|T[CDFGHJKLMNORTVWZ]|U[AGMSYZ]|" +
    "V[ACEGINU]|W[FS]|Y[ET]|Z[AMW])$",
  /** The form of an ISO 4217 code. */
  currency: "^[A-Z]{3}$",
  /** Language, script and region of BCP 47: `en`, `pt-BR`, `zh-Hant-TW`. */
  locale: "^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\\d{3}))?$",
  bigint: `^(?:0|-?(?:${atMost("9223372036854775807")})|-9223372036854775808)$`,
  date: `^(?!0000)${date}$`,
  time: `^${clock}(?::[0-5]\\d(?:\\.\\d{1,6})?)?$`,
  /** RFC 3339 by the calendar, microseconds at most, an offset that Postgres knows (up to 15:59), no leap second. */
  datetime:
    // No year 0, and no offset that leaves the years 1 to 9999.
    `^(?!0000|(?:0001|9999)-.{14,}[+\\-])${date}[Tt]${clock}:[0-5]\\d(?:\\.\\d{1,6})?(?:[Zz]|[+\\-](?:0\\d|1[0-5]):[0-5]\\d)$`,
  /** ISO 8601 in weeks, days, hours, minutes and seconds; at least one of them. */
  duration:
    "^P(?=\\d|T\\d)(?:\\d{1,5}W)?(?:\\d{1,6}D)?(?:T(?=\\d)(?:\\d{1,7}H)?(?:\\d{1,8}M)?(?:\\d{1,9}(?:\\.\\d{1,6})?S)?)?$",
};

function calendarDate(): string {
  const leapYear = "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
  const dayOfMonth = [
    "(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])",
    "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)",
    "02-(?:0[1-9]|1\\d|2[0-8])",
  ].join("|");
  return `(?:\\d{4}-(?:${dayOfMonth})|${leapYear}-02-29)`;
}

/** Whole numbers from 1 to the greatest, without leading zeros. */
function atMost(greatest: string): string {
  const shorter = `[1-9]\\d{0,${greatest.length - 2}}`;
  const same = [...greatest].flatMap((digit, at) => {
    const least = at === 0 ? 1 : 0;
    if (Number(digit) <= least) return [];
    const rest = greatest.length - at - 1;
    return [`${greatest.slice(0, at)}[${least}-${Number(digit) - 1}]${rest === 0 ? "" : `\\d{${rest}}`}`];
  });
  return [shorter, ...same, greatest].join("|");
}

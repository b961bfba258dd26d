// A value of a record as one line of text. In: JSON and the field's type. Out: text and its look. It distinguishes null, an empty text, an
// empty list, the word "null", and values that the API doesn't show.
import type { FieldType } from "@plinth/blueprint";

export interface CellText {
  readonly text: string;
  readonly look: "plain" | "mono" | "faint";
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** `type` is null if it isn't known (yet); then the value is shown unchanged. */
export function cellText(value: unknown, type: FieldType | null): CellText {
  if (value === undefined) return { text: "not shown", look: "faint" };
  if (value === null) return { text: "null", look: "faint" };
  if (value === "") return { text: "empty", look: "faint" };
  if (Array.isArray(value)) return listText(value, type);
  if (typeof value === "object") return objectText(value, type);
  if (type?.kind === "percent") return { text: `${value} %`, look: "mono" };
  if (typeof value === "number" || typeof value === "boolean") return { text: String(value), look: "mono" };
  if (typeof value !== "string") return { text: JSON.stringify(value), look: "mono" };
  switch (type?.kind) {
    case "datetime":
      return { text: value.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC"), look: "mono" };
    case "money":
      return { text: `${grouped(value)} ${type.currency}`, look: "mono" };
    case "duration":
      return { text: durationText(value) ?? value, look: "mono" };
    case "date":
    case "time":
    case "decimal":
    case "bigint":
    case "color":
    case "sequence":
      return { text: value, look: "mono" };
    default:
      return { text: value, look: uuid.test(value) ? "mono" : "plain" };
  }
}

function listText(values: readonly unknown[], type: FieldType | null): CellText {
  if (values.length === 0) return { text: "empty list", look: "faint" };
  const of = type?.kind === "list" ? type.of : null;
  const members = values.map((value) => cellText(value, of));
  const look = members.every((member) => member.look === "plain") ? "plain" : "mono";
  return { text: members.map(({ text }) => text).join(", "), look };
}

function objectText(value: object, type: FieldType | null): CellText {
  if (type?.kind === "point" && "lat" in value && "lng" in value) {
    return { text: `${value.lat}, ${value.lng}`, look: "mono" };
  }
  if (type?.kind === "i18n") {
    const texts = Object.entries(value).map(([locale, text]) => `${locale}: ${cellText(text, type.of).text}`);
    return { text: texts.join(", "), look: "plain" };
  }
  return { text: JSON.stringify(value), look: "mono" };
}

/** Works on digits, so that no amount is rounded: "1250.00" becomes "1,250.00". */
function grouped(amount: string): string {
  const [whole = "", ...rest] = amount.split(".");
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, ","), ...rest].join(".");
}

const units: readonly (readonly [singular: string, plural: string])[] = [
  ["week", "weeks"],
  ["day", "days"],
  ["h", "h"],
  ["min", "min"],
  ["s", "s"],
];

/** "PT1H30M" becomes "1 h 30 min"; null if the value is not a duration. */
function durationText(value: string): string | null {
  const found = /^(-?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(value);
  if (found === null) return null;
  const parts = units.flatMap(([singular, plural], index) => {
    const count = found[index + 2];
    if (count === undefined || Number(count) === 0) return [];
    return [`${count} ${count === "1" ? singular : plural}`];
  });
  return parts.length === 0 ? "0 s" : `${found[1]}${parts.join(" ")}`;
}

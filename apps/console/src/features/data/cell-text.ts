// A value of a record as one line of text. In: JSON. Out: text and how it should look. It never loses the difference
// between null, an empty text and the word "null".

export interface CellText {
  readonly text: string;
  readonly look: "plain" | "mono" | "faint";
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function cellText(value: unknown, kind: string): CellText {
  if (value === null || value === undefined) return { text: "null", look: "faint" };
  if (value === "") return { text: "empty", look: "faint" };
  if (typeof value === "number" || typeof value === "boolean") return { text: String(value), look: "mono" };
  if (typeof value !== "string") return { text: JSON.stringify(value), look: "mono" };
  if (kind === "datetime") return { text: value.replace("T", " ").replace(/(\.\d+)?Z$/, ""), look: "mono" };
  return { text: value, look: uuid.test(value) ? "mono" : "plain" };
}

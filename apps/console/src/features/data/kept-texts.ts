// What somebody has written into the form of a record and not saved. In: the person, the project, the record and the texts. Out: the same
// texts when the form is opened again in this tab, after an accidental click, a step back, a reload or a new sign-in. Secrets are not stored.
import type { Field } from "@plinth/blueprint";
import type { Texts } from "./record-values.ts";

export interface KeptTexts {
  readonly texts: Texts;
  /** The version of the record at that time; null for a new record. */
  readonly version: number | null;
}

export interface FormPlace {
  readonly personId: string;
  readonly projectId: string;
  readonly entity: string;
  /** Null for a new record. */
  readonly recordId: string | null;
}

const keyOf = ({ personId, projectId, entity, recordId }: FormPlace): string =>
  `plinth.record.${personId}.${projectId}.${entity}.${recordId ?? "new"}`;

export function readKept(place: FormPlace): KeptTexts | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(place)) ?? "null");
    return isKept(kept) ? kept : null;
  } catch {
    return null;
  }
}

export function keepTexts(place: FormPlace, kept: KeptTexts, fields: readonly Field[]): void {
  const secrets = new Set(fields.filter(({ type }) => type.kind === "secret").map(({ name }) => name));
  const texts = Object.fromEntries(Object.entries(kept.texts).filter(([name]) => !secrets.has(name)));
  try {
    sessionStorage.setItem(keyOf(place), JSON.stringify({ ...kept, texts }));
  } catch {
    // The storage is full or forbidden. The texts are still in the form.
  }
}

export function forgetKept(place: FormPlace): void {
  try {
    sessionStorage.removeItem(keyOf(place));
  } catch {
    // Without access to the storage, there is nothing to remove.
  }
}

function isKept(kept: unknown): kept is KeptTexts {
  if (typeof kept !== "object" || kept === null) return false;
  const { texts, version } = kept as Partial<Record<keyof KeptTexts, unknown>>;
  if (version !== null && typeof version !== "number") return false;
  return typeof texts === "object" && texts !== null && Object.values(texts).every((text) => typeof text === "string");
}

// Finds what an AI wrote in a change. In: the live text, the new one, and the parts that programs wrote earlier. Out: the places of
// these parts, and the parts of the protected core that they touch. Nobody can say that a person wrote them: they stay an AI's
// through drafts, edits, renewals and promotions, until somebody writes another value.
import { type Model, protect, type Touch, withoutParts, writtenParts } from "@plinth/blueprint";
import { hashOf } from "@plinth/bundle";

export interface AiParts {
  readonly places: readonly string[];
  /** All of the change's parts, to recognize them later. */
  readonly hashes: readonly string[];
}

export interface Compared {
  /** Null if nothing is live. */
  readonly live: { readonly text: string; readonly model: Model } | null;
  readonly text: string;
  readonly model: Model;
}

const PLACES_MAX = 100;

/** @param known Hashes of parts; `all` if a program proposes. */
export function aiPartsOf({ live, text }: Compared, known: ReadonlySet<string> | "all"): AiParts {
  if (known !== "all" && known.size === 0) return { places: [], hashes: [] };
  const parts = writtenParts(live?.text ?? null, text).map(({ place, key }) => ({ place, hash: hashOfPart(key) }));
  const byAi = parts.filter(({ hash }) => known === "all" || known.has(hash));
  const places = [...new Set(byAi.map(({ place }) => place))].slice(0, PLACES_MAX);
  return { places, hashes: parts.map(({ hash }) => hash) };
}

/** The touches of the protected core that the change would not have without the parts of an AI; all, if these can't be separated. */
export function touchesByAi(
  { live, text, model }: Compared,
  known: ReadonlySet<string>,
  modelOf: (text: string) => Model | null,
): readonly Touch[] {
  if (live === null) return [];
  const touches = protect(live.model, model, "ai");
  if (touches.length === 0) return [];
  const ofPeople = withoutParts(live.text, text, (key) => known.has(hashOfPart(key)));
  const alone = ofPeople === null ? null : modelOf(ofPeople);
  const own = alone === null ? [] : protect(live.model, alone, "ai");
  return touches.filter(({ path, rule }) => !own.some((one) => one.path === path && one.rule === rule));
}

function hashOfPart(key: string): string {
  return hashOf(key).slice(0, 32);
}

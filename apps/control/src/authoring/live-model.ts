// What is live, as it is compared with a change. In: a live version as it was kept, and its bundle. Out: its model and its
// bundle, also where the language has changed since and refuses the text. It never guesses: a model is what the text says,
// what was kept of it, or one that gives the very bundle that serves.
import { checkBlueprint, MODEL_VERSION, type Model, readStoredModel, writeOldDefaults } from "@plinth/blueprint";
import { type Bundle, hashOf, readStoredBundle } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";

/** A text with what the language made of it when it was last valid. */
export interface KeptModel {
  readonly text: string;
  readonly modelHash: string;
  readonly model: { readonly stored: unknown; readonly version: number } | null;
}

/** `bundle` as JSON, as it was approved then: maybe of an older format. */
export interface KeptLive {
  readonly kept: KeptModel;
  readonly bundle: string;
}

export type Live =
  | { readonly kind: "live"; readonly model: Model; readonly bundle: Bundle }
  /** It can't be compared with anything; `why` in words for the author. */
  | { readonly kind: "unreadable"; readonly why: string };

const NEWER =
  "What is live was deployed by a newer version of Plinth than the one that runs here. Update Plinth, then try again.";

export function readLive({ kept, bundle: text }: KeptLive): Live {
  const stored = readStoredBundle(JSON.parse(text));
  if (!stored.ok) return { kind: "unreadable", why: NEWER };
  const bundle = stored.value;
  const model = modelOf(kept, bundle);
  if (model !== null) return { kind: "live", model, bundle };
  const [first] = checkBlueprint(kept.text).diagnostics.filter(({ severity }) => severity === "error");
  const where = first === undefined ? "" : ` The first problem is at line ${first.span.start.line}: ${first.message}`;
  return {
    kind: "unreadable",
    why: `What is live goes on being served, but its blueprint is no longer valid, and nothing was kept to compare a change with.${where}`,
  };
}

/** To look at, not to compare with: where nothing better is known, what is still understood of the text. */
export function readLiveDraft(kept: KeptModel): Model | null {
  const { model, draft } = checkBlueprint(textOfToday(kept));
  return model ?? storedModelOf(kept) ?? draft;
}

/** A model to be kept beside its text, and the text in the words of today's language where those are others. */
export interface ModelToKeep extends StoredModel {
  readonly textNow: string | null;
}

/** Null where the text is no longer valid. */
export function modelToKeep(kept: KeptModel): ModelToKeep | null {
  const text = textOfToday(kept);
  const { model } = checkBlueprint(text);
  return model === null ? null : { ...storedForm(model), textNow: text === kept.text ? null : text };
}

/** Models are kept since an optional reference keeps its target from being deleted: texts without one are older. */
function textOfToday({ text, model }: KeptModel): string {
  return model === null ? writeOldDefaults(text) : text;
}

/** As JSON, with the version of the language's models that it is written in. */
export interface StoredModel {
  readonly model: string;
  readonly modelVersion: number;
}

export function storedForm(model: Model): StoredModel {
  return { model: JSON.stringify(model), modelVersion: MODEL_VERSION };
}

function modelOf(kept: KeptModel, bundle: Bundle): Model | null {
  const { model, draft } = checkBlueprint(textOfToday(kept));
  const known = model ?? storedModelOf(kept);
  if (known !== null || draft === null) return known;
  return hashOf(draft) === kept.modelHash || givesBundle(draft, bundle) ? draft : null;
}

function storedModelOf({ model }: KeptModel): Model | null {
  return model === null ? null : readStoredModel(model.stored, model.version);
}

/** Whether nothing that was refused in the text has a part in what serves. */
function givesBundle(draft: Model, live: Bundle): boolean {
  try {
    const { tables, entities, roles } = compileModel(draft);
    return (
      hashOf({ tables, entities, roles }) ===
      hashOf({ tables: live.tables, entities: live.entities, roles: live.roles })
    );
  } catch {
    // What was refused may have left a draft that nothing can be made of.
    return false;
  }
}

// Prepares the live version for a comparison. In: the stored live version and its bundle. Out: its model and its bundle, even if
// today's language refuses the text. It never guesses: the model comes from the text, was stored, or compiles to exactly the
// bundle that is served.
import { checkBlueprint, MODEL_VERSION, type Model, readStoredModel, writeOldDefaults } from "@plinth/blueprint";
import { type Bundle, hashOf, readStoredBundle } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";

/** A text, with the model that was stored when it was last valid. */
export interface KeptModel {
  readonly text: string;
  readonly modelHash: string;
  readonly model: { readonly stored: unknown; readonly version: number } | null;
}

/** `bundle` is JSON as it was approved, possibly in an older format. */
export interface KeptLive {
  readonly kept: KeptModel;
  readonly bundle: string;
}

export type Live =
  | { readonly kind: "live"; readonly model: Model; readonly bundle: Bundle }
  /** It can't be compared with anything. `why` is a message for the author. */
  | { readonly kind: "unreadable"; readonly why: string };

const NEWER = "A newer version of Plinth deployed the live version. Update Plinth, then try again.";

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
    why: `The live version is still served, but its blueprint is no longer valid, and no model is stored to compare a change with.${where}`,
  };
}

/** For display, not for comparison: if nothing better is stored, the parts of the text that can still be read. */
export function readLiveDraft(kept: KeptModel): Model | null {
  const { model, draft } = checkBlueprint(textOfToday(kept));
  return model ?? storedModelOf(kept) ?? draft;
}

/** A model to store with its text, and the text in today's syntax if that differs. */
export interface ModelToKeep extends StoredModel {
  readonly textNow: string | null;
}

/** Null if the text is no longer valid. */
export function modelToKeep(kept: KeptModel): ModelToKeep | null {
  const text = textOfToday(kept);
  const { model } = checkBlueprint(text);
  return model === null ? null : { ...storedForm(model), textNow: text === kept.text ? null : text };
}

/**
 * Models are stored since the version in which an optional reference prevents the deletion of its target. Texts without a model
 * are older.
 */
function textOfToday({ text, model }: KeptModel): string {
  return model === null ? writeOldDefaults(text) : text;
}

/** As JSON, with the version of the model format. */
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
    // The refused parts may have left a draft that can't be compiled.
    return false;
  }
}

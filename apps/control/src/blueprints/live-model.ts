// What is live, as it is compared with a change. In: a live version and its deployment. Out: its model and its bundle, also
// where the language has changed since and refuses the text. It never guesses: a model is what the text says, what was kept
// of it, or one that gives the very bundle that serves.
import { checkBlueprint, MODEL_VERSION, type Model, readStoredModel } from "@plinth/blueprint";
import { type Bundle, hashOf, readStoredBundle } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import type { Logger } from "@plinth/service";
import { refuse } from "../failure.ts";
import type { BlueprintStore, KeptModel } from "./store.ts";

export interface Live {
  readonly model: Model;
  /** In the newest format. The base of an approval is the hash of what is stored, not of this. */
  readonly bundle: Bundle;
}

interface LiveIds {
  readonly versionId: string;
  readonly deploymentId: string;
}

/** @throws TRPCError PRECONDITION_FAILED where what is live can't be compared with anything. */
export async function readLive(store: BlueprintStore, live: LiveIds): Promise<Live> {
  const [kept, bundle] = await Promise.all([readKept(store, live), readLiveBundle(store, live)]);
  const model = modelOf(kept, bundle);
  if (model !== null) return { model, bundle };
  const [first] = checkBlueprint(kept.text).diagnostics.filter(({ severity }) => severity === "error");
  const why = first === undefined ? "" : ` The first problem is at line ${first.span.start.line}: ${first.message}`;
  throw refuse(
    "PRECONDITION_FAILED",
    `What is live goes on being served, but its blueprint is no longer valid, and nothing was kept to compare a change with.${why}`,
  );
}

/** To look at, not to compare with: where nothing better is known, what is still understood of the text. */
export async function readLiveDraft(store: BlueprintStore, live: LiveIds): Promise<Model | null> {
  const kept = await readKept(store, live);
  const { model, draft } = checkBlueprint(kept.text);
  return model ?? storedModelOf(kept) ?? draft;
}

/** @throws TRPCError PRECONDITION_FAILED where it is of a newer format than this version knows. */
export async function readLiveBundle(store: BlueprintStore, { deploymentId }: LiveIds): Promise<Bundle> {
  const bundle = readStoredBundle(await store.bundleOf(deploymentId));
  if (bundle.ok) return bundle.value;
  const words =
    "What is live was deployed by a newer version of Plinth than the one that runs here. Update Plinth, then try again.";
  throw refuse("PRECONDITION_FAILED", words, new Error(JSON.stringify(bundle.problems)));
}

async function readKept(store: BlueprintStore, { versionId }: LiveIds): Promise<KeptModel> {
  const kept = await store.kept(versionId);
  if (kept === null) throw new Error("The live version is not there.");
  return kept;
}

function modelOf(kept: KeptModel, bundle: Bundle): Model | null {
  const { model, draft } = checkBlueprint(kept.text);
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

/** Keeps the models of what is live while the language still understands the texts. Ends early when told to. */
export async function keepLiveModels(store: BlueprintStore, logger: Logger, isStopped: () => boolean): Promise<void> {
  for (const versionId of await store.liveWithoutModel()) {
    if (isStopped()) return;
    const kept = await store.kept(versionId);
    if (kept === null) continue;
    const { model } = checkBlueprint(kept.text);
    if (model !== null) await store.keepModel(versionId, model);
    else
      logger.warn(
        { versionId, modelVersion: MODEL_VERSION },
        "the text of a live blueprint is no longer valid; it is served as it is",
      );
  }
}

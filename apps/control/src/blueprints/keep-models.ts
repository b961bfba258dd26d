// Keeps the models of what is live while the language still understands the texts. In: the versions. Out: their models, stored.
// It ends early when told to, and leaves a text that is no longer valid as it is.
import type { Logger } from "@plinth/service";
import type { Workshop } from "../authoring/workshop.ts";
import type { BlueprintStore } from "./store.ts";

export async function keepLiveModels(
  store: BlueprintStore,
  workshop: Workshop,
  logger: Logger,
  isStopped: () => boolean,
): Promise<void> {
  for (const versionId of await store.liveWithoutModel(await workshop.modelVersion())) {
    if (isStopped()) return;
    const kept = await store.kept(versionId);
    if (kept === null) continue;
    const model = await workshop.modelToKeep(kept.text);
    if (model !== null) await store.keepModel(versionId, model);
    else logger.warn({ versionId }, "the text of a live blueprint is no longer valid; it is served as it is");
  }
}

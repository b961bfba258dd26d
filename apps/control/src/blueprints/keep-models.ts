// Keeps the models of versions while the language still understands the texts, what is live first. In: the versions. Out: their
// models, stored, and what the language of today says in other words. It ends early when told to, and leaves a text that is no
// longer valid as it is.
import type { Logger } from "@plinth/service";
import type { Workshop } from "../authoring/workshop.ts";
import type { BlueprintStore } from "./store.ts";

export async function keepModels(
  store: BlueprintStore,
  workshop: Workshop,
  logger: Logger,
  isStopped: () => boolean,
): Promise<void> {
  for (const versionId of await store.withoutModel(await workshop.modelVersion())) {
    if (isStopped()) return;
    const kept = await store.kept(versionId);
    if (kept === null) continue;
    const model = await workshop.modelToKeep(kept);
    if (model !== null) await store.keepModel(versionId, model);
    else
      logger.warn({ versionId }, "the text of a blueprint is no longer valid; where it is live, it is served as it is");
  }
}

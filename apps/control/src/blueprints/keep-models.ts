// Stores the models of versions while the language still accepts their texts, live versions first. In: the versions. Out: their
// stored models, and texts in today's syntax where that differs. It ends early if it is stopped, and doesn't change a text that
// is no longer valid.
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
    else logger.warn({ versionId }, "the text of a blueprint is no longer valid; if it is live, it is still served");
  }
}

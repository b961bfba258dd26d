// Blueprints as texts: templates, checks, versions. In: a text or a project. Out: diagnostics, versions, the live text. It
// changes nothing; proposals store versions. Worker threads read the blueprints.
import { RecentMap } from "@plinth/service";
import type { KeptLive } from "../authoring/live-model.ts";
import type { LiveShape } from "../authoring/live-shape.ts";
import type { Workshop } from "../authoring/workshop.ts";
import { notFound, refuse, refuseBlueprint } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { BlueprintVersion, BlueprintVersionSummary, LiveBlueprint, Template, Validation } from "./api.ts";
import type { BlueprintStore } from "./store.ts";

export interface BlueprintService {
  templates(): readonly Template[];
  validate(by: Person, text: string): Promise<Validation>;
  format(by: Person, text: string): Promise<{ text: string }>;
  list(project: ProjectAccess): Promise<readonly BlueprintVersionSummary[]>;
  get(versionId: string): Promise<BlueprintVersion>;
  current(project: ProjectAccess): Promise<LiveBlueprint | null>;
  /** The live version. Null before the first deployment. */
  liveShape(by: Person, project: ProjectAccess): Promise<LiveShape | null>;
}

/** A version never changes, so its shape can be cached. */
const SHAPES_MAX = 200;

export function createBlueprintService(
  store: BlueprintStore,
  templates: readonly Template[],
  workshop: Workshop,
  bytesMax: number,
): BlueprintService {
  const shapes = new RecentMap<string, LiveShape>(SHAPES_MAX);
  return {
    templates: () => templates,
    validate: (by, text) => {
      refuseTooLong(text, bytesMax);
      return workshop.validate({ personId: by.id, organizationId: null }, text);
    },
    format: async (by, text) => {
      refuseTooLong(text, bytesMax);
      const result = await workshop.format({ personId: by.id, organizationId: null }, text);
      if ("text" in result) return { text: result.text };
      throw refuseBlueprint(result.diagnostics);
    },
    list: (project) => store.list(project.id),
    get: async (versionId) => {
      const version = await store.get(versionId);
      if (version === null) throw notFound("blueprint version");
      return version;
    },
    current: (project) => store.live(project.id),
    liveShape: async (by, project) => {
      if (project.live === null) return null;
      const { versionId } = project.live;
      const known = shapes.get(versionId);
      if (known !== undefined) return known;
      const party = { personId: by.id, organizationId: project.organizationId };
      const shape = await workshop.shape(party, await readKeptLive(store, project.live));
      if (shape.kind === "unreadable") throw refuse("PRECONDITION_FAILED", shape.why);
      shapes.set(versionId, shape.shape);
      return shape.shape;
    },
  };
}

/** @throws Error (our bug) if the live version is missing. */
export async function readKeptLive(
  store: BlueprintStore,
  { versionId, deploymentId }: { readonly versionId: string; readonly deploymentId: string },
): Promise<KeptLive> {
  const [kept, bundle] = await Promise.all([store.kept(versionId), store.bundleOf(deploymentId)]);
  if (kept === null) throw new Error("The live version is missing.");
  return { kept, bundle };
}

/** @throws BAD_REQUEST if a text is longer than the operator allows. */
export function refuseTooLong(text: string, bytesMax: number): void {
  if (Buffer.byteLength(text) <= bytesMax) return;
  throw refuse("BAD_REQUEST", `text: the operator allows a blueprint of at most ${bytesMax} bytes`);
}

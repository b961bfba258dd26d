// Blueprints as texts: templates, checks, versions. In: a text or a project. Out: diagnostics, versions, the live text.
// It changes nothing; a version is stored with the proposal that brings it.
import { checkBlueprint, type Diagnostic, formatBlueprint, type Model } from "@plinth/blueprint";
import { notFound, refuseBlueprint } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type {
  BlueprintVersion,
  BlueprintVersionSummary,
  LiveBlueprint,
  ModelSummary,
  Template,
  Validation,
} from "./api.ts";
import { readLiveBundle, readLiveDraft } from "./live-model.ts";
import type { BlueprintStore } from "./store.ts";

export interface BlueprintService {
  templates(): readonly Template[];
  validate(text: string): Validation;
  format(text: string): { text: string };
  list(project: ProjectAccess): Promise<readonly BlueprintVersionSummary[]>;
  get(versionId: string): Promise<BlueprintVersion>;
  current(project: ProjectAccess): Promise<LiveBlueprint | null>;
  /** The model of what is live, as far as it is known where its text is refused by now; null where nothing is live. */
  liveModel(project: ProjectAccess): Promise<Model | null>;
  /** The roles that a key may be bound to; null where nothing is live. */
  liveRoles(project: ProjectAccess): Promise<readonly string[] | null>;
}

export function createBlueprintService(store: BlueprintStore, templates: readonly Template[]): BlueprintService {
  return {
    templates: () => templates,
    validate: (text) => {
      const { model, diagnostics } = checkBlueprint(text);
      return { diagnostics, model: model === null || hasErrors(diagnostics) ? null : summarize(model) };
    },
    format: (text) => {
      const result = formatBlueprint(text);
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
    liveRoles: async ({ live }) =>
      live === null ? null : (await readLiveBundle(store, live)).roles.map(({ name }) => name),
    liveModel: async (project) => (project.live === null ? null : readLiveDraft(store, project.live)),
  };
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}

function summarize(model: Model): ModelSummary {
  return {
    project: model.project,
    modules: model.modules,
    roles: model.roles.map((role) => role.name),
    entities: model.entities.map(({ name, plural, fields }) => ({ name, plural, fields: fields.length })),
  };
}

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
import type { BlueprintStore } from "./store.ts";

export interface BlueprintService {
  templates(): readonly Template[];
  validate(text: string): Validation;
  format(text: string): { text: string };
  list(project: ProjectAccess): Promise<readonly BlueprintVersionSummary[]>;
  get(versionId: string): Promise<BlueprintVersion>;
  current(project: ProjectAccess): Promise<LiveBlueprint | null>;
  /** The model of what is live. */
  liveModel(project: ProjectAccess): Promise<Model | null>;
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
    liveModel: async (project) => {
      const live = await store.live(project.id);
      return live === null ? null : liveModelOf(live.text);
    },
  };
}

/** @throws Error (our bug) where a text that once was deployed is no longer understood. */
export function liveModelOf(text: string): Model {
  const { model } = checkBlueprint(text);
  if (model === null) throw new Error("The live blueprint is no longer understood.");
  return model;
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

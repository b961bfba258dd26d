// The parts of a live blueprint that the console and the keys need. In: a model. Out: names and kinds, plain data.
import type { Model } from "@plinth/blueprint";
import type { ModelSummary } from "../blueprints/api.ts";

export interface LiveShape {
  readonly roles: readonly string[];
  readonly entities: readonly EntityShape[];
}

export interface EntityShape {
  readonly name: string;
  readonly plural: string;
  readonly fields: readonly { readonly name: string; readonly kind: string }[];
  readonly softDelete: boolean;
  readonly realtime: boolean;
  /** The names of its transitions. */
  readonly edges: readonly string[];
}

export function shapeOf(model: Model): LiveShape {
  return {
    roles: model.roles.map((role) => role.name),
    entities: model.entities.map(({ name, plural, fields, softDelete, realtime, stateMachine }) => ({
      name,
      plural,
      fields: fields.map((field) => ({ name: field.name, kind: field.type.kind })),
      softDelete,
      realtime,
      edges: stateMachine?.edges.map((edge) => edge.name) ?? [],
    })),
  };
}

export function summarize(model: Model): ModelSummary {
  return {
    project: model.project,
    modules: model.modules,
    roles: model.roles.map((role) => role.name),
    entities: model.entities.map(({ name, plural, fields }) => ({ name, plural, fields: fields.length })),
  };
}

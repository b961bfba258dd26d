// Blueprints and their versions as clients see them. Types only.
import type { Diagnostic } from "@plinth/blueprint";
import type { Mutation, Query } from "../procedure.ts";

export interface Template {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
}

export interface ModelSummary {
  readonly project: string;
  readonly modules: readonly string[];
  readonly roles: readonly string[];
  readonly entities: readonly { readonly name: string; readonly plural: string; readonly fields: number }[];
}

export interface Validation {
  readonly diagnostics: readonly Diagnostic[];
  /** Null if the diagnostics contain an error. */
  readonly model: ModelSummary | null;
}

export interface BlueprintVersionSummary {
  readonly id: string;
  readonly projectId: string;
  readonly hash: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly live: boolean;
}

export interface BlueprintVersion extends BlueprintVersionSummary {
  readonly text: string;
}

export interface LiveBlueprint {
  readonly versionId: string;
  readonly text: string;
  readonly hash: string;
}

export type BlueprintProcedures = {
  templates: Query<void, readonly Template[]>;
  /** Changes nothing. It is a mutation because a blueprint is too long for a URL, as is `format`. */
  validate: Mutation<{ text: string }, Validation>;
  /** A text that can't be parsed is BAD_REQUEST. The diagnostics are in the error's `data.diagnostics`. */
  format: Mutation<{ text: string }, { text: string }>;
  /** Newest first. */
  list: Query<{ projectId: string }, readonly BlueprintVersionSummary[]>;
  get: Query<{ versionId: string }, BlueprintVersion>;
  /** The live version. Null before the first deployment. */
  current: Query<{ projectId: string }, LiveBlueprint | null>;
};

// The calls from control to a cell: method, path, body and answer of each, for both sides. In: names for a path. Out:
// calls and their paths. Add a new call here, serve it in apps/runtime/src/internal and make it in
// apps/control/src/cells.
import type { z } from "zod";
import {
  type PlanMeasures,
  type ProjectState,
  planMeasures,
  projectState,
  type ReleaseState,
  releaseState,
  type SchemaState,
  schemaState,
} from "./answers.ts";
import {
  type GrantBody,
  grantBody,
  type KeyBody,
  keyBody,
  type MeasuredBody,
  measuredBody,
  type ProjectBody,
  projectBody,
  type SuspendedBody,
  suspendedBody,
} from "./bodies.ts";

export interface CellCall<Body, Answer> {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** `:projectId` and similar names are replaced by the values of a call. */
  readonly path: string;
  /** Null if there is no body, or one with its own decoder. */
  readonly body: z.ZodType<Body> | null;
  /** The parts of the answer that control reads; null for none. */
  readonly answer: z.ZodType<Answer> | null;
  /** 202 if the work continues after the answer. */
  readonly status: 200 | 202 | 204;
}

/** Creates the project; does nothing if it exists. */
export const provision: CellCall<ProjectBody, null> = {
  method: "PUT",
  path: "/internal/projects/:projectId",
  body: projectBody,
  answer: null,
  status: 204,
};

/** A suspended project isn't served, and none of its work starts. Needs an assertion. */
export const suspend: CellCall<SuspendedBody, null> = {
  method: "PUT",
  path: "/internal/projects/:projectId/suspended",
  body: suspendedBody,
  answer: null,
  status: 204,
};

/** Erases a suspended project with all its data; does nothing if it doesn't exist. Needs an assertion. */
export const erase: CellCall<never, null> = {
  method: "DELETE",
  path: "/internal/projects/:projectId",
  body: null,
  answer: null,
  status: 204,
};

/** Its body is a `Publication`. The release is deployed after the answer: ask for its state. */
export const publish: CellCall<never, null> = {
  method: "POST",
  path: "/internal/projects/:projectId/releases",
  body: null,
  answer: null,
  status: 202,
};

export const inspectRelease: CellCall<never, ReleaseState> = {
  method: "GET",
  path: "/internal/projects/:projectId/releases/:releaseId",
  body: null,
  answer: releaseState,
  status: 200,
};

export const inspectProject: CellCall<never, ProjectState> = {
  method: "GET",
  path: "/internal/projects/:projectId/status",
  body: null,
  answer: projectState,
  status: 200,
};

export const inspectSchema: CellCall<never, SchemaState> = {
  method: "GET",
  path: "/internal/projects/:projectId/schema",
  body: null,
  answer: schemaState,
  status: 200,
};

/** Runs only the reading parts of the plan. Needs an assertion. */
export const measurePlan: CellCall<MeasuredBody, PlanMeasures> = {
  method: "POST",
  path: "/internal/projects/:projectId/measure",
  body: measuredBody,
  answer: planMeasures,
  status: 200,
};

export const putKey: CellCall<KeyBody, null> = {
  method: "PUT",
  path: "/internal/projects/:projectId/keys/:keyId",
  body: keyBody,
  answer: null,
  status: 204,
};

export const revokeKey: CellCall<never, null> = {
  method: "DELETE",
  path: "/internal/projects/:projectId/keys/:keyId",
  body: null,
  answer: null,
  status: 204,
};

export const grantUser: CellCall<GrantBody, null> = {
  method: "POST",
  path: "/internal/projects/:projectId/users/grant",
  body: grantBody,
  answer: null,
  status: 204,
};

/** The project's own API is below it, from `/v1/` on, for the caller in an assertion. */
export const DATA_PATH = "/internal/projects/:projectId/data";

/** A path with its names filled in, encoded for the wire. */
export function cellPath(path: string, names: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = names[name];
    if (value === undefined) throw new Error(`there is no value for :${name} of ${path}`);
    return encodeURIComponent(value);
  });
}

// Compiles the shapes of a release's bodies at first use. In: a release, an entity and an operation. Out: its checker.
// It only compiles shapes that are sent, so that the first request of a project doesn't wait for all its entities.
import type { BundleAction } from "@plinth/bundle";
import type { FieldError } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import { type Derivation, derived } from "../project/derived.ts";
import { entityView } from "../query/entity-view.ts";
import { type BodyChecker, type BodyShape, createBodyChecker } from "./check-body.ts";
import { problemsIn } from "./validators.ts";

type BodyKind = "create" | "update";

/** The measured size of a compiled schema with its source and its scope. */
const CHECKER_BYTES = 15_000;

interface Checkers {
  readonly compiled: Map<string, BodyChecker>;
  readonly grow: (bytes: number) => void;
}

const checkers: Derivation<Checkers> = { name: "body checkers", make: (_, grow) => ({ compiled: new Map(), grow }) };

export function checkerOf(release: ActiveRelease, entity: string, kind: BodyKind): BodyChecker {
  return kept(release, `${kind} ${entity}`, () => shapeOf(release, entity, kind));
}

/** For the input of an action. */
export function actionCheckerOf(release: ActiveRelease, { name, inputSchema, input }: BundleAction): BodyChecker {
  return kept(release, `action ${name}`, () => ({ schema: inputSchema, fields: input }));
}

function kept(release: ActiveRelease, key: string, shape: () => Pick<BodyShape, "schema" | "fields">): BodyChecker {
  const { compiled, grow } = derived(release, checkers);
  let checker = compiled.get(key);
  if (checker === undefined) {
    checker = createBodyChecker(shape());
    compiled.set(key, checker);
    grow(CHECKER_BYTES);
  }
  return checker;
}

/** The same as plain data, for another thread. */
export function shapeOf(release: ActiveRelease, name: string, kind: BodyKind): BodyShape {
  const { entity } = entityView(release, name);
  const schema = kind === "create" ? entity.createSchema : entity.updateSchema;
  return { key: `${release.releaseId} ${kind} ${name}`, schema, fields: entity.fields };
}

/** Problems with a body that is already parsed; none if it is valid. */
export function problemsOf(
  release: ActiveRelease,
  entity: string,
  kind: BodyKind,
  body: unknown,
): readonly FieldError[] {
  const { validate, fields } = checkerOf(release, entity, kind);
  return problemsIn(validate, fields, body);
}

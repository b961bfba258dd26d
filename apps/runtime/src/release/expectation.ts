// Checks one expectation of a blueprint's tests with the statements that serve requests. In: who does what. Out: null,
// or the different result. It never reads a rule itself.
import type { BundleEntity, BundleField, BundleTests } from "@plinth/bundle";
import { createUuidV7, Fault } from "@plinth/service";
import { expandRoles, USER_ROLES } from "../identity/roles.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Principal } from "../project/principal.ts";
import type { Tenant } from "../project/tenant.ts";
import { arrayLiteral } from "../query/parameters.ts";
import {
  createRecord,
  deleteRecord,
  type FieldValues,
  type Request,
  readRecord,
  restoreRecord,
  takeTransition,
  updateRecord,
} from "../query/run.ts";

export interface Rehearsed {
  readonly release: ActiveRelease;
  readonly tenant: Tenant;
  readonly tests: BundleTests;
  /** Cached: who sees which row. Expectations change nothing, so the answers stay valid. */
  readonly visible: Map<string, boolean>;
}

export type Expectation = BundleTests["expect"][number];

const newRecordId = createUuidV7({ now: Date.now });

/** @throws errors that say nothing about the rules: a lost connection, a bug of ours. */
export async function askExpectation(rehearsed: Rehearsed, expectation: Expectation): Promise<string | null> {
  const { release, tests } = rehearsed;
  const entity = release.bundle.entities.find((each) => each.name === expectation.entity);
  if (entity === undefined) throw new Error(`the bundle has no entity ${expectation.entity}`);
  const request = requestOf(rehearsed, expectation);
  if (expectation.operation === "list") {
    const seen = await seenBy(rehearsed, request, expectation.as);
    const wanted = [...(expectation.sees ?? [])].sort();
    if (seen.join() === wanted.join()) return null;
    const named = (ids: readonly string[]): string =>
      ids.length === 0 ? "nothing" : ids.map((id) => nameOf(tests, id)).join(", ");
    return `\`${expectation.as}\` sees ${named(seen)} of \`${entity.plural}\`, but should see ${named(wanted)}.`;
  }
  const refusal = refusedInput(request, entity, expectation) ?? (await attempt(request, entity, expectation));
  if ((refusal === null) === expectation.allow) return null;
  const target = expectation.recordId === null ? entity.name : `${entity.name}.${nameOf(tests, expectation.recordId)}`;
  const finding = `\`${expectation.as}\` may ${expectation.allow ? "not " : ""}${expectation.operation} \`${target}\``;
  return refusal === null ? `${finding}, but should not.` : `${finding}: ${refusal}`;
}

function nameOf(tests: BundleTests, id: string): string {
  return tests.rows.find((row) => row.id === id)?.name ?? id;
}

function requestOf({ release, tenant, tests }: Rehearsed, { as, entity }: Expectation): Request {
  const user = tests.users.find((each) => each.name === as);
  // A test's request names no organization. The first one that its user belongs to counts as chosen.
  const memberships = (user?.organizations ?? []).map(({ id, role }, i) => ({
    organization: id,
    role,
    chosen: i === 0,
  }));
  const principal: Principal =
    user === undefined
      ? { kind: "key", keyId: "test", keyKind: "publishable", roles: expandRoles(release, []), user: null }
      : {
          kind: "user",
          userId: user.id,
          sessionId: user.id,
          email: user.email,
          roles: expandRoles(release, [...USER_ROLES, ...user.roles]),
          keyId: null,
          keyKind: "publishable",
          memberships,
        };
  const organization = memberships[0]?.organization ?? null;
  return { tenant, release, entity, principal, organization, ip: "", requestId: "test" };
}

/** Row by row, by the same predicate as lists. A test doesn't depend on the length of a page. */
async function seenBy(rehearsed: Rehearsed, request: Request, as: string): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const row of rehearsed.tests.rows) {
    if (row.entity !== request.entity) continue;
    const key = `${as} ${row.id}`;
    const known = rehearsed.visible.get(key);
    const visible = known ?? (await isVisible(request, row.id));
    rehearsed.visible.set(key, visible);
    if (visible) seen.push(row.id);
  }
  return seen.sort();
}

async function isVisible(request: Request, recordId: string): Promise<boolean> {
  try {
    await readRecord(request, recordId);
    return true;
  } catch (error) {
    if (error instanceof Fault && isRefusal(error)) return false;
    throw error;
  }
}

/** Null if the rules allow it. Other refusals don't matter for a test. */
async function attempt(request: Request, entity: BundleEntity, expectation: Expectation): Promise<string | null> {
  const { operation, input } = expectation;
  const recordId = expectation.recordId ?? newRecordId();
  const values: FieldValues = new Map(
    Object.entries(input).map(([name, value]) => [
      name,
      textOf(
        entity.fields.find((each) => each.name === name),
        value,
      ),
    ]),
  );
  try {
    if (operation === "read") await readRecord(request, recordId);
    else if (operation === "create") await createRecord(request, recordId, values);
    else if (operation === "update") await updateRecord(request, recordId, values);
    else if (operation === "delete") await deleteRecord(request, recordId);
    else if (operation === "restore") await restoreRecord(request, recordId);
    else if (operation !== "list")
      await takeTransition(request, recordId, operation.slice("transition:".length), values);
    return null;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return isRefusal(error) ? (error.detail ?? error.code) : notOfTheRules(error);
  }
}

const REFUSALS: readonly string[] = [
  "forbidden",
  "not_found",
  "conflict",
  "transition_not_allowed",
  "organization_required",
];

function isRefusal(fault: Fault): boolean {
  if (REFUSALS.includes(fault.code)) return true;
  // A reference to a record that the caller can't read, or a missing value that a transition requires.
  const codes = (fault.errors ?? []).map((error) => error.code);
  return (
    fault.code === "validation_failed" && codes.some((code) => code === "unknown_reference" || code === "required")
  );
}

function notOfTheRules(fault: Fault): null {
  const about = ["validation_failed", "unique_violation", "reference_restricted", "cascade_too_large"];
  if (about.includes(fault.code)) return null;
  throw fault;
}

/** Refusals of a body before its statement runs. */
function refusedInput(request: Request, entity: BundleEntity, { operation, input }: Expectation): string | null {
  const edge = operation.startsWith("transition:") ? operation.slice("transition:".length) : null;
  const required = entity.stateMachine?.edges.find((each) => each.name === edge)?.require ?? [];
  for (const [name, value] of Object.entries(input)) {
    const field = entity.fields.find((each) => each.name === name);
    if (field === undefined || field.writer === "service") return `The service writes \`${name}\`.`;
    if (operation === "update" && field.immutable) return `\`${name}\` can only be set at create.`;
    if (edge !== null && !required.includes(name)) return `The transition does not take \`${name}\`.`;
    if (operation === "create" && field.writer === "admin" && !mayGive(request, field, value)) {
      return `Only an admin can give \`${name}\` another value.`;
    }
    const machine = entity.stateMachine;
    if (operation === "create" && machine?.field === name && value !== machine.initial) {
      return `A new record must begin as \`${machine.initial}\`.`;
    }
  }
  return null;
}

/** Everybody can name the value that the service would fill in anyway. */
function mayGive({ principal, organization }: Request, field: BundleField, value: unknown): boolean {
  if (principal.roles.includes("admin")) return true;
  const own = field.references === "organization" ? organization : principal.kind === "user" ? principal.userId : null;
  return own !== null && own === value;
}

function textOf(field: BundleField | undefined, value: unknown): string | null {
  if (value === null) return null;
  if (field !== undefined && field.join !== null) return arrayLiteral(value as readonly string[]);
  return typeof value === "string" ? value : JSON.stringify(value);
}

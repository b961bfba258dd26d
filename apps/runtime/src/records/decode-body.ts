// Decodes the body of a create, an update or a transition. In: a checked body, and its sender. Out: field > text for
// its parameter. It refuses every field that the caller can't write, and only passes secrets on sealed.
import type { BundleField, Operation } from "@plinth/bundle";
import { Fault, type FieldError } from "@plinth/service";
import type { SecretBox } from "../identity/secret-box.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { type Principal, userId } from "../project/principal.ts";
import { additionTo } from "../query/addition-names.ts";
import { type EntityView, entityView } from "../query/entity-view.ts";
import type { FieldValues } from "../query/run.ts";
import { slugOf } from "../query/slug.ts";
import { edgeOf } from "../query/state-machine.ts";
import { adminOnly, fieldsRefused } from "../query/write-refusal.ts";
import { type WriteTerms, writableBy, writeTerms } from "../query/write-terms.ts";
import type { CheckedBody } from "./check-body.ts";

export interface BodyContext {
  readonly release: ActiveRelease;
  readonly principal: Principal;
  readonly organization: string | null;
  readonly secretBox: SecretBox;
}

/** `generated`: the values that the service generates for fields that the body doesn't name. */
export function decodeCreate(
  context: BodyContext,
  entity: string,
  recordId: string,
  body: CheckedBody | null,
): { readonly values: FieldValues; readonly generated: ReadonlyMap<string, string> } {
  const { release, principal } = context;
  const view = entityView(release, entity);
  const terms = writeTerms(release, entity, "create", principal.roles);
  const checked = required(body);
  refuse(withoutForced(checked.problems, terms).map((problem) => aboutState(view, problem)));
  const values = toFieldValues(context, view, checked, terms, recordId);
  requireAdmin(view, context, values);
  requireInitialState(view, values);
  requireDefaults(view, context, values, terms);
  return { values, generated: slugsFor(view, values, terms, recordId) };
}

export function decodeUpdate(
  context: BodyContext,
  entity: string,
  recordId: string,
  body: CheckedBody | null,
): FieldValues {
  const { release, principal } = context;
  const view = entityView(release, entity);
  const terms = writeTerms(release, entity, "update", principal.roles);
  const checked = required(body);
  refuse([...immutables(view, checked), ...withoutForced(checked.problems, terms)]);
  return toFieldValues(context, view, checked, terms, recordId);
}

/** A transition can have no body, or values for the fields that its edge requires. */
export function decodeTransition(
  context: BodyContext,
  entity: string,
  edge: string,
  recordId: string,
  body: CheckedBody | null,
): FieldValues {
  if (body === null) return new Map();
  const { release, principal } = context;
  const view = entityView(release, entity);
  const operation: Operation = `transition:${edge}`;
  const terms = writeTerms(release, entity, operation, principal.roles);
  const taken = new Set(edgeOf(view, edge).require);
  const others = body.names.filter((name) => !taken.has(name));
  const errors: FieldError[] = [
    ...others.map((name) => ({
      path: `/${name.slice(0, 128)}`,
      code: "unknown_field",
      message:
        taken.size === 0 ? "This transition takes no fields." : `This transition takes only ${[...taken].join(", ")}.`,
    })),
    ...body.problems,
  ];
  refuse(errors);
  return toFieldValues(context, view, body, terms, recordId);
}

/** A restore can have no body, or an object without fields, because some clients always send one. */
export function requireNoFields(body: CheckedBody | null): void {
  if (body === null) return;
  refuse(
    body.names.map((name) => ({
      path: `/${name.slice(0, 128)}`,
      code: "unknown_field",
      message: "A restore takes no fields.",
    })),
  );
}

function required(body: CheckedBody | null): CheckedBody {
  if (body === null) throw new Fault("malformed_json", { detail: "The request has no body." });
  return body;
}

function immutables(view: EntityView, { names }: CheckedBody): FieldError[] {
  return names
    .filter((name) => view.fields.get(name)?.immutable === true && view.fields.get(name)?.hidden === false)
    .map((name) => ({ path: `/${name}`, code: "immutable", message: "It can only be set at create." }));
}

/** Values that the service sets in any case aren't required. */
function withoutForced(problems: readonly FieldError[], { forced }: WriteTerms): readonly FieldError[] {
  if (forced.size === 0) return problems;
  return problems.filter((problem) => problem.code !== "required" || !forced.has(problem.path.slice(1)));
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new Fault("validation_failed", { errors: onePerPath(errors) });
}

function onePerPath(errors: readonly FieldError[]): readonly FieldError[] {
  const paths = new Set<string>();
  return errors.filter(({ path }) => !paths.has(path) && paths.add(path));
}

function toFieldValues(
  context: BodyContext,
  view: EntityView,
  { names, texts, added }: CheckedBody,
  terms: WriteTerms,
  recordId: string,
): Map<string, string | null> {
  const refused = names.filter((name) => !terms.forced.has(name) && writableBy(terms, name) === "nobody");
  if (refused.length > 0) throw fieldsRefused(refused);
  const values = new Map<string, string | null>();
  for (const name of names) {
    if (terms.forced.has(name)) continue;
    const field = view.fields.get(name);
    const text = texts.get(name);
    // The schema only knows fields. A name that it wrongly allowed must not become a column.
    if (field === undefined || text === undefined || field.writer === "service" || field.hidden) {
      throw new Error(`the schema allows ${name}`);
    }
    if (added.has(name)) values.set(additionTo(name), text);
    else values.set(name, field.secret && text !== null ? seal(context, view, field, recordId, text) : text);
  }
  return values;
}

/** Bound to the project, the record and the field: if it is moved elsewhere, it can't be opened. */
export function secretContext(projectId: string, entity: string, recordId: string, field: string): string {
  return `field/${projectId}/${entity}/${recordId}/${field}`;
}

function seal(
  { release, secretBox }: BodyContext,
  view: EntityView,
  field: BundleField,
  recordId: string,
  text: string,
): string {
  const where = secretContext(release.projectId, view.entity.name, recordId, field.name);
  return secretBox.seal(Buffer.from(text, "utf8"), where);
}

/**
 * Fields that the service fills with the caller's own values. Naming the own value is allowed; only an admin can name
 * another. Later changes of such a field are for the statement, which knows its stored value.
 */
function requireAdmin(view: EntityView, { principal, organization }: BodyContext, values: FieldValues): void {
  if (principal.roles.includes("admin")) return;
  const user = userId(principal);
  const own = (field: BundleField): string | null => (field.references === "organization" ? organization : user);
  const others = view.entity.fields.filter(
    (field) => field.writer === "admin" && values.has(field.name) && values.get(field.name) !== own(field),
  );
  if (others.length > 0) throw adminOnly(others);
}

/** If no user is signed in, or the request has no organization, the service can't fill these fields in. */
function requireDefaults(
  view: EntityView,
  { principal, organization }: BodyContext,
  values: FieldValues,
  { forced }: WriteTerms,
): void {
  const lacking = view.entity.fields.filter(
    (field) =>
      field.writer === "admin" &&
      !field.optional &&
      !forced.has(field.name) &&
      (values.get(field.name) ?? null) === null &&
      (field.references === "organization" ? organization : userId(principal)) === null,
  );
  if (lacking.some((field) => field.references === "organization")) {
    const choose = principal.kind === "user" ? ", or choose one with PUT /v1/users/me/organization" : "";
    throw new Fault("organization_required", { detail: `Name one in the header Plinth-Organization${choose}.` });
  }
  if (lacking.length === 0) return;
  const errors = lacking.map((field) => ({
    path: `/${field.name}`,
    code: "required",
    message: "No user is signed in. Name one.",
  }));
  throw new Fault("validation_failed", { errors });
}

function requireInitialState(view: EntityView, values: FieldValues): void {
  const machine = view.entity.stateMachine;
  if (machine === null || !values.has(machine.field) || values.get(machine.field) === machine.initial) return;
  const problem = { path: `/${machine.field}`, code: "not_allowed", message: "" };
  throw new Fault("validation_failed", { errors: [aboutState(view, problem)] });
}

/**
 * A new record has one possible state. Transitions, which the API's document shows to everybody, lead to the others.
 */
function aboutState({ entity }: EntityView, problem: FieldError): FieldError {
  const machine = entity.stateMachine;
  if (machine === null || problem.path !== `/${machine.field}` || problem.code !== "not_allowed") return problem;
  const ways = machine.edges
    .filter(({ from }) => from.includes(machine.initial))
    .map(({ name, to }) => `${name} (to ${to})`)
    .join(", ");
  const next = ways === "" ? "" : ` Leave it out, and then use a transition: ${ways}.`;
  return { ...problem, message: `A new ${entity.name} is ${machine.initial}.${next}` };
}

/** If none is sent. The service also writes it for a caller who can't write the field. */
function slugsFor(
  view: EntityView,
  values: FieldValues,
  { forced }: WriteTerms,
  recordId: string,
): ReadonlyMap<string, string> {
  const generated = new Map<string, string>();
  for (const field of view.stored) {
    if (field.slugFrom === null || values.has(field.name) || forced.has(field.name)) continue;
    const source = values.get(field.slugFrom) ?? null;
    if (source !== null) generated.set(field.name, slugOf(source, recordId, longestOf(view, field)));
    else if (!field.optional) {
      const message = `It is generated from ${field.slugFrom}, which is not sent either.`;
      throw new Fault("validation_failed", { errors: [{ path: `/${field.name}`, code: "required", message }] });
    }
  }
  return generated;
}

const SLUG_CHARS_MAX = 80;

function longestOf(view: EntityView, field: BundleField): number {
  const lengths = (view.table?.checks ?? []).map(({ columns, rule }) =>
    columns.length === 1 && columns[0] === field.column && rule.kind === "length" ? rule.max : null,
  );
  return Math.min(SLUG_CHARS_MAX, ...lengths.filter((max) => max !== null));
}

// `POST /v1/can`: what the caller can do, before they try. In: up to 100 questions. Out: an answer for each, in their
// order. It asks the database once, and gives the same answer for hidden and missing records.
import type { Operation } from "@plinth/bundle";
import { Fault, type FieldError, isUuid } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import { callerIn, type EntityView, findEntity, forProject, hasOperation } from "../../query/entity-view.ts";
import { didYouMean } from "../../query/suggest.ts";
import { jsonReply, problemOf, requireJson } from "../json-body.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { canStatement, type Question } from "./can-statement.ts";

const QUESTIONS_MAX = 100;
const questionBody = z.strictObject({
  resource: z.string().max(63),
  op: z.string().max(80),
  id: z.string().max(64).optional(),
});
const body = z.array(questionBody).min(1).max(QUESTIONS_MAX);

interface ResolvedQuestion {
  readonly view: EntityView;
  readonly operation: Operation;
  readonly id: string | null;
  readonly granted: boolean;
}

export const canHandlers: ModuleHandlers = { "project.can": answer };

async function answer(context: ModuleContext): Promise<Reply> {
  const { incoming, principal, release } = context;
  const parsed = body.safeParse(requireJson(incoming), { reportInput: true });
  if (!parsed.success) {
    const errors = parsed.error.issues.flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => ({
            path: `/${[...issue.path, key].join("/")}`,
            code: "unknown_field",
            message: "This field does not exist.",
          }))
        : [problemOf(issue)],
    );
    throw new Fault("validation_failed", { errors });
  }
  const resolved = resolve(release, principal.roles, parsed.data);
  const yes = await askDatabase(context, resolved);
  const data = parsed.data.map((question, i) => ({ ...question, allowed: isAllowed(resolved[i]!, yes) }));
  return jsonReply(200, data);
}

/** Without an id: whether the answer can be yes for any record. */
function isAllowed(
  { view, operation, id, granted }: ResolvedQuestion,
  yes: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  if (!granted || id === null) return granted;
  return yes.get(nameOf(view, operation))?.has(id) ?? false;
}

function resolve(
  release: ActiveRelease,
  roles: readonly string[],
  questions: readonly z.output<typeof questionBody>[],
): readonly ResolvedQuestion[] {
  const errors: FieldError[] = [];
  const resolved = questions.map(({ resource, op, id }, i): ResolvedQuestion | null => {
    const view = findEntity(release, resource) ?? findByPlural(release, resource);
    if (view === null) {
      const hint = didYouMean(
        resource,
        release.bundle.entities.map((entity) => entity.name),
      );
      errors.push({ path: `/${i}/resource`, code: "not_allowed", message: `This resource does not exist.${hint}` });
      return null;
    }
    const operations = operationsOf(view);
    if (!operations.includes(op)) {
      const message = `It must be one of ${operations.join(", ")}.${didYouMean(op, operations)}`;
      errors.push({ path: `/${i}/op`, code: "not_allowed", message });
      return null;
    }
    if (id !== undefined && (op === "list" || op === "create")) {
      errors.push({ path: `/${i}/id`, code: "not_allowed", message: `${op} takes no record.` });
      return null;
    }
    const operation = (op === "list" ? "read" : op) as Operation;
    // A text that is not a UUID names no record, so nothing can be done with it.
    const granted = hasOperation(view.entity, operation, roles) && (id === undefined || isUuid(id));
    return { view, operation, id: id?.toLowerCase() ?? null, granted };
  });
  if (errors.length > 0) throw new Fault("validation_failed", { errors });
  return resolved.filter((each) => each !== null);
}

function findByPlural(release: ActiveRelease, plural: string): EntityView | null {
  const entity = release.bundle.entities.find((each) => each.plural === plural);
  return entity === undefined ? null : findEntity(release, entity.name);
}

function operationsOf({ entity }: EntityView): readonly string[] {
  const edges = (entity.stateMachine?.edges ?? []).map((edge) => `transition:${edge.name}`);
  return ["list", "read", "create", "update", "delete", ...(entity.softDelete === null ? [] : ["restore"]), ...edges];
}

/** The ids with the answer yes, by entity and operation. */
async function askDatabase(
  context: ModuleContext,
  resolved: readonly ResolvedQuestion[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { principal, organization, incoming, release, tenant } = context;
  const questions = new Map<string, Question>();
  for (const { view, operation, id, granted } of resolved) {
    if (!granted || id === null) continue;
    const name = nameOf(view, operation);
    const ids = questions.get(name)?.ids ?? [];
    questions.set(name, { view, operation, ids: ids.includes(id) ? ids : [...ids, id] });
  }
  if (questions.size === 0) return new Map();
  const caller = callerIn(principal, organization);
  const names = [...questions.keys()].sort();
  const { text, slots } = canStatement(
    names.map((name) => questions.get(name) as Question),
    caller,
  );
  const bindings = {
    principal,
    requestId: incoming.id,
    ip: incoming.ip,
    organization,
    recordId: null,
    values: new Map<string, string | null>(),
    cursor: null,
    limit: null,
  };
  const values = slots.map((slot) => slot(bindings));
  const msMax = release.bundle.limits.statementMsMax;
  // Callers invent its shape, so it is not kept prepared, and can't delay the statements of others.
  const { rows } = await tenant.run({ text: forProject(text, release), values, lane: "slow", keep: false, msMax });
  return new Map(names.map((name, i) => [name, new Set(JSON.parse(rows[0]?.[i] ?? "[]") as string[])]));
}

function nameOf(view: EntityView, operation: Operation): string {
  return `${view.entity.name} ${operation}`;
}

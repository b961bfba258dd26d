// Decides what an upsert does. In: a checked body, the values of the key in its path, and the record that has them, if
// there is one. Out: a create, an update, or a read if nothing changes. The key's values are set at create. Fields that
// can only be set at create stay unchanged later.
import type { IncomingHttpHeaders } from "node:http";
import { type EntityView, entityView } from "../../query/entity-view.ts";
import { WHOLE } from "../../query/reading/selection.ts";
import { requireOperation } from "../../query/require-operation.ts";
import { type CheckedBody, checkMembers } from "../../records/check-body.ts";
import { checkerOf } from "../../records/checkers.ts";
import { decodeCreate, decodeUpdate } from "../../records/decode-body.ts";
import type { RouteMatch } from "../route-table.ts";
import type { Call, DecodeContext } from "./decode-input.ts";

/** @param body Like a create's; null if none was sent. @throws Fault 403, 422. */
export function decodeUpsert(
  context: DecodeContext,
  { entity, key }: RouteMatch,
  { "if-match": version }: IncomingHttpHeaders,
  recordId: string | null,
  body: CheckedBody | null,
): Call {
  const view = entityView(context.release, entity);
  const checker = checkerOf(context.release, entity, "create");
  const named = checkMembers(checker, keyMembers(view, key));
  const whole = withKey(body ?? checkMembers(checker, {}), named);
  const demand = (operation: "create" | "update"): void =>
    requireOperation(context.release, entity, operation, context.principal.roles);
  if (recordId === null) {
    demand("create");
    const newId = context.newRecordId();
    return { kind: "create", entity, recordId: newId, ...decodeCreate(context, entity, newId, whole) };
  }
  const changes = changesIn(view, whole, named);
  // The request only requires that the record exists.
  const isWanted = changes.names.length > 0 || changes.problems.length > 0 || version !== undefined;
  if (!isWanted) return { kind: "read", entity, recordId, selection: WHOLE };
  demand("update");
  return { kind: "update", entity, recordId, values: decodeUpdate(context, entity, recordId, changes) };
}

/** The key's values as a body would contain them. */
function keyMembers(view: EntityView, key: RouteMatch["key"]): Readonly<Record<string, unknown>> {
  const texts = (key?.text ?? "").split(",").map(decodeURIComponent);
  return Object.fromEntries(
    (key?.fields ?? []).map((name, at) => {
      const text = texts[at] ?? "";
      return [name, view.fields.get(name)?.wire === "raw" ? JSON.parse(text) : text];
    }),
  );
}

function withKey(body: CheckedBody, named: CheckedBody): CheckedBody {
  const isNamed = (path: string): boolean => named.names.includes(path.slice(1));
  const others = body.problems.filter(({ path, code }) => !(code === "required" && isNamed(path)));
  const contradictions = named.names
    .filter((name) => body.texts.has(name) && named.texts.has(name) && body.texts.get(name) !== named.texts.get(name))
    .map((name) => ({ path: `/${name}`, code: "not_allowed", message: "The path has another value." }));
  return {
    ...body,
    names: [...new Set([...body.names, ...named.names])],
    problems: [...contradictions, ...named.problems.filter(({ path }) => isNamed(path)), ...others],
    texts: new Map([...body.texts, ...named.texts]),
  };
}

/**
 * The part of the body that an update uses: without the key, which the record already has, and without fields that can
 * only be set at create.
 */
function changesIn(view: EntityView, whole: CheckedBody, { names: key }: CheckedBody): CheckedBody {
  const isKept = (name: string): boolean => !key.includes(name) && view.fields.get(name)?.immutable !== true;
  return {
    ...whole,
    names: whole.names.filter(isKept),
    problems: whole.problems.filter(({ code }) => code !== "required"),
    texts: new Map([...whole.texts].filter(([name]) => isKept(name))),
  };
}

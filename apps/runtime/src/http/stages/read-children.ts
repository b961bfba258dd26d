// Reads records in the body of the record that they refer to, such as an order's `lines`. In: a release and a body.
// Out: the body without them, and the operation for each. All of it is checked before anything is written.
import type { BundleRelation } from "@plinth/bundle";
import { Fault, type FieldError, isUuid } from "@plinth/service";
import type { ActiveRelease } from "../../project/active-release.ts";
import { entityView } from "../../query/entity-view.ts";
import { requireRelation } from "../../query/reading/paths.ts";
import { requireOperation } from "../../query/require-operation.ts";
import { checkMembers } from "../../records/check-body.ts";
import { RECORDS_MAX } from "../../records/check-list.ts";
import { checkerOf } from "../../records/checkers.ts";
import { decodeCreate, decodeUpdate } from "../../records/decode-body.ts";
import { parseStrictJson } from "../../records/strict-json.ts";
import type { Incoming } from "../contracts.ts";
import { itemFault } from "../item-fault.ts";
import { requireJsonType } from "../json-type.ts";
import type { RouteMatch } from "../route-table.ts";
import type { Call, DecodeContext } from "./decode-input.ts";
import type { ChildWrite, FamilyCall } from "./write-children.ts";

type Members = Readonly<Record<string, unknown>>;
type ChildOperation = "create" | "update" | "delete";

/** A body that contains records, as sent. */
export interface Family {
  /** The members of the record itself. */
  readonly own: Members;
  readonly children: readonly SentChild[];
}

interface SentChild extends Family {
  /** JSON pointer. */
  readonly at: string;
  readonly relation: BundleRelation;
  readonly operation: ChildOperation;
}

/** The event loop reads these bodies. In larger ones, the names of children are unknown fields. */
const BYTES_MAX = 262_144;
const DEPTH_MAX = 3;
const ERRORS_MAX = 100;
const nothing = new Map<string, string>();

/** Null if the body only contains the record's own fields. @throws Fault 415, 422. */
export function familyOf(release: ActiveRelease, route: RouteMatch, incoming: Incoming): Family | null {
  const { body } = incoming;
  if (body === null || body.length > BYTES_MAX || !["create", "update", "upsert"].includes(route.operation))
    return null;
  const relations = childRelations(release, route.entity);
  if (!relations.some(({ name }) => body.includes(`"${name}"`))) return null;
  requireJsonType(incoming);
  const sent = parseStrictJson(body);
  if (!isObject(sent) || !relations.some(({ name }) => Object.hasOwn(sent, name))) return null;
  const problems: FieldError[] = [];
  const own = { entity: route.entity, at: "", depth: 0, isCreated: route.operation === "create" };
  const family = split(release, own, sent, problems);
  if (problems.length > 0) throw new Fault("validation_failed", { errors: problems.slice(0, ERRORS_MAX) });
  if (count(family) > RECORDS_MAX) throw tooMany();
  return family;
}

/** The number of records that the body writes, including the outermost record. */
export function count({ children }: Pick<Family, "children">): number {
  return children.reduce((sum, child) => sum + count(child), 1);
}

/**
 * @param decode Decodes the operation of the record itself. @throws Fault the first refusal, or all problems with
 * values together.
 */
export function decodeFamily(
  context: DecodeContext,
  family: Family,
  decode: () => Call,
): Pick<FamilyCall, "call" | "children"> {
  const problems: FieldError[] = [];
  const call = placed("", problems, decode);
  const recordId = call !== null && "recordId" in call ? call.recordId : context.newRecordId();
  const writes = family.children.map((child) => decodeChild(context, child, recordId, problems));
  if (call === null || problems.length > 0)
    throw new Fault("validation_failed", { errors: problems.slice(0, ERRORS_MAX) });
  return { call, children: writes.filter((write) => write !== null) };
}

/** Entities that refer to this one, by the names of the relations to their records. */
function childRelations(release: ActiveRelease, entity: string): readonly BundleRelation[] {
  const { relations } = entityView(release, entity).entity;
  return relations.filter(({ by }) => by.kind === "referrer");
}

/** A record in the body. */
interface Place {
  readonly entity: string;
  /** JSON pointer. */
  readonly at: string;
  /** 0 for the outermost record. */
  readonly depth: number;
  readonly isCreated: boolean;
}

function split(release: ActiveRelease, place: Place, sent: Members, problems: FieldError[]): Family {
  const relations = new Map(childRelations(release, place.entity).map((relation) => [relation.name, relation]));
  const own = Object.entries(sent).filter(([name]) => !relations.has(name));
  const children = Object.entries(sent).flatMap(([name, value]): readonly SentChild[] => {
    const relation = relations.get(name);
    return relation === undefined ? [] : childrenIn(release, place, relation, value, problems);
  });
  return { own: Object.fromEntries(own), children };
}

function childrenIn(
  release: ActiveRelease,
  place: Place,
  relation: BundleRelation,
  value: unknown,
  problems: FieldError[],
): readonly SentChild[] {
  const at = `${place.at}/${relation.name}`;
  const depth = place.depth + 1;
  const wrong = (path: string, code: string, message: string): readonly SentChild[] => {
    problems.push({ path, code, message });
    return [];
  };
  if (depth > DEPTH_MAX) return wrong(at, "too_deep", `Records may be nested ${DEPTH_MAX} levels deep in a body.`);
  const child = (sent: unknown, where: string, operation: ChildOperation): readonly SentChild[] => {
    const members = operation === "delete" ? { id: sent } : sent;
    if (!isObject(members)) return wrong(where, "wrong_type", "It must be an object.");
    if (Object.hasOwn(members, relation.by.field))
      return wrong(
        `${where}/${relation.by.field}`,
        "not_allowed",
        "The service sets this reference: it is the record around this one.",
      );
    const own = { entity: relation.entity, at: where, depth, isCreated: operation === "create" };
    const family = split(release, own, members, problems);
    return [{ ...family, at: where, relation, operation }];
  };
  const list = (sent: unknown, where: string, operation: ChildOperation): readonly SentChild[] =>
    Array.isArray(sent)
      ? sent.flatMap((item: unknown, i) => child(item, `${where}/${i}`, operation))
      : wrong(where, "wrong_type", "It must be a list.");

  if (Array.isArray(value)) {
    if (place.isCreated) return list(value, at, "create");
    const how = '{"create": [{...}], "update": [{"id": "...", ...}], "delete": ["<id>"]}';
    return wrong(at, "wrong_type", `The parent record may exist already. Say what to do with its children: ${how}.`);
  }
  if (!isObject(value)) return wrong(at, "wrong_type", "It must be a list of records to create.");
  const { create = [], update = [], delete: deleted = [], ...others } = value;
  for (const name of Object.keys(others))
    wrong(`${at}/${name.slice(0, 64)}`, "unknown_field", "Use create, update or delete.");
  // Deletes come first, because they free limits and unique values for creates.
  return [
    ...list(deleted, `${at}/delete`, "delete"),
    ...list(update, `${at}/update`, "update"),
    ...list(create, `${at}/create`, "create"),
  ];
}

function decodeChild(
  context: DecodeContext,
  child: SentChild,
  parent: string,
  problems: FieldError[],
): ChildWrite | null {
  const { at, relation, operation } = child;
  const entity = relation.entity;
  const written = placed(at, problems, () => {
    const { release, principal } = context;
    requireOperation(release, entity, operation, principal.roles);
    // The creator of a child knows what it refers to. Only a caller who can read the reference learns whether an
    // existing child belongs to the record.
    if (operation !== "create") requireRelation(entityView(release, entity), relation, principal.roles, "", "follow");
    return writeOf(context, child, parent);
  });
  const of = written?.recordId ?? parent;
  const children = child.children
    .map((each) => decodeChild(context, each, of, problems))
    .filter((each) => each !== null);
  if (written === null) return null;
  const reference = { field: relation.by.field, recordId: parent };
  return { at, name: relation.name, entity, operation, parent: reference, ...written, children };
}

/** Collects problems with values. @throws Fault every other refusal. */
function placed<Result>(at: string, problems: FieldError[], decode: () => Result): Result | null {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const fault = at === "" ? error : itemFault(at, error);
    if (fault.code !== "validation_failed") throw fault;
    problems.push(...fault.errors);
    return null;
  }
}

function writeOf(
  context: DecodeContext,
  { own, relation: { entity, by }, operation }: SentChild,
  parent: string,
): Pick<ChildWrite, "recordId" | "values" | "generated" | "version"> {
  const { release } = context;
  if (operation === "create") {
    const recordId = context.newRecordId();
    const body = checkMembers(checkerOf(release, entity, "create"), { ...own, [by.field]: parent });
    return { recordId, ...decodeCreate(context, entity, recordId, body), version: null };
  }
  const { id, version = null, ...fields } = own;
  if (typeof id !== "string" || !isUuid(id)) throw invalid("/id", "It must be the id of a record.");
  if (version !== null && !(Number.isInteger(version) && (version as number) > 0))
    throw invalid("/version", "It must be the record's version.");
  if (version === null && entityView(release, entity).entity.requireVersion === true) {
    throw new Fault("precondition_required", {
      detail: "Send the `version` of each record, so that you don't overwrite another change.",
    });
  }
  const recordId = id.toLowerCase();
  const body = checkMembers(checkerOf(release, entity, "update"), fields);
  const values = operation === "update" ? decodeUpdate(context, entity, recordId, body) : nothing;
  return { recordId, values, generated: nothing, version: version as number | null };
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(path: string, message: string): Fault {
  return new Fault("validation_failed", { errors: [{ path, code: "invalid", message }] });
}

function tooMany(): Fault {
  const message = `A body may write at most ${RECORDS_MAX} records, including the outermost record.`;
  return new Fault("validation_failed", { errors: [{ path: "", code: "too_many", message }] });
}

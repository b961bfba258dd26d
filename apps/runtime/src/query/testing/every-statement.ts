// The statements that a release can produce: each operation of each entity, for several callers and shapes of input.
// In: a release. Out: texts. Only tests import it.

import { canStatement } from "../../modules/can/can-statement.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import {
  assembleCreate,
  assembleDelete,
  assembleList,
  assembleRead,
  assembleRestore,
  assembleTransition,
  assembleUpdate,
} from "../assemble.ts";
import { changesStatement } from "../changes-statement.ts";
import { createCursorCodec } from "../cursor.ts";
import { type EntityView, entityView, type StatementCaller } from "../entity-view.ts";
import { PLAIN_READING } from "../read-statement.ts";
import { readabilityOf } from "../readable-fields.ts";
import { EVERYTHING, equalTo } from "../reading/filter.ts";
import { parseList, parseReading } from "../reading/parse-list.ts";
import { findRelation, relationNames } from "../reading/paths.ts";
import { isToMany } from "../reading/reach.ts";
import type { Statement } from "../statement.ts";

const cursors = createCursorCodec("a secret of the tests alone");

export function everyStatement(release: ActiveRelease): ReadonlySet<string> {
  const callers: readonly StatementCaller[] = [
    { roles: ["public"], unscoped: false },
    { roles: ["owner", "public", "user"], unscoped: false },
    { roles: ["admin", "owner", "public", "user"], unscoped: false },
    { roles: ["admin", "public"], unscoped: true },
    { roles: release.bundle.roles.map((role) => role.name), unscoped: false },
    { roles: ["admin", "public"], unscoped: false, isTried: true },
  ];
  const texts = new Set<string>();
  for (const { name } of release.bundle.entities) {
    const view = entityView(release, name);
    for (const caller of callers) {
      for (const text of recordStatements(release, view, caller)) texts.add(text);
      for (const text of listStatements(release, view, caller)) texts.add(text);
      for (const text of changesStatements(view, caller)) texts.add(text);
    }
  }
  return texts;
}

function* recordStatements(release: ActiveRelease, view: EntityView, caller: StatementCaller): Iterable<string> {
  const { name, fields, softDelete, stateMachine } = view.entity;
  const writable = fields
    .filter((field) => field.writer !== "service" && !field.hidden && field.sequence === null)
    .map((field) => field.name);
  yield assembleRead(release, name, caller).text;
  yield* textsOf(assembleDelete(release, name, caller));
  for (const given of [[], writable]) yield* textsOf(assembleCreate(release, name, caller, given));
  for (const given of [[], writable, ...writable.map((field) => [field])]) {
    yield* textsOf(assembleUpdate(release, name, caller, given));
  }
  if (softDelete !== null) yield* textsOf(assembleRestore(release, name, caller));
  for (const edge of stateMachine?.edges ?? []) {
    for (const given of [[], edge.require]) yield* textsOf(assembleTransition(release, name, caller, edge.name, given));
  }
  const operations = Object.keys(view.entity.access) as (keyof typeof view.entity.access)[];
  yield canStatement(
    operations.filter((operation) => operation !== "create").map((operation) => ({ view, operation, ids: [] })),
    caller,
  ).text;
}

function* textsOf({ text, lock, confirm }: Statement): Iterable<string> {
  yield text;
  if (lock !== undefined) yield lock.text;
  if (confirm !== undefined) yield confirm.text;
}

function* changesStatements(view: EntityView, caller: StatementCaller): Iterable<string> {
  if (view.watched?.isFollowed !== true) return;
  const values = new Map(openFields(view, caller).map((field) => [field.name, "1"]));
  for (const filter of [EVERYTHING, equalTo(view.fields, values)]) yield changesStatement(view, caller, filter).text;
}

function openFields(view: EntityView, caller: StatementCaller): EntityView["shown"] {
  return view.shown.filter((field) => field.filterable && readabilityOf(view, field, caller.roles) !== "never");
}

/**
 * Each relation that the caller can follow: expanded, filtered through, and sorted through if it leads to one record.
 */
function* relatedQueries(view: EntityView, caller: StatementCaller): Iterable<string> {
  for (const name of relationNames(view, caller.roles)) {
    const relation = findRelation(view, name);
    if (relation === undefined) continue;
    yield `expand=${name}`;
    yield `${name}.id=018f0000-0000-7000-8000-000000000001`;
    if (!isToMany(relation)) yield `sort=${name}.id`;
  }
}

function isOpenToSearch(view: EntityView, { roles }: StatementCaller): boolean {
  return view.stored.every((field) => !field.searchable || readabilityOf(view, field, roles) !== "never");
}

function* listStatements(release: ActiveRelease, view: EntityView, caller: StatementCaller): Iterable<string> {
  const context = { release, principal: caller, cursors };
  const open = openFields(view, caller);
  const sorts = open
    .filter((field) => readabilityOf(view, field, caller.roles) === "always")
    .flatMap((field) => [`sort=${field.name}`, `sort=-${field.name}`]);
  if (view.entity.softDelete !== null) {
    yield assembleList(release, view.entity.name, caller, { ...parseList("", view, context), deleted: true }).text;
  }
  const isSearched = view.entity.search !== undefined && isOpenToSearch(view, caller);
  for (const query of ["", ...sorts, ...(isSearched ? ["q=word"] : [])]) {
    const parsed = parseList(query, view, context);
    yield assembleList(release, view.entity.name, caller, parsed).text;
    for (const value of ["1", null]) {
      const key = parsed.sort.map((_, i) => (i === 0 ? value : "1"));
      for (const backward of [false, true]) {
        const from = { key, backward };
        const count = backward ? "exact" : value === null ? "estimated" : null;
        yield assembleList(release, view.entity.name, caller, { ...parsed, from, count }).text;
      }
    }
  }
  for (const query of relatedQueries(view, caller)) {
    yield assembleList(release, view.entity.name, caller, parseList(query, view, context)).text;
    if (query.startsWith("expand=")) {
      const selection = parseReading(query, view, context);
      yield assembleRead(release, view.entity.name, caller, { ...PLAIN_READING, selection }).text;
    }
  }
  for (const field of open) {
    const filter = equalTo(view.fields, new Map([[field.name, "1"]]));
    yield assembleList(release, view.entity.name, caller, { ...parseList("", view, context), filter }).text;
  }
}

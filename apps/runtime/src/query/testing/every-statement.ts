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
import { type Asker, type EntityView, entityView } from "../entity-view.ts";
import { PLAIN_READING } from "../read-statement.ts";
import { readabilityOf } from "../readable-fields.ts";
import { EVERYTHING, equalTo } from "../reading/filter.ts";
import { parseList, parseReading } from "../reading/parse-list.ts";
import { findRelation, relationNames } from "../reading/paths.ts";
import { isToMany } from "../reading/reach.ts";

const cursors = createCursorCodec("a secret of the tests alone");

export function everyStatement(release: ActiveRelease): ReadonlySet<string> {
  const askers: readonly Asker[] = [
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
    for (const asker of askers) {
      for (const text of recordStatements(release, view, asker)) texts.add(text);
      for (const text of listStatements(release, view, asker)) texts.add(text);
      for (const text of changesStatements(view, asker)) texts.add(text);
    }
  }
  return texts;
}

function* recordStatements(release: ActiveRelease, view: EntityView, asker: Asker): Iterable<string> {
  const { name, fields, softDelete, stateMachine } = view.entity;
  const writable = fields
    .filter((field) => field.writer !== "service" && !field.hidden && field.sequence === null)
    .map((field) => field.name);
  yield assembleRead(release, name, asker).text;
  yield assembleDelete(release, name, asker).text;
  for (const given of [[], writable]) yield assembleCreate(release, name, asker, given).text;
  for (const given of [[], writable, ...writable.map((field) => [field])]) {
    yield assembleUpdate(release, name, asker, given).text;
  }
  if (softDelete !== null) yield assembleRestore(release, name, asker).text;
  for (const edge of stateMachine?.edges ?? []) {
    for (const given of [[], edge.require]) yield assembleTransition(release, name, asker, edge.name, given).text;
  }
  const operations = Object.keys(view.entity.access) as (keyof typeof view.entity.access)[];
  yield canStatement(
    operations.filter((operation) => operation !== "create").map((operation) => ({ view, operation, ids: [] })),
    asker,
  ).text;
}

function* changesStatements(view: EntityView, asker: Asker): Iterable<string> {
  if (view.watched?.isFollowed !== true) return;
  const values = new Map(openFields(view, asker).map((field) => [field.name, "1"]));
  for (const filter of [EVERYTHING, equalTo(view.fields, values)]) yield changesStatement(view, asker, filter).text;
}

function openFields(view: EntityView, asker: Asker): EntityView["shown"] {
  return view.shown.filter((field) => field.filterable && readabilityOf(view, field, asker.roles) !== "never");
}

/**
 * Each relation that the caller can follow: expanded, filtered through, and sorted through if it leads to one record.
 */
function* relatedQueries(view: EntityView, asker: Asker): Iterable<string> {
  for (const name of relationNames(view, asker.roles)) {
    const relation = findRelation(view, name);
    if (relation === undefined) continue;
    yield `expand=${name}`;
    yield `${name}.id=018f0000-0000-7000-8000-000000000001`;
    if (!isToMany(relation)) yield `sort=${name}.id`;
  }
}

function isOpenToSearch(view: EntityView, { roles }: Asker): boolean {
  return view.stored.every((field) => !field.searchable || readabilityOf(view, field, roles) !== "never");
}

function* listStatements(release: ActiveRelease, view: EntityView, asker: Asker): Iterable<string> {
  const context = { release, principal: asker, cursors };
  const open = openFields(view, asker);
  const sorts = open
    .filter((field) => readabilityOf(view, field, asker.roles) === "always")
    .flatMap((field) => [`sort=${field.name}`, `sort=-${field.name}`]);
  if (view.entity.softDelete !== null) {
    yield assembleList(release, view.entity.name, asker, { ...parseList("", view, context), deleted: true }).text;
  }
  const isSearched = view.entity.search !== undefined && isOpenToSearch(view, asker);
  for (const query of ["", ...sorts, ...(isSearched ? ["q=word"] : [])]) {
    const parsed = parseList(query, view, context);
    yield assembleList(release, view.entity.name, asker, parsed).text;
    for (const value of ["1", null]) {
      const key = parsed.sort.map((_, i) => (i === 0 ? value : "1"));
      for (const backward of [false, true]) {
        const from = { key, backward };
        const count = backward ? "exact" : value === null ? "estimated" : null;
        yield assembleList(release, view.entity.name, asker, { ...parsed, from, count }).text;
      }
    }
  }
  for (const query of relatedQueries(view, asker)) {
    yield assembleList(release, view.entity.name, asker, parseList(query, view, context)).text;
    if (query.startsWith("expand=")) {
      const selection = parseReading(query, view, context);
      yield assembleRead(release, view.entity.name, asker, { ...PLAIN_READING, selection }).text;
    }
  }
  for (const field of open) {
    const filter = equalTo(view.fields, new Map([[field.name, "1"]]));
    yield assembleList(release, view.entity.name, asker, { ...parseList("", view, context), filter }).text;
  }
}

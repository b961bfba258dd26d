// Completes names of things that the blueprint declares. In: the kind of the name, and the place. Out: the names that
// fit there, the most useful first.

import { withArticle } from "@plinth/expression";
import { type TypeName, typeTraits } from "../field-types/type-traits.ts";
import { roleHelp } from "../language/expressions.ts";
import type { NameOf } from "../language/shape.ts";
import { builtinActions } from "../modules/builtin-actions.ts";
import { integrationKinds, webhookProviders } from "../modules/providers.ts";
import { type Location, mapAround, othersInList } from "./locate.ts";
import { moduleEventsOf } from "./module-outline.ts";
import { type EntityOutline, hasModule, type Outline } from "./outline.ts";
import { type FieldOutline, recordOf } from "./record-outline.ts";
import { entityIn } from "./rule-scope.ts";
import { nodeAt, textOf, textsOf, valueAt } from "./sketch-tree.ts";
import type { Suggestion } from "./suggestion.ts";
import { fieldSuggestion, named, plain } from "./words.ts";

export function namesOf(of: NameOf, outline: Outline, location: Location): Suggestion[] {
  const { path } = location;
  const entity = outline.entities.get(entityIn(path) ?? "");
  switch (of) {
    case "entity":
      return entityNames(outline);
    case "field":
      return fieldsHere(outline, location).map(fieldSuggestion);
    case "state":
      return statesHere(entity, location);
    case "sort_field":
      return sortFields(entityOfView(location), outline);
    case "role":
      return rolesHere(outline, location);
    case "event":
      return eventsHere(outline, location);
    case "worker":
      return named(outline.workers, "name", "A worker or workflow of this blueprint.");
    case "action":
      return actionsOf(outline);
    case "connection":
      return [...outline.connections].map(([name, { kind, provider }]) => ({
        ...plain(name, "name", "An integration of this blueprint."),
        detail: `${kind} ${provider}`.trim(),
      }));
    case "test_user":
      return [
        plain("public", "name", "A caller who is not signed in."),
        ...named(outline.testUsers, "name", "A user of these tests."),
      ];
    case "test_row":
      return named(
        outline.testRows.get(textOf(valueAt(mapAround(location), "list")) ?? "") ?? [],
        "name",
        "A row of these tests.",
      );
    case "entity_row":
      return rowsOf(outline, path.at(-1) === "restore");
    case "row_transition":
      return rowTransitions(outline);
    case "organization_role":
      return named(["owner", "admin", "member"], "role", "A role in an organization.");
    case "integration_kind":
      return named(Object.keys(integrationKinds), "value", "A kind of integration.");
    case "provider":
      return named(
        integrationKinds[textOf(valueAt(mapAround(location), "kind")) ?? ""] ?? Object.values(integrationKinds).flat(),
        "value",
        "A provider of this kind.",
      );
    case "webhook_provider":
      return named(webhookProviders, "value", "The service signs its requests as this provider does.");
  }
}

export function entityNames(outline: Outline): Suggestion[] {
  return [...outline.entities.values()].map(({ name, fields }) => ({
    ...plain(name, "entity", "An entity of this blueprint."),
    detail: [...fields.keys()].slice(0, 4).join(", "),
  }));
}

/** The fields that the key above can name. */
export function fieldsHere(outline: Outline, location: Location): readonly FieldOutline[] {
  const { path } = location;
  const words = path.filter((one) => one !== "[]");
  const key = words.at(-1);
  const record = recordOf(entityIn(path), outline);
  const all = record?.fields ?? [];
  const own = all.filter((field) => !field.implicit || field.name === "org_id");
  const entity = outline.entities.get(entityIn(path) ?? "");
  const isKeyed = ({ type }: FieldOutline): boolean => type !== null && typeTraits[type].keyed;
  switch (key) {
    case "unique":
    case "index":
      // A field that has a key of its own needs no second one, but can be part of a longer one.
      if (othersInList(location).length === 0) return all.filter((one) => isKeyed(one) && !hasKey(one));
      return [
        ...own.filter((one) => !hasKey(one)),
        ...own.filter(hasKey),
        ...all.filter((one) => !own.includes(one)),
      ].filter(isKeyed);
    case "same":
      return all.filter(isKeyed);
    case "overlap": {
      const other = textsOf(valueAt(mapAround(location), "overlap")).find((name) =>
        all.some((one) => one.name === name && location.before !== name),
      );
      const type = all.find((one) => one.name === other)?.type;
      return all.filter(
        (field) =>
          spans.has(field.type ?? "json") &&
          !field.implicit &&
          (type === undefined || field.type === type || other === field.name),
      );
    }
    case "lock":
      return all.filter(({ type }) => type === "ref" || type === "user_ref" || type === "org_ref");
    case "require":
      return own.filter(
        (field) =>
          field.written &&
          !field.modifiers.has("immutable") &&
          field.name !== entity?.stateField &&
          field.name !== "org_id",
      );
    case "transitions":
      return own.filter(({ type, optional }) => type === "enum" && !optional);
    case "fields": {
      const operation = operationIn(path);
      if (operation === "read" || operation === "all")
        return all.filter((field) => !field.modifiers.has("internal") && field.type !== "secret");
      return writable(all, operation);
    }
    case "set":
      return own.filter(
        ({ name, type, modifiers }) =>
          !["computed", "sequence", "refs"].includes(type ?? "") &&
          name !== entity?.stateField &&
          (operationIn(path) === "create" || (!modifiers.has("immutable") && name !== "org_id")),
      );
    default:
      return writable(all, "create");
  }
}

function hasKey({ modifiers }: FieldOutline): boolean {
  return modifiers.has("unique") || modifiers.has("index");
}

const spans: ReadonlySet<TypeName> = new Set(["date", "datetime", "int", "bigint", "decimal", "money"]);

function writable(fields: readonly FieldOutline[], operation: string): readonly FieldOutline[] {
  return fields.filter(
    (field) =>
      field.written && !(operation === "update" && (field.modifiers.has("immutable") || field.name === "org_id")),
  );
}

function operationIn(path: readonly string[]): string {
  const at = path.indexOf("permissions");
  return at === -1 ? "" : (path[at + (path[0] === "permissions" ? 3 : 2)] ?? "");
}

function statesHere(entity: EntityOutline | undefined, location: Location): Suggestion[] {
  const { path } = location;
  const states = enumOf(entity, path[3]);
  const around = mapAround(location);
  // A transition can't lead back to where it starts.
  const given = entity?.fields.get(path[3] ?? "") ?? "";
  const initial = /=\s*["']?(\w+)/.exec(given)?.[1];
  if (path.at(-1) === "initial" && initial !== undefined && states.includes(initial))
    return [plain(initial, "value", "The default of the field.")];
  const taken = path.includes("from")
    ? textsOf(valueAt(around, "to"))
    : path.at(-1) === "to"
      ? textsOf(valueAt(around, "from"))
      : [];
  return states
    .filter((state) => !taken.includes(state))
    .map((state) => plain(state, "value", `A state of \`${path[3]}\`.`));
}

export function enumOf(entity: EntityOutline | undefined, field: string | undefined): readonly string[] {
  const notation = entity?.fields.get(field ?? "") ?? "";
  const values = /^["']?enum\[([^\]]*)\]/.exec(notation)?.[1];
  return values === undefined ? [] : values.split(",").map((one) => one.trim());
}

export function entityOfView(location: Location): string | null {
  return location.path[0] === "views" ? textOf(valueAt(mapAround(location), "of")) : entityIn(location.path);
}

/** The entity of `create: listing` or `update: listing.a`. */
export function entityOfExpectation({ root, spot }: Location): string | null {
  const at = spot.findIndex((one, index) => typeof one === "number" && spot[index - 1] === "expect");
  if (at === -1) return null;
  const expectation = nodeAt(root, spot.slice(0, at + 1));
  for (const key of ["create", "update", "transition", "read", "delete", "restore", "list"]) {
    const value = textOf(valueAt(expectation, key));
    if (value !== null) return value.split(".")[0] ?? null;
  }
  return null;
}

/** Types without one plain value in a column. */
const unsorted: ReadonlySet<string> = new Set(
  "json object list i18n point vector enum_set secret refs computed file image".split(" "),
);

function sortFields(entity: string | null, outline: Outline): Suggestion[] {
  const fields = (recordOf(entity, outline)?.fields ?? []).filter(
    (one) => !unsorted.has(one.type ?? "json") && !one.modifiers.has("internal"),
  );
  return [
    ...fields.map(fieldSuggestion),
    ...fields.map((one) => ({
      ...fieldSuggestion(one),
      label: `-${one.name}`,
      insert: `-${one.name}`,
      help: "The largest or latest first.",
    })),
  ];
}

function rolesHere(outline: Outline, { path }: Location): Suggestion[] {
  const words = path.filter((one) => one !== "[]");
  const builtin = Object.entries(roleHelp)
    .filter(([name]) => !(path[0] === "users" && (name === "owner" || name === "admin")))
    .filter(([name]) => !(path[0] === "tests" && (name === "public" || name === "owner")))
    .map(([name, help]) => plain(name, "role", help));
  const own = outline.roles
    .filter((name) => !(path[0] === "roles" && name === words[1]))
    .map((name) => plain(name, "role", "A role of this blueprint."));
  return [...builtin, ...own];
}

function eventsHere(outline: Outline, { path }: Location): Suggestion[] {
  const isStart = path.filter((one) => one !== "[]").at(-1) === "on";
  return [
    ...eventsOf(outline),
    ...[...moduleEventsOf(outline).values()].map(({ name, help }) => plain(name, "name", help)),
    ...named(outline.events, "name", "An event that this blueprint declares."),
    ...(isStart
      ? [plain("schedule", "value", "A schedule runs it."), plain("manual", "value", "It is started by name.")]
      : []),
  ];
}

function eventsOf(outline: Outline): Suggestion[] {
  return [...outline.entities.values()].flatMap((entity) => [
    ...["created", "updated", "deleted", ...(entity.softDelete ? ["restored"] : [])].map((what) =>
      plain(`${entity.name}.${what}`, "name", `After ${withArticle(`\`${entity.name}\``)} was ${what}.`),
    ),
    ...named(entity.edgeEvents, "name", `After ${withArticle(`\`${entity.name}\``)} took this transition.`),
  ]);
}

const usualActions: readonly string[] = [
  "record.update",
  "record.create",
  "record.find",
  "record.transition",
  "event.emit",
];

export function actionsOf(outline: Outline): Suggestion[] {
  const isServed = (name: string): boolean => {
    const module = builtinActions[name]?.module;
    if (module !== undefined && !hasModule(outline, module)) return false;
    return !name.startsWith("subscription.") || outline.entities.has("subscription");
  };
  const builtin = [...new Set([...usualActions, ...Object.keys(builtinActions)])].filter(isServed);
  return [
    ...builtin.map((name) => plain(name, "name", builtinActions[name]?.help ?? "")),
    ...outline.onlyWorkers.map((name) => plain(name, "name", "A worker of this blueprint.")),
  ];
}

function rowsOf({ testRows, entities }: Outline, isRestore: boolean): Suggestion[] {
  return [...testRows].flatMap(([entity, rows]) =>
    isRestore && entities.get(entity)?.softDelete !== true
      ? []
      : named(
          rows.map((row) => `${entity}.${row}`),
          "name",
          `A row of \`${entity}\` in these tests.`,
        ),
  );
}

function rowTransitions({ testRows, entities }: Outline): Suggestion[] {
  return [...testRows].flatMap(([entity, rows]) =>
    named(
      rows.flatMap((row) => (entities.get(entity)?.transitions ?? []).map((edge) => `${entity}.${row}.${edge}`)),
      "name",
      `A row of \`${entity}\` in these tests, and a transition.`,
    ),
  );
}

/** Whether a record can be looked up by this field. */
export function isSought({ type }: FieldOutline): boolean {
  return !unsorted.has(type ?? "json");
}

/** The values that a field can have, as far as they are known. */
export function valuesOfField(
  field: FieldOutline | undefined,
  outline: Outline,
  place: "tests" | "seed" | "step",
): Suggestion[] {
  if (field === undefined) return [];
  switch (field.type) {
    case "enum":
    case "enum_set":
      return field.values.map((value) => plain(value, "value", `A value of \`${field.name}\`.`));
    case "bool":
      return named(["true", "false"], "value", `A value of \`${field.name}\`.`);
    case "ref":
    case "refs":
      return place === "tests"
        ? named(outline.testRows.get(field.target ?? "") ?? [], "name", `A row of \`${field.target}\` in these tests.`)
        : [];
    case "user_ref":
      return place === "tests" ? named(outline.testUsers, "name", "A user of these tests.") : [];
    case "org_ref":
      return place === "tests" ? named(outline.testOrganizations, "name", "An organization of these tests.") : [];
    default:
      return [];
  }
}

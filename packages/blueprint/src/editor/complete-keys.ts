// Completes keys. In: the place of a key. Out: the keys that fit there and are not present, the required ones first.

import { typeTraits } from "../field-types/type-traits.ts";
import { stepKeys } from "../language/background-sections.ts";
import { fieldKeys } from "../language/field-types.ts";
import { operationHelp } from "../language/sections.ts";
import { type KeyShape, listOf, type Shape } from "../language/shape.ts";
import { actionsOf, entityOfExpectation, fieldsHere, isSought, namesOf } from "./complete-names.ts";
import { completeWith } from "./complete-with.ts";
import { withValue } from "./insertion.ts";
import { type Location, siblingsOf } from "./locate.ts";
import { excludes, takes } from "./modifier-fit.ts";
import { readNotation } from "./notation.ts";
import { hasModule, type Outline } from "./outline.ts";
import { type FieldOutline, recordOf } from "./record-outline.ts";
import { entityIn } from "./rule-scope.ts";
import { opened, shapesAt } from "./shape-at.ts";
import { nodeAt, textOf, valueAt } from "./sketch-tree.ts";
import type { Suggestion } from "./suggestion.ts";
import { fieldSuggestion, named, plain, unique } from "./words.ts";

export function completeKeys(location: Location, outline: Outline, text: string): readonly Suggestion[] {
  if (!/^[\w.:-]*$/.test(location.before)) return [];
  const present = new Set(siblingsOf(location));
  const given = completeWith(location, outline, "key");
  const found: readonly Offer[] =
    given !== null
      ? given.map((one): Offer => ({ ...one, value: { kind: "value" } }))
      : shapesAt(location.path).flatMap((shape) => keysOf(shape, { location, outline, present }));
  const shapes = new Map(found.map((one) => [one.label, one.value ?? ({ kind: "text" } as const)]));
  const fits = (label: string): boolean => !present.has(label) && takesValue(shapes.get(label), location);
  return unique(found.filter((one) => fits(one.label))).map(({ label, insert, select, kind, detail, help }) =>
    withValue({ label, insert, select, kind, detail, help }, shapes.get(label) ?? { kind: "text" }, location, text),
  );
}

/** Whether the key can have the value that the retyped key has. */
function takesValue(shape: Shape | undefined, { root, spot, colon }: Location): boolean {
  const kind = colon ? nodeAt(root, [...spot, ""])?.kind : undefined;
  if (shape === undefined || kind === undefined || kind === "text") return true;
  const taken: readonly string[] =
    kind === "map"
      ? ["map", "names", "field", "value"]
      : ["list", "value", ...(shape.kind === "field" ? ["field"] : [])];
  return opened(shape).some((one) => taken.includes(one.kind));
}

type Offer = Suggestion & { readonly value?: Shape };

interface Place {
  readonly location: Location;
  readonly outline: Outline;
  readonly present: ReadonlySet<string>;
}

function keysOf(shape: Shape, place: Place): Offer[] {
  switch (shape.kind) {
    case "map":
      return tableKeys(shape.keys, place);
    case "field":
      return tableKeys(fieldKeys, place).filter((one) => fitsField(one.label, place));
    case "value":
      return isObjectOfRow(place.location) ? fieldKeysHere(place.location, place.outline) : [];
    case "names":
      return namedKeys(shape, place).map((one) => ({
        ...one,
        value: isOfList(one) ? listOf(shape.value) : shape.value,
      }));
    default:
      return [];
  }
}

/** Whether it is a field with a list of values. */
function isOfList({ kind, detail }: Suggestion): boolean {
  return kind === "field" && /^["']?(?:refs|enum_set|list)\b/.test(detail);
}

function tableKeys(keys: Readonly<Record<string, KeyShape>>, place: Place): Offer[] {
  const offers = Object.entries(keys)
    .filter(([name]) => fitsBeside(name, keys, place))
    .map(
      ([name, key]): Offer => ({
        ...plain(name, "key", key.help),
        detail: key.required === true ? "required" : "",
        value: key.value,
      }),
    );
  return [...offers.filter((one) => one.detail !== ""), ...offers.filter((one) => one.detail === "")];
}

/** Sections whose module is not listed, and keys that exclude each other. */
function fitsBeside(
  name: string,
  keys: Readonly<Record<string, KeyShape>>,
  { location, outline, present }: Place,
): boolean {
  const { path } = location;
  if (path.length === 0) return sectionFits(name, outline);
  // In its short form, an entity only has fields.
  if (
    path[0] === "entities" &&
    path.length === 2 &&
    !present.has("fields") &&
    [...present].some((one) => one !== "" && !Object.hasOwn(keys, one))
  )
    return false;
  if (path[0] === "tests" && path[1] === "expect") return expectationFits(name, location, present, outline);
  if (Object.hasOwn(keys, "action") && Object.hasOwn(keys, "on_error")) return stepFits(name, location, present);
  if (name === "org_scoped") return hasModule(outline, "organizations");
  if (path[0] === "workflows" && path.length === 2)
    return name !== (present.has("steps") ? "actions" : present.has("actions") ? "steps" : "");
  if (path[0] === "workers" && path.length === 2)
    return name !== (present.has("steps") ? "http" : present.has("http") ? "steps" : "");
  return grantFits(name, path);
}

const moduleOfSection: Readonly<Record<string, string>> = {
  roles: "roles",
  auth: "auth",
  users: "users",
  webhooks: "webhooks",
  workers: "workers",
  workflows: "workers",
  schedules: "workers",
  actions: "workers",
  work: "workers",
};

function sectionFits(name: string, outline: Outline): boolean {
  const module = moduleOfSection[name];
  return name !== "storage" && (module === undefined || hasModule(outline, module));
}

const operations: readonly string[] = ["list", "read", "create", "update", "delete", "restore", "transition"];

function expectationFits(
  name: string,
  { root, spot }: Location,
  present: ReadonlySet<string>,
  outline: Outline,
): boolean {
  // The value of the key that is retyped.
  const about = textOf(valueAt(nodeAt(root, spot), ""))?.split(".") ?? null;
  const owners = about === null ? [...outline.entities.values()] : [outline.entities.get(about[0] ?? "")];
  const chosen = operations.find((one) => present.has(one));
  const isList = present.has("list") || present.has("sees");
  if (operations.includes(name)) {
    if (chosen !== undefined) return false;
    const parts = name === "list" || name === "create" ? 1 : name === "transition" ? 3 : 2;
    if (about !== null && about.length !== parts) return false;
    if (name === "list") return !present.has("allow") && !present.has("with");
    if (name === "restore" && !owners.some((one) => one?.softDelete === true)) return false;
    if (name === "transition" && !owners.some((one) => (one?.transitions.length ?? 0) > 0)) return false;
    return !isList;
  }
  if (name === "sees") return (chosen === undefined || isList) && !present.has("allow") && !present.has("with");
  if (name === "with")
    return chosen === undefined
      ? !present.has("allow") && !isList
      : ["create", "update", "transition"].includes(chosen);
  return name === "as" || (name === "allow" && !isList);
}

function stepFits(name: string, { path, root, spot }: Location, present: ReadonlySet<string>): boolean {
  // Below the name of an action, the action is known.
  const isShort = path.at(-1) !== "[]";
  if (isShort && name === "action") return false;
  if (name === "as")
    return (
      path[0] === "actions" &&
      isRecordAction(path.at(-1) === "[]" ? (textOf(valueAt(nodeAt(root, spot), "action")) ?? "") : (path.at(-1) ?? ""))
    );
  if (name === "max_parallel") return present.has("for_each");
  const own = ["action", "wait_for", "approval"];
  if (own.includes(name)) return !own.some((one) => present.has(one)) && !isShort;
  return true;
}

function isRecordAction(action: string): boolean {
  return action.startsWith("record.") || action.startsWith("subscription.");
}

/** `fields`, `set` and `limit` only work with some operations. */
function grantFits(name: string, path: readonly string[]): boolean {
  const at = path.indexOf("permissions");
  const operation = path[at + (path[0] === "permissions" ? 3 : 2)];
  const isGrant = at !== -1 && operation !== undefined && path.length === at + (path[0] === "permissions" ? 4 : 3);
  if (!isGrant || operation === "all") return true;
  if (name === "limit") return operation === "read";
  if (name === "fields") return ["read", "create", "update"].includes(operation);
  if (name === "set") return operation !== "read" && operation !== "delete" && operation !== "restore";
  return true;
}

/** Keys of a field's long form that fit its type. */
function fitsField(name: string, { location, present }: Place): boolean {
  const notation = textOf(valueAt(nodeAt(location.root, location.spot), "type"));
  const isProfile = location.path[0] === "users";
  if (name === "writable") return isProfile;
  if (isProfile && ["as", "fill"].includes(name)) return false;
  if (notation === null) return true;
  const { type, optional } = readNotation(notation);
  if (type === null) return true;
  const traits = typeTraits[type];
  const generated = type === "computed" || type === "sequence";
  const fits = takes(type, name) && !(excludes[name] ?? []).some((other) => present.has(other));
  // Without a caller who writes it, the field needs a value.
  const canBeEmpty = optional || present.has("optional") || present.has("default");
  switch (name) {
    case "values":
      return (type === "enum" || type === "enum_set") && !/\[/.test(notation);
    case "of":
      return (type === "list" || type === "i18n") && !/</.test(notation);
    case "fields":
      return type === "object" && !/\{/.test(notation);
    case "min":
    case "max":
      return traits.limits !== null && !/\(/.test(type === "string" ? notation : "");
    case "pattern":
      return traits.pattern;
    case "default":
      return traits.default;
    case "optional":
      return !optional && !generated && type !== "refs";
    case "readonly":
      return fits && canBeEmpty;
    case "internal":
      return fits && (canBeEmpty || generated);
    default:
      return fits;
  }
}

/** Keys that the author names, if the blueprint already knows the possible names. */
function namedKeys({ key, keys = [] }: Extract<Shape, { kind: "names" }>, { location, outline }: Place): Suggestion[] {
  const { path } = location;
  const entity = outline.entities.get(entityIn(path) ?? "");
  switch (key) {
    case "operation": {
      if (path[0] === "users") return [plain("read", "name", operationHelp["read"] ?? "")];
      const known = keys.filter((name) => name !== "restore" || entity?.softDelete === true);
      const edges = (entity?.transitions ?? []).map((edge) =>
        plain(`transition:${edge}`, "name", `Take the transition \`${edge}\`.`),
      );
      return [...known.map((name) => plain(name, "name", operationHelp[name] ?? "")), ...edges];
    }
    case "role":
      return path.includes("permissions") ? namesOf("role", outline, location) : [];
    case "entity":
      return path[0] === "entities" ? [] : namesOf("entity", outline, location);
    case "action":
      return path.at(-1) === "[]" && !isInsideStep(location) ? actionsOf(outline) : [];
    case "organization":
      return named(outline.testOrganizations, "name", "An organization of these tests.");
    case "field":
      return fieldKeysHere(location, outline);
    default:
      return keys.map((name) => plain(name, "name", "The state of a new record."));
  }
}

/** Whether the map of the step has other keys already. */
function isInsideStep(location: Location): boolean {
  return siblingsOf(location).some((key) => Object.hasOwn(stepKeys, key));
}

function fieldKeysHere(location: Location, outline: Outline): Suggestion[] {
  const { path } = location;
  const asKeys = (fields: readonly FieldOutline[]): Suggestion[] => fields.map(fieldSuggestion);
  // An entity has one state machine.
  if (path.at(-1) === "transitions" && path[0] === "entities")
    return siblingsOf(location).some((key) => key !== "") ? [] : asKeys(fieldsHere(outline, location));
  if (path.at(-1) === "set") return asKeys(fieldsHere(outline, location));
  if (path[0] === "tests") {
    if (isObjectOfRow(location)) {
      const object = recordOf(path[2] ?? null, outline)?.fields.find((one) => one.name === path[4]);
      return [...(object?.members ?? [])].map(([name, notation]) => ({
        ...plain(name, "field", ""),
        detail: notation,
      }));
    }
    const name =
      path[1] === "rows" ? (path[2] ?? null) : path.includes("profile") ? "user" : entityOfExpectation(location);
    const fields = recordOf(name, outline)?.fields ?? [];
    return asKeys(
      name === "user"
        ? fields.filter((one) => outline.userFields.has(one.name))
        : path[1] === "rows"
          ? rowFields(fields)
          : fields.filter((one) => one.written),
    );
  }
  if (path[2] === "seed") return asKeys(rowFields(recordOf(path[1] ?? null, outline)?.fields ?? []));
  if (path[2] === "record" && path.length === 4)
    return asKeys((recordOf(path[3] ?? null, outline)?.fields ?? []).filter(isSought));
  return [];
}

/** Whether the keys are members of a field of the type `object`. */
function isObjectOfRow({ path }: Location): boolean {
  return path[0] === "tests" && path[1] === "rows" && path.length === 5;
}

function rowFields(fields: readonly FieldOutline[]): readonly FieldOutline[] {
  return fields.filter(
    ({ type, name }) => type !== "computed" && type !== "sequence" && name !== "id" && name !== "version",
  );
}

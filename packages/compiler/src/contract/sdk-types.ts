// Writes the SDK's TypeScript declarations. In: the model. Out: the text of `plinth.gen.d.ts`.
// It holds types only: what a caller may do, the service decides.
import { type Entity, type Field, type FieldType, type Model, moduleEvents } from "@plinth/blueprint";
import type { Type } from "@plinth/expression";
import { builtinEntities } from "../requests/builtin-entities.ts";
import { keysOf } from "../requests/keys.ts";
import { relationsOf } from "../requests/relations.ts";
import { addedSchema, isRequired, readableFields, writableFields } from "../requests/schemas.ts";
import { visibleFieldsOf } from "../requests/visible-fields.ts";
import { isServed } from "../sql/column-type.ts";
import { handsEventsOn } from "../tables/system-tables.ts";
import { outputTypeOf, outputTypescript } from "../work/action-output.ts";
import { eventsOf } from "../work/background.ts";
import { filterableFields } from "./openapi-reading.ts";

export function sdkTypesOf(model: Model): string {
  const entities = model.entities.map(entityType).join("\n");
  const name = typeName(model.project);
  return `// Types of the project ${model.project}, for createClient<${name}>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface ${name} {
  entities: {${entities === "" ? "" : `\n${entities}\n  `}};
${builtinEntities(model)
  .map(({ name, fields }) => `  ${name}: ${shape(fields, model)};`)
  .join("\n")}${actionTypes(model)}
}${handsEventsOn(model) ? eventTypes(model) : ""}
`;
}

/** Name > what a call takes and answers: its output, or the run that goes on with it and gives the output later. */
function actionTypes(model: Model): string {
  const { actions } = model.background;
  if (actions.length === 0 || !model.modules.includes("workers")) return "";
  const lines = actions.map((action) => {
    const input = payloadType(writableFields(action.input));
    const output = outputTypescript(outputTypeOf(action, model));
    const answer =
      action.mode === "sync" ? `result: ${output}` : `result: { id: string; status: string }; output: ${output}`;
    return `    ${JSON.stringify(action.name)}: { input: ${input}; ${answer} };`;
  });
  return `\n  actions: {\n${lines.join("\n")}\n  };`;
}

/** Name > what the event carries: the record of an entity's own, the data of a declared one. */
function eventTypes(model: Model): string {
  const brought = moduleEvents(model.modules);
  const payloads = new Map(model.background.events.map((event) => [event.name, event]));
  const lines = eventsOf(model).map(({ name, entity }) => {
    const declared = payloads.get(name);
    const ofModule = brought.get(name);
    const help = comment({ label: null, help: declared?.help ?? ofModule?.help ?? null }, "  ");
    const own = ofModule === undefined ? `["entities"]["${entity}"]["record"]` : `["${entity}"]`;
    const whole = `${typeName(model.project)}${own}`;
    const record = entity === null ? "null" : `Pick<${whole}, "id"> & Partial<${whole}>`;
    const old = entity === null ? "null" : `Partial<${whole}> | null`;
    const payload = declared?.payload ?? ofModule?.data ?? [];
    const type = payloadType(payload);
    const seen = entity === null ? `Partial<${type}>` : `${type} | null`;
    const data = declared === undefined && payload.length === 0 ? "null" : seen;
    return `${help}  ${JSON.stringify(name)}: { record: ${record}; old: ${old}; data: ${data} };`;
  });
  return `

/** What each event carries, as far as whoever is sent it may see it. */
export interface ${typeName(model.project)}Events {${lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}}`;
}

function payloadType(fields: readonly Field[]): string {
  const members = fields
    .filter(isServed)
    .map((field) => `${field.name}${isRequired(field) ? "" : "?"}: ${orNull(field)}`);
  return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
}

function shape(fields: readonly Field[], model: Model): string {
  const lines = readableFields(fields.filter(isServed)).map((field) => {
    const type = field.name === "roles" && !field.declared ? `(${rolesOf(model)})[]` : orNull(field);
    return `${comment(field, "    ")}    ${field.name}: ${type};`;
  });
  return `{\n${lines.join("\n")}\n  }`;
}

/** Everybody is public: no user's list of roles says so. */
function rolesOf(model: Model): string {
  const names = model.roles.map((role) => role.name).filter((name) => name !== "public");
  return names.map((name) => JSON.stringify(name)).join(" | ");
}

/** `parcel-desk` -> `ParcelDesk`. */
function typeName(project: string): string {
  const name = project
    .split("-")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
  return /^[A-Za-z]/.test(name) ? name : `Project${name}`;
}

function entityType(declared: Entity): string {
  const entity = { ...declared, fields: declared.fields.filter(isServed) };
  const { fields, stateMachine } = entity;
  const { shown, always } = visibleFieldsOf(entity);
  const readable = readableFields(fields).filter((field) => shown.has(field.name));
  const writable = writableFields(fields);
  const member = (name: string, lines: readonly string[]): string =>
    lines.length === 0 ? `      ${name}: {};` : `      ${name}: {\n${lines.join("\n")}\n      };`;
  const initial = (field: Field): string =>
    stateMachine?.field === field.name ? JSON.stringify(stateMachine.initial) : orNull(field);
  const edges = stateMachine?.edges ?? [];
  return [
    `${comment(declared, "    ")}    ${entity.name}: {`,
    member(
      "record",
      readable.map((field) => property(field, always.has(field.name) ? "always" : "maybe", orNull(field))),
    ),
    member(
      "create",
      writable.map((field) => property(field, isRequired(field) ? "always" : "maybe", initial(field))),
    ),
    member(
      "update",
      writable.filter((field) => !field.immutable).map((field) => property(field, "maybe", changeOf(field))),
    ),
    member(
      "where",
      comparableFields(entity).map((field) => property(field, "maybe", typeOf(field.type))),
    ),
    ...relationTypes(entity),
    ...keyTypes(entity, shown),
    ...unionMember(
      "views",
      (entity.views ?? []).map(({ name }) => name),
    ),
    ...unionMember(
      "transitions",
      edges.map(({ name }) => name),
    ),
    "    };",
  ].join("\n");
}

/** What a condition can be about: what has an order, and lists and JSON. */
function comparableFields(entity: Entity): readonly Field[] {
  const ordered = new Set(filterableFields(entity));
  const held: readonly FieldType["kind"][] = ["list", "enum_set", "json", "object", "i18n"];
  return readableFields(entity.fields).filter((field) => ordered.has(field) || held.includes(field.type.kind));
}

function relationTypes({ fields, relations }: Entity): readonly string[] {
  const lines = relationsOf(readableFields(fields), relations).map(({ name, entity, by }) => {
    const field = by.kind === "referrer" ? ` by: ${JSON.stringify(by.field)};` : "";
    return `        ${name}: { to: ${JSON.stringify(entity)}; many: ${by.kind !== "reference"};${field} };`;
  });
  return lines.length === 0 ? [] : [`      relations: {\n${lines.join("\n")}\n      };`];
}

/** What names one record: `{ sku: string }`, and of several fields as the path has them, `{ "a,b": [string, number] }`. */
function keyTypes(entity: Entity, shown: ReadonlySet<string>): readonly string[] {
  const types = new Map(entity.fields.map((field) => [field.name, typeOf(field.type)]));
  const keys = keysOf(entity)
    .filter((key) => key.every((name) => shown.has(name)))
    .map((key) => {
      const values = key.map((name) => types.get(name) ?? "never");
      return key.length === 1 ? `{ ${key[0]}: ${values[0]} }` : `{ "${key.join(",")}": [${values.join(", ")}] }`;
    });
  return keys.length === 0 ? [] : [`      keys: ${keys.join(" | ")};`];
}

function unionMember(member: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`      ${member}: ${union(names)};`];
}

function property(field: Field, presence: "always" | "maybe", type: string): string {
  return `${comment(field, "        ")}        ${field.name}${presence === "always" ? "" : "?"}: ${type};`;
}

/** What an editor shows beside the name. */
function comment(
  { label, help, deprecated = null }: { label: string | null; help: string | null; deprecated?: string | null },
  indent: string,
): string {
  const said = [label, help].filter((part) => part !== null && part !== "").join(": ");
  const text = [said, ...(deprecated === null ? [] : [`@deprecated ${deprecated}`])]
    .filter((part) => part !== "")
    .join(" ")
    .replace(/\s+/g, " ")
    .replaceAll("*/", "* /");
  return text === "" ? "" : `${indent}/** ${text} */\n`;
}

function orNull(field: Field): string {
  return field.optional ? `${typeOf(field.type)} | null` : typeOf(field.type);
}

/** What an update takes: a number may also be added to. */
function changeOf(field: Field): string {
  return addedSchema(field.type) === null ? orNull(field) : `${orNull(field)} | { add: ${typeOf(field.type)} }`;
}

function typeOf(type: FieldType): string {
  switch (type.kind) {
    case "int":
    case "float":
    case "percent":
      return "number";
    case "bool":
      return "boolean";
    case "enum":
      return union(type.values);
    case "enum_set":
      return `(${union(type.values)})[]`;
    case "json":
      return "unknown";
    case "object":
      return `{ ${type.fields.map((one) => `${one.name}${one.optional ? "?" : ""}: ${typeOf(one.type)}${one.optional ? " | null" : ""}`).join("; ")} }`;
    case "list":
      return `(${typeOf(type.of)})[]`;
    case "i18n":
      return `Record<string, ${typeOf(type.of)}>`;
    case "point":
      return "{ lat: number; lng: number }";
    case "vector":
      return "number[]";
    case "refs":
      return "string[]";
    case "computed":
      return `${typeOfValue(type.expression.type)}`;
    default:
      return "string";
  }
}

function typeOfValue(type: Type): string {
  switch (type.kind) {
    case "bool":
      return "boolean";
    case "int":
    case "float":
      return "number";
    case "enum":
      return union(type.values);
    case "list":
      return `(${typeOfValue(type.of)})[]`;
    case "opaque":
      return "unknown";
    default:
      return "string";
  }
}

function union(values: readonly string[]): string {
  return values.length === 0 ? "never" : values.map((value) => JSON.stringify(value)).join(" | ");
}

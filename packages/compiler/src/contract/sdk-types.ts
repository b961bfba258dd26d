// Writes the SDK's TypeScript declarations. In: the model. Out: the text of `sdk.d.ts`. It contains only types; the
// service decides what a caller can do.
import { type Field, type Model, moduleEvents, USER_ENTITY, userEntity } from "@plinth/blueprint";
import { builtinEntities } from "../requests/builtin-entities.ts";
import { isRequired, readableFields, writableFields } from "../requests/schemas.ts";
import { visibleFieldsOf } from "../requests/visible-fields.ts";
import { isServed } from "../sql/column-type.ts";
import { handsEventsOn } from "../tables/system-tables.ts";
import { outputTypeOf, outputTypescript } from "../work/action-output.ts";
import { eventsOf } from "../work/background.ts";
import { entityType, relatedType, withRoles } from "./sdk-entity-types.ts";
import { comment, orNull, property } from "./sdk-value-types.ts";

export function sdkTypesOf(model: Model): string {
  const entities = model.entities.map(entityType).join("\n");
  const name = typeName(model.project);
  return `// Types of the project ${model.project}, for createClient<${name}>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface ${name} {
  entities: {${entities === "" ? "" : `\n${entities}\n  `}};
${builtinTypes(model)}${profileType(model)}${actionTypes(model)}
}${handsEventsOn(model) ? eventTypes(model) : ""}
`;
}

/** Name > the input and result of a call: its output, or the run that produces the output later. */
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

/** Name > the data of the event: the record for an entity's own event, the data of a declared one. */
function eventTypes(model: Model): string {
  const brought = moduleEvents(model.modules);
  const payloads = new Map(model.background.events.map((event) => [event.name, event]));
  const lines = eventsOf(model).map(({ name, entity }) => {
    const declared = payloads.get(name);
    const found = brought.get(name);
    const ofModule = declared === undefined && found?.entity === entity ? found : undefined;
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

/** The data of each event, as far as its receiver can see it. */
export interface ${typeName(model.project)}Events {${lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}}`;
}

function payloadType(fields: readonly Field[]): string {
  const members = fields
    .filter(isServed)
    .map((field) => `${field.name}${isRequired(field) ? "" : "?"}: ${orNull(field)}`);
  return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
}

/** Users and organizations: their whole records, and their types as related records. */
function builtinTypes(model: Model): string {
  const users = userEntity(model);
  const all = builtinEntities(model).map(({ name, fields }) => ({ name, fields: withRoles(fields, model) }));
  const own = all.map(({ name, fields }) => {
    const lines = readableFields(fields).map(
      (field) => `${comment(field, "    ")}    ${field.name}: ${orNull(field)};`,
    );
    return `  ${name}: {\n${lines.join("\n")}\n  };`;
  });
  const related = all.map(({ name, fields }) =>
    name === USER_ENTITY
      ? relatedType(name, fields, users.relations, visibleFieldsOf(users))
      : relatedType(name, fields, [], visibleFieldsOf({ fields, permissions: [] })),
  );
  return [...own, "  related: {", ...related, "  };"].join("\n");
}

/** The profile fields that a sign-up accepts. */
function profileType(model: Model): string {
  if (!model.modules.includes("auth")) return "";
  const fields = writableFields(model.userFields.filter(isServed)).filter(isOwn);
  const lines = fields.map((field) => property(field, "maybe", orNull(field), "    "));
  return lines.length === 0 ? "\n  profile: Record<string, never>;" : `\n  profile: {\n${lines.join("\n")}\n  };`;
}

/** Whether users may write the field in their own record. */
function isOwn({ writer, immutable, default: usual }: Field): boolean {
  return writer === "caller" && !immutable && usual?.kind !== "current_user_id" && usual?.kind !== "current_org";
}

/** `parcel-desk` -> `ParcelDesk`. */
function typeName(project: string): string {
  const name = project
    .split("-")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
  return /^[A-Za-z]/.test(name) ? name : `Project${name}`;
}

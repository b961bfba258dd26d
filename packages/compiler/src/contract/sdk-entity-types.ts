// Writes the SDK's types of one entity: records, writes, conditions and relations. In: an entity. Out: TypeScript as
// text. It lists no operators: they follow from the type of a value and from the names under `texts`, `numbers` and
// `times`.
import type { Entity, Field, FieldType, Model, Relation } from "@plinth/blueprint";
import { keysOf } from "../requests/keys.ts";
import { relationsOf } from "../requests/relations.ts";
import { isRequired, readableFields, writableFields } from "../requests/schemas.ts";
import { type VisibleFields, visibleFieldsOf } from "../requests/visible-fields.ts";
import { isServed } from "../sql/column-type.ts";
import { filterableFields } from "./openapi-reading.ts";
import { changeOf, comment, orNull, property, typeOf, union } from "./sdk-value-types.ts";

export function entityType(declared: Entity): string {
  const entity = { ...declared, fields: declared.fields.filter(isServed) };
  const { fields, stateMachine } = entity;
  const visible = visibleFieldsOf(entity);
  const writable = writableFields(fields);
  const initial = (field: Field): string =>
    stateMachine?.field === field.name ? JSON.stringify(stateMachine.initial) : orNull(field);
  const edges = stateMachine?.edges ?? [];
  return [
    `${comment(declared, "    ")}    ${entity.name}: {`,
    recordType(fields, visible),
    member(
      "create",
      writable.map((field) => property(field, isRequired(field) ? "always" : "maybe", initial(field))),
    ),
    member(
      "update",
      writable.filter((field) => !field.immutable).map((field) => property(field, "maybe", changeOf(field))),
    ),
    ...conditionTypes(fields),
    ...relationTypes(fields, entity.relations),
    ...keyTypes(entity, visible.shown),
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

/** The types of users or organizations as related records: like an entity's, without those for writing. */
export function relatedType(
  name: string,
  fields: readonly Field[],
  relations: readonly Relation[],
  visible: VisibleFields,
): string {
  const members = [recordType(fields, visible), ...conditionTypes(fields), ...relationTypes(fields, relations)];
  return `    ${name}: {\n${members.join("\n")}\n    };`;
}

/** Types the roles of users by their names. No user's list contains `public`, because everybody has it. */
export function withRoles(fields: readonly Field[], { roles }: Pick<Model, "roles">): readonly Field[] {
  const values = roles.map((role) => role.name).filter((name) => name !== "public");
  return fields.map((field) =>
    field.name === "roles" && !field.declared
      ? { ...field, type: { kind: "list", of: { kind: "enum", values } } }
      : field,
  );
}

function recordType(fields: readonly Field[], { shown, always }: VisibleFields): string {
  const lines = readableFields(fields)
    .filter((field) => shown.has(field.name))
    .map((field) => property(field, always.has(field.name) ? "always" : "maybe", orNull(field)));
  return member("record", lines);
}

function member(name: string, lines: readonly string[]): string {
  return lines.length === 0 ? `      ${name}: {};` : `      ${name}: {\n${lines.join("\n")}\n      };`;
}

/** Fields in conditions, and the names of those that are free text, numbers or times. */
function conditionTypes(fields: readonly Field[]): readonly string[] {
  const ordered = new Set(filterableFields({ fields }));
  const structured: readonly FieldType["kind"][] = ["list", "enum_set", "json", "object", "i18n"];
  const comparable = readableFields(fields).filter(
    (field) => ordered.has(field) || structured.includes(field.type.kind),
  );
  const inner = comparable.flatMap(({ name, type }) => memberConditions(name, type));
  const all = [...comparable.map(({ name, type }): Condition => ({ key: JSON.stringify(name), type })), ...inner];
  const namesOf = (kinds: readonly FieldType["kind"][], among: readonly Condition[]): string =>
    among
      .filter(({ type }) => kinds.includes(type.kind))
      .map(({ key }) => key)
      .join(" | ") || "never";
  const own = all.slice(0, comparable.length);
  return [
    member("where", [
      ...comparable.map((field) => property(field, "maybe", typeOf(field.type))),
      ...inner.map(({ key, type }) =>
        key.startsWith("`") ? `        [member: ${key}]: ${typeOf(type)};` : `        ${key}?: ${typeOf(type)};`,
      ),
    ]),
    `      texts: ${namesOf(textKinds, all)};`,
    `      numbers: ${namesOf(numberKinds, own)};`,
    `      times: ${namesOf(["date", "datetime"], own)};`,
  ];
}

interface Condition {
  /** In TypeScript: a string literal, or a template literal type. */
  readonly key: string;
  readonly type: FieldType;
}

/** Values inside JSON have a path: `address.city`. */
function memberConditions(path: string, type: FieldType): readonly Condition[] {
  switch (type.kind) {
    case "json":
      return [{ key: `\`${path}.\${string}\``, type }];
    case "i18n":
      return [{ key: `\`${path}.\${string}\``, type: type.of }];
    case "object":
      return type.fields.flatMap(({ name, type: inner }): readonly Condition[] => {
        const at = `${path}.${name}`;
        if (inner.kind === "object" || inner.kind === "i18n") return memberConditions(at, inner);
        if (inner.kind === "point" || inner.kind === "vector") return [];
        return [{ key: JSON.stringify(at), type: inner }, ...memberConditions(at, inner)];
      });
    default:
      return [];
  }
}

/** Free text: these have operators such as `contains`. */
const textKinds: readonly FieldType["kind"][] = [
  "string",
  "text",
  "markdown",
  "slug",
  "email",
  "url",
  "phone",
  "color",
  "timezone",
  "country",
  "currency",
  "locale",
  "sequence",
];

/** These can be summed. */
const numberKinds: readonly FieldType["kind"][] = ["int", "bigint", "float", "percent", "decimal", "money"];

function relationTypes(fields: readonly Field[], relations: readonly Relation[]): readonly string[] {
  const lines = relationsOf(readableFields(fields), relations).map(({ name, entity, by }) => {
    const field = by.kind === "referrer" ? ` by: ${JSON.stringify(by.field)};` : "";
    return `        ${name}: { to: ${JSON.stringify(entity)}; many: ${by.kind !== "reference"};${field} };`;
  });
  return lines.length === 0 ? [] : [`      relations: {\n${lines.join("\n")}\n      };`];
}

/** The key of one record: `{ sku: string }`, or for several fields `{ "a,b": [string, number] }`, as in the path. */
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

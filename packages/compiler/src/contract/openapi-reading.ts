// Describes parameters for reading: filters, order, fields, expansion, counts, aggregates. In: an entity. Out:
// parameters and one path of the document. Paths through relations are explained in words, because a parameter for each
// would be too many.
import { type Field, targetOf } from "@plinth/blueprint";
import { relationName } from "@plinth/expression";
import { isFilterable } from "../requests/queries.ts";
import { readableFields, valueSchema } from "../requests/schemas.ts";
import type { DocumentedEntity } from "./documented-entity.ts";
import { many } from "./entity-words.ts";
import { errors, type OpenapiObject, reference, reply } from "./openapi-shared.ts";
import { withFormat } from "./value-formats.ts";

/** A field in a column that the API returns has an order and can be filtered. */
export function filterableFields({ fields }: Pick<DocumentedEntity, "fields">): readonly Field[] {
  return readableFields(fields).filter(isFilterable);
}

/** By name; those of an entity start with its own. */
export function readingParameters(entity: DocumentedEntity): OpenapiObject {
  const { name } = entity;
  const fields = filterableFields(entity);
  const relations = relationsOf(entity);
  return {
    [`${name}.sort`]: sortParameter(fields),
    [`${name}.fields`]: fieldsParameter(entity),
    ...(relations.length === 0 ? {} : { [`${name}.expand`]: expandParameter(relations) }),
    [`${name}.where`]: whereParameter(fields),
    ...Object.fromEntries(fields.map((field) => [`${name}.filter.${field.name}`, filterParameter(field)])),
  };
}

export function listParameters(entity: DocumentedEntity): readonly OpenapiObject[] {
  return [
    reference("parameters", "limit"),
    reference("parameters", "cursor"),
    reference("parameters", "count"),
    reference("parameters", `${entity.name}.sort`),
    ...selectionParameters(entity),
    ...(readableFields(entity.fields).some(({ searchable }) => searchable) ? [searchParameter] : []),
    ...filterParameters(entity),
  ];
}

const searchParameter: OpenapiObject = {
  name: "q",
  in: "query",
  description:
    'Full-text search, with the best matches first: `"exact phrase"`, `one or other`, `-without`. The last word can be incomplete. Case and accents are ignored.',
  schema: { type: "string", minLength: 1, maxLength: 500 },
};

export function selectionParameters(entity: DocumentedEntity): readonly OpenapiObject[] {
  const { name } = entity;
  const expand = relationsOf(entity).length === 0 ? [] : [reference("parameters", `${name}.expand`)];
  return [reference("parameters", `${name}.fields`), ...expand];
}

function filterParameters(entity: DocumentedEntity): readonly OpenapiObject[] {
  const { name } = entity;
  const fields = filterableFields(entity).map((field) => reference("parameters", `${name}.filter.${field.name}`));
  return [reference("parameters", `${name}.where`), ...fields];
}

/** `GET <path>/aggregate`. */
export function aggregatePath(
  path: string,
  entity: DocumentedEntity,
  operation: OpenapiObject,
  scope: readonly OpenapiObject[],
): OpenapiObject {
  return {
    [`${path}/aggregate`]: {
      ...(scope.length === 0 ? {} : { parameters: scope }),
      get: {
        ...operation,
        parameters: aggregateParameters(entity),
        responses: {
          200: groupsReply(`Totals of ${many(entity)}, by group`),
          ...errors(400, 401, 403, 429, 503),
        },
      },
    },
  };
}

export function aggregateParameters(entity: DocumentedEntity): readonly OpenapiObject[] {
  return [
    selectParameter,
    groupParameter(filterableFields(entity)),
    {
      name: "sort",
      in: "query",
      description: "Fields to sort by, separated by commas, with `-` for descending order.",
      schema: { type: "string" },
      example: "-count",
    },
    {
      name: "limit",
      in: "query",
      description: "The maximum number of groups.",
      schema: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
    },
    ...filterParameters(entity),
  ];
}

/** A record for each group. */
export function groupsReply(description: string): OpenapiObject {
  const schema: OpenapiObject = {
    type: "object",
    properties: {
      data: { type: "array", items: { type: "object", additionalProperties: true } },
      page: { type: "object", properties: { has_more: { type: "boolean" } }, required: ["has_more"] },
    },
    required: ["data", "page"],
  };
  return reply(description, schema, { data: [{ count: 3 }], page: { has_more: false } });
}

/** The names under which its records lead to others. */
function relationsOf({ fields, relations }: DocumentedEntity): readonly string[] {
  const toOne = readableFields(fields).flatMap(({ name, type }) =>
    targetOf(type) === null ? [] : [relationName(name)],
  );
  return [...toOne, ...relations.map(({ name }) => name)].sort();
}

export function sortParameter(fields: readonly { readonly name: string }[]): OpenapiObject {
  const names = fields.map((field) => field.name).join("|");
  const related = "[a-z_][a-z0-9_]*(?:\\.[a-z_][a-z0-9_]*)+";
  return {
    name: "sort",
    in: "query",
    description:
      "Fields to sort by, separated by commas, with `-` for descending order. Ties are sorted by id. `author.name` sorts by a field of the record that `author` refers to.",
    schema: { type: "string", pattern: `^-?(?:${names}|${related})(?:,-?(?:${names}|${related}))*$` },
    example: "-created_at",
  };
}

function fieldsParameter({ fields }: DocumentedEntity): OpenapiObject {
  return {
    name: "fields",
    in: "query",
    description:
      "Fields to return, separated by commas; for expanded records as `author.name`. All other fields are left out.",
    schema: { type: "string", minLength: 1 },
    example: readableFields(fields)
      .slice(0, 2)
      .map(({ name }) => name)
      .join(","),
  };
}

function expandParameter(relations: readonly string[]): OpenapiObject {
  const names = relations.map((name) => `\`${name}\``).join(", ");
  return {
    name: "expand",
    in: "query",
    description: `Related records to include, separated by commas: ${names}. Their relations are written as \`a.b\`, up to three deep. A list accepts \`expand[name][limit]\`, \`[sort]\` and \`[where]\`.`,
    schema: { type: "string", minLength: 1 },
    example: relations[0],
  };
}

function whereParameter([field]: readonly Field[]): OpenapiObject {
  return {
    name: "where",
    in: "query",
    description:
      'Conditions as JSON text: fields with a value or operators, relations with conditions on their records, and `and`, `or`, `not`: `{"or":[{"status":"draft"},{"author":{"name":{"contains":"a"}}}]}`.',
    // As a text: clients serialize a JSON parameter like an object, which is another form.
    schema: { type: "string", contentMediaType: "application/json" },
    example: JSON.stringify({ [field?.name ?? "id"]: { is_null: false } }),
  };
}

const selectParameter: OpenapiObject = {
  name: "select",
  in: "query",
  description:
    "Values to calculate, separated by commas: `count`, and `count`, `count_distinct`, `sum`, `avg`, `min`, `max` of a field, as in `sum(price)`. Without it, only the distinct groups are returned.",
  schema: { type: "string", minLength: 1 },
  example: "count",
};

function groupParameter(fields: readonly Field[]): OpenapiObject {
  const names = fields.map(({ name }) => name);
  return {
    name: "group_by",
    in: "query",
    description:
      "Fields to group by, separated by commas. For a time, its year, quarter, month, week, day or hour, as in `created_at.month`; for a related record, `author.name`.",
    schema: { type: "string", minLength: 1 },
    example: names.includes("created_at") ? "created_at.month" : names[0],
  };
}

/** A value, or operators as in `price[gte]=10`. */
/** For a path that addresses a record by a unique key. */
export function keyParameter(field: Field): OpenapiObject {
  return {
    name: field.name,
    in: "path",
    required: true,
    description: "Percent-encoded; a comma is %2C.",
    schema: withFormat(valueSchema(field.type, { min: null, max: null, pattern: null }), field.type),
  };
}

function filterParameter(field: Field): OpenapiObject {
  const value = withFormat(valueSchema(field.type, { min: null, max: null, pattern: null }), field.type);
  const operators =
    "`[ne]`, `[in]`, `[nin]` and `[is_null]`; for ordered types also `[gt]`, `[gte]`, `[lt]`, `[lte]`; for texts `[contains]`, `[starts_with]`, `[ends_with]`, and without regard to case `[ieq]`, `[icontains]`, `[istarts_with]`, `[iends_with]`";
  return {
    name: field.name,
    in: "query",
    description: `Only records whose ${field.name} has this value. Operators: ${operators}.`,
    ...(field.deprecated === null ? {} : { deprecated: true }),
    style: "deepObject",
    explode: true,
    schema: { anyOf: [value, { type: "object", additionalProperties: { type: "string" } }] },
  };
}

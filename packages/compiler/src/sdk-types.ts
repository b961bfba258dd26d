// Writes the SDK's TypeScript declarations. In: the model. Out: the text of `plinth.gen.d.ts`.
// It holds types only: what a caller may do, the service decides.
import type { Entity, Field, FieldType, Model } from "@plinth/blueprint";

export function sdkTypesOf(model: Model): string {
  const entities = model.entities.map(entityType).join("\n");
  return `// Types of the project ${model.project}, for createClient<${typeName(model.project)}>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface ${typeName(model.project)} {
  entities: {${entities === "" ? "" : `\n${entities}\n  `}};
  user: {
    id: string;
    email: string;
    name: string | null;
    roles: (${rolesOf(model)})[];
    created_at: string;
    updated_at: string;
    version: number;
  };
}
`;
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

function entityType(entity: Entity): string {
  const writable = entity.fields.filter((field) => field.writer === "caller");
  const member = (name: string, lines: readonly string[]): string =>
    lines.length === 0 ? `      ${name}: {};` : `      ${name}: {\n${lines.join("\n")}\n      };`;
  return [
    `    ${entity.name}: {`,
    member(
      "record",
      entity.fields.map((field) => property(field, "always", orNull(field))),
    ),
    member(
      "create",
      writable.map((field) =>
        property(field, field.optional || field.default !== null ? "maybe" : "always", orNull(field)),
      ),
    ),
    member(
      "update",
      writable.map((field) => property(field, "maybe", orNull(field))),
    ),
    member(
      "where",
      entity.fields.map((field) => property(field, "maybe", typeOf(field.type))),
    ),
    "    };",
  ].join("\n");
}

function property(field: Field, presence: "always" | "maybe", type: string): string {
  return `        ${field.name}${presence === "always" ? "" : "?"}: ${type};`;
}

function orNull(field: Field): string {
  return field.optional ? `${typeOf(field.type)} | null` : typeOf(field.type);
}

function typeOf(type: FieldType): string {
  switch (type.kind) {
    case "int":
      return "number";
    case "bool":
      return "boolean";
    case "enum":
      return type.values.map((value) => JSON.stringify(value)).join(" | ");
    case "string":
    case "text":
    case "email":
    case "datetime":
    case "uuid":
    case "user_ref":
    case "ref":
      return "string";
  }
}

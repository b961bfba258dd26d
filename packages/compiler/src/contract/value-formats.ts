// Adds formats of values in the document. In: a field's schema and type. Out: the schema with its format.
import type { FieldType } from "@plinth/blueprint";
import type { JsonSchema } from "../requests/schemas.ts";
import type { OpenapiObject } from "./openapi-shared.ts";

/** Formats tell generators the type; patterns and limits are what is enforced. */
export function withFormat(schema: JsonSchema, type: FieldType): OpenapiObject {
  if (type.kind === "markdown") return { ...schema, contentMediaType: "text/markdown" };
  const format = formats[type.kind];
  if (format === undefined) return schema;
  // The format says the same as the description.
  const { description: _, ...rest } = schema;
  return { ...rest, format };
}

const formats: Readonly<Partial<Record<FieldType["kind"], string>>> = {
  uuid: "uuid",
  user_ref: "uuid",
  org_ref: "uuid",
  ref: "uuid",
  email: "email",
  url: "uri",
  date: "date",
  // Without an offset, which `time` requires: https://spec.openapis.org/registry/format/time-local
  time: "time-local",
  datetime: "date-time",
  duration: "duration",
  int: "int32",
  bigint: "int64",
  float: "double",
};

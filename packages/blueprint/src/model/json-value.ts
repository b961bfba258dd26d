// A JSON value, under the name that declarations use. Only a type.
export type { JsonValue } from "@plinth/expression";

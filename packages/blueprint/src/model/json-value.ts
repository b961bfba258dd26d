// A value as it stands in JSON, by the name that declarations know it by. A type alone.
export type { JsonValue } from "@plinth/expression";

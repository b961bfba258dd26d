// Reads the values of a unique key in a path. In: the key's fields, and their values joined by commas. Out: the filter
// for the record, or a Fault that names the field.
import type { EntityView } from "../entity-view.ts";
import { type Filter, inOrder } from "./filter.ts";
import { testOf } from "./operators.ts";
import { findNamed } from "./paths.ts";
import { bad } from "./refusals.ts";

export interface WrittenKey {
  readonly fields: readonly string[];
  /** Each is percent-encoded separately, so that a value can contain commas and slashes. */
  readonly text: string;
}

/** @throws Fault `bad_request`, `forbidden` (a field that the caller can't read). */
export function parseKey({ fields, text }: WrittenKey, view: EntityView, roles: readonly string[]): Filter {
  const values = text.split(",");
  if (values.length !== fields.length) {
    const message = `It takes ${fields.length === 1 ? "one value" : `${fields.length} values`}, a comma within one as %2C.`;
    throw bad(fields.join(","), "invalid_format", message);
  }
  const of = fields.map((name, at): Filter => {
    const { view: owner, subject } = findNamed(view, name, roles, name, "name a record by");
    return testOf(owner, subject, "eq", { kind: "text", text: decoded(values[at]!, name) }, name);
  });
  return inOrder({ kind: "all", of });
}

function decoded(value: string, name: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw bad(name, "invalid_format", "It must be percent-encoded.");
  }
}

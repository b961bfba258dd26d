// Finds the fields that replies can contain. In: an entity's permissions. Out: fields that some readers see, and fields
// that all readers see. In a request, the runtime decides by the same grants.
import type { Entity } from "@plinth/blueprint";

export interface VisibleFields {
  readonly shown: ReadonlySet<string>;
  readonly always: ReadonlySet<string>;
}

/** If nobody can read, all fields are listed: new read permissions then don't change the schema. */
export function visibleFieldsOf({ fields, permissions }: Pick<Entity, "fields" | "permissions">): VisibleFields {
  const all = new Set(fields.map((field) => field.name));
  const reads = permissions.filter(
    ({ operation, rule }) => operation === "read" && !(rule.kind === "literal" && rule.value === false),
  );
  if (reads.length === 0) return { shown: all, always: all };
  const sets = reads.map((permission) => (permission.fields === null ? all : new Set(["id", ...permission.fields])));
  return {
    shown: new Set([...all].filter((name) => sets.some((set) => set.has(name)))),
    always: new Set([...all].filter((name) => sets.every((set) => set.has(name)))),
  };
}

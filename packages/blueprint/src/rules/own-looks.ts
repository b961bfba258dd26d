// Finds which fields of its own record an expression reads. In: an expression over a record. Out: names of fields. `looks.ts`
// finds what it reads in other records.
import { type Expression, someNode } from "@plinth/expression";
import type { Entity } from "../model/model.ts";

/** The record's own fields that it reads. */
export function partsRead(expression: Expression, { relations }: Entity): readonly string[] {
  const names: string[] = [];
  someNode(expression, (node) => {
    if ((node.kind === "field" || node.kind === "each") && node.row === "record") {
      const [name] = node.path;
      const own = node.kind === "each" && name === undefined ? ownList(relations, node.relation) : name;
      if (own !== undefined) names.push(own);
    }
    return false;
  });
  return names;
}

/** The record's own list of references, behind its relation. */
function ownList(relations: Entity["relations"], name: string): string | undefined {
  const by = relations.find((one) => one.name === name)?.by;
  return by?.kind === "refs" ? by.field : undefined;
}

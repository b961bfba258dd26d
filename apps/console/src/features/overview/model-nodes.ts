// A checked model as what the picture draws. In: the model. Out: one node an entity, and `user` where a field names one.
// Only declared fields are shown; what every record has (id, times, version) would say the same in each box.
import type { FieldType, Model } from "@plinth/blueprint";
import type { ModelNode } from "./model-layout.ts";

const rowsMax = 8;

export function modelNodes(model: Model): ModelNode[] {
  const entities = model.entities
    .filter(({ name }) => name !== "user")
    .map((entity): ModelNode => {
      const declared = entity.fields.filter((field) => field.declared);
      // References first to stay: a cut must not hide a relation.
      const shown = new Set([...declared].sort((a, b) => rank(a.type) - rank(b.type)).slice(0, rowsMax));
      return {
        name: entity.name,
        rows: declared
          .filter((field) => shown.has(field))
          .map((field) => ({
            name: field.name,
            type: typeLabel(field.type) + (field.optional ? "?" : ""),
            target: targetOf(field.type),
          })),
        more: declared.length - shown.size,
      };
    });
  const namesUser = entities.some(({ rows }) => rows.some(({ target }) => target === "user"));
  const user: ModelNode = { name: "user", rows: [{ name: "email", type: "email", target: null }], more: 0 };
  return namesUser ? [user, ...entities] : entities;
}

function rank(type: FieldType): number {
  return targetOf(type) === null ? 1 : 0;
}

function targetOf(type: FieldType): string | null {
  if (type.kind === "ref") return type.entity;
  return type.kind === "user_ref" ? "user" : null;
}

function typeLabel(type: FieldType): string {
  if (type.kind === "ref") return type.entity;
  return type.kind === "user_ref" ? "user" : type.kind;
}

// The nodes of the diagram. In: a checked model. Out: a node for each entity, and for `user` and `organization` if a field refers to them;
// the transitions of a state machine are below the fields. Only declared fields are shown (for users the fields of their profile), because
// the other fields (id, times, version) are the same in each entity.
import type { Entity, Field, FieldType, Model } from "@plinth/blueprint";
import { namedRecord } from "../../named-record.ts";
import type { ModelEdge, ModelNode } from "./model-layout.ts";

const rowsMax = 8;
const builtIn: readonly string[] = ["user", "organization"];

export function modelNodes(model: Model): ModelNode[] {
  const entities = model.entities
    .filter(({ name }) => !builtIn.includes(name))
    .map((entity): ModelNode => {
      const declared = entity.fields.filter((field) => field.declared);
      // References and the state are kept first: the limit must not hide a relation or the state.
      const rank = (field: Field): number =>
        namedRecord(field.type) !== null || field.name === entity.stateMachine?.field ? 0 : 1;
      const shown = new Set([...declared].sort((a, b) => rank(a) - rank(b)).slice(0, rowsMax));
      return {
        name: entity.name,
        rows: declared.filter((field) => shown.has(field)).map(rowOf),
        more: declared.length - shown.size,
        edges: edgesOf(entity),
      };
    });
  const named = builtIn.filter((name) => entities.some(({ rows }) => rows.some(({ target }) => target === name)));
  return [...named.map((name) => builtInNode(name, name === "user" ? model.userFields : [])), ...entities];
}

/** @param profile The fields of users that the blueprint declares. */
function builtInNode(name: string, profile: readonly Field[]): ModelNode {
  const row = name === "user" ? { name: "email", type: "email" } : { name: "name", type: "string" };
  const shown = profile.slice(0, rowsMax - 1);
  const rows = [{ ...row, target: null }, ...shown.map(rowOf)];
  return { name, rows, more: profile.length - shown.length, edges: [] };
}

function rowOf({ name, type, optional }: Field): ModelNode["rows"][number] {
  return { name, type: typeLabel(type) + (optional ? "?" : ""), target: namedRecord(type) };
}

function edgesOf({ stateMachine }: Entity): ModelEdge[] {
  return (stateMachine?.edges ?? []).map(({ name, from, to }) => ({ name, states: `${from.join(", ")} → ${to}` }));
}

export function typeLabel(type: FieldType): string {
  if (type.kind === "refs") return `${type.entity}, many`;
  if (type.kind === "list") return `list<${typeLabel(type.of)}>`;
  return namedRecord(type) ?? type.kind;
}

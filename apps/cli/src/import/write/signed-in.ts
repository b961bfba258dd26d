// Reads a policy for a caller who is signed in. In: its expression. Out: the same without the questions whether there is a user, which
// such a caller answers with yes: `auth.uid() is not null`, `auth.role() = 'authenticated'`.
import type { SqlNode } from "../postgres/sql-expression.ts";
import { isCaller } from "./rule-text.ts";

export interface SignedIn {
  readonly tree: SqlNode;
  /** Whether the expression asks for it: then it isn't for everybody, although it names no owner. */
  readonly isAsked: boolean;
}

export function forSignedIn(node: SqlNode): SignedIn {
  const answer = answerOf(node);
  if (answer !== null) return { tree: { kind: "bool", value: answer }, isAsked: true };
  if (node.kind === "not") {
    const { tree, isAsked } = forSignedIn(node.of);
    return { tree: tree.kind === "bool" ? { kind: "bool", value: !tree.value } : { kind: "not", of: tree }, isAsked };
  }
  if (node.kind !== "binary" || !["and", "or"].includes(node.operator)) return { tree: node, isAsked: false };
  const [left, right] = [forSignedIn(node.left), forSignedIn(node.right)];
  const isAsked = left.isAsked || right.isAsked;
  // `true and x` is x, and `true or x` is true, also if x is unknown.
  for (const [known, other] of [
    [left.tree, right.tree],
    [right.tree, left.tree],
  ] as const) {
    if (known.kind !== "bool") continue;
    return { tree: known.value === (node.operator === "and") ? other : known, isAsked };
  }
  return { tree: { ...node, left: left.tree, right: right.tree }, isAsked };
}

function answerOf(node: SqlNode): boolean | null {
  if (node.kind === "is_null" && isCaller(node.of)) return node.negated;
  if (node.kind !== "binary" || !["=", "<>"].includes(node.operator)) return null;
  const sides = [withoutCasts(node.left), withoutCasts(node.right)];
  const role = sides.find((side) => side.kind === "text");
  const isRole = sides.some((side) => side.kind === "call" && side.name === "auth.role");
  if (!isRole || role?.kind !== "text") return null;
  return (role.value === "authenticated") === (node.operator === "=");
}

function withoutCasts(node: SqlNode): SqlNode {
  return node.kind === "cast" ? withoutCasts(node.of) : node;
}

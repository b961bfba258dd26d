// Checks `can(operation, relation)`. In: its syntax. Out: the rules of all roles on the other record, written out over
// it. A rule that uses itself is a problem, not an endless tree.
import { type Checking, report, spend, standingAt } from "./checking.ts";
import { resolvePath } from "./resolve-name.ts";
import { substitute } from "./substitute.ts";
import { didYouMean } from "./suggest.ts";
import type { Syntax } from "./syntax.ts";
import type { Expression } from "./tree.ts";
import { bool } from "./types.ts";
import { countNodes, isConstant, joined, someNode, truth } from "./walk.ts";

type Call = Extract<Syntax, { kind: "call" }>;

const operations: readonly string[] = ["read", "update", "delete", "restore"];

export function checkCan(call: Call, checking: Checking): Expression | null {
  const [operation, target, more] = call.args;
  const word = operation?.kind === "name" ? operation.name : operation?.kind === "literal" ? operation.value : null;
  if (operation === undefined || typeof word !== "string" || target === undefined || more !== undefined) {
    const hint = "Write it like this: `can(read, listing)`.";
    return report(checking, call, "wrong_arguments", "`can` needs an operation and a relation to one record.", hint);
  }
  if (!operations.includes(word)) {
    const hint = didYouMean(word, operations) ?? `Known operations: ${operations.join(", ")}.`;
    return report(checking, operation, "wrong_arguments", `\`can\` doesn't support the operation \`${word}\`.`, hint);
  }
  const reference = referenceAt(target, checking);
  if (reference === null) return null;
  const grants = checking.scope.schema.grants(reference.record, word);
  if (grants === null) {
    const message = `\`can(${word}, ...)\` is circular: the rule of \`${reference.record}\` uses this rule.`;
    return report(checking, call, "rule_circle", message, "Replace `can` by the condition in one of the two rules.");
  }
  return writtenOut(call, reference, grants, checking);
}

interface Reference {
  readonly row: string;
  readonly path: readonly string[];
  readonly record: string;
}

function referenceAt(target: Syntax, checking: Checking): Reference | null {
  const resolved = target.kind === "name" || target.kind === "member" ? resolvePath(target, checking) : null;
  if (resolved !== null && "problem" in resolved) {
    const { code, message, hint } = resolved.problem;
    return report(checking, resolved.problem, code, message, hint);
  }
  if (resolved !== null && "expression" in resolved && resolved.expression.kind === "field") {
    const { row, path } = resolved.expression;
    const record = recordAt(row, path, checking);
    if (record !== null && row !== "input" && checking.scope.schema.records.has(record)) return { row, path, record };
  }
  const hint = "Use a reference: `can(read, listing)`.";
  return report(checking, target, "wrong_arguments", "`can` needs the record behind a reference.", hint);
}

/** The record that the last name of a path refers to. */
function recordAt(row: string, path: readonly string[], { scope, variables }: Checking): string | null {
  let record: string | null = variables.get(row) ?? scope.record;
  for (const name of path) record = (record && scope.schema.records.get(record)?.fields.get(name)?.refersTo) ?? null;
  return record;
}

function writtenOut(
  call: Call,
  { row, path, record }: Reference,
  grants: ReadonlyMap<string, Expression>,
  checking: Checking,
): Expression | null {
  const anchor = { row, path };
  const alternatives: Expression[] = [];
  for (const [role, rule] of grants) {
    if (isConstant(rule, false)) continue;
    if (!spend(checking, countNodes(rule) + 3, call)) return null;
    if (someNode(rule, (node) => node.kind === "sent" || (node.kind === "field" && node.row === "input"))) {
      const message = `The rule of \`${record}\` uses the input of a request, but this record gets no input here.`;
      return report(checking, call, "expression_not_supported", message, "Write the condition here instead.");
    }
    const moved = substitute(rule, { record: anchor, old: anchor, new: anchor });
    const holds = holdsRole(role);
    alternatives.push(isConstant(rule, true) ? holds : joined("&&", [holds, moved]));
  }
  if (alternatives.length === 0) return standingAt(truth(false), call, checking);
  const there: Expression = {
    kind: "operation",
    type: bool,
    operator: "!=",
    args: [presence(anchor, record, checking), { kind: "literal", type: { kind: "null" }, value: null }],
  };
  return standingAt(joined("&&", [there, joined("||", alternatives)]), call, checking);
}

/** A field that every record has. It is null if the record is deleted but its row still exists. */
function presence(
  { row, path }: { row: string; path: readonly string[] },
  record: string,
  checking: Checking,
): Expression {
  const version = checking.scope.schema.records.get(record)?.fields.get("version");
  if (version === undefined) return { kind: "field", type: { kind: "uuid" }, row, path };
  return { kind: "field", type: version.type, row, path: [...path, "version"] };
}

function holdsRole(role: string): Expression {
  const word: Expression = { kind: "literal", type: { kind: "text" }, value: role };
  const roles: Expression = { kind: "user", type: { kind: "list", of: { kind: "text" } }, name: "roles" };
  return { kind: "operation", type: bool, operator: "in", args: [word, roles] };
}

// Proposes permissions. In: an entity with its fields, and the row-level security of its table. Out: permissions for a person to
// review, from policies that define an owner, or from a column that names one. It never gives access to `public`, and proposes
// nothing if it only understands a part of the policies.
import type { ForeignPolicy, ForeignSecurity } from "../foreign-schema.ts";
import type { Inventory } from "../inventory.ts";
import type { EntityDraft, Proposal } from "./draft.ts";
import { entityIn } from "./draft.ts";
import { columnsOf } from "./draft-checks.ts";
import { ruleOf } from "./rule-text.ts";
import { powerName, secretName } from "./sensitive-names.ts";
import { forSignedIn } from "./signed-in.ts";
import { ruleProblem } from "./try-declaration.ts";

/** In this order: the first existing one names the owner of a record. */
const ownerNames = [
  ..."user_id owner_id author_id creator_id created_by_id created_by account_id member_id customer_id buyer_id seller_id".split(
    " ",
  ),
  ..."user owner author creator created_by_user_id owner_user_id".split(" "),
];
const operations = ["read", "create", "update", "delete"] as const;
/** @param isDetails Whether its fields belong to the table of users, whose rules are in its profile. */
export function proposePermissions(draft: EntityDraft, inventory: Inventory, isDetails: boolean): void {
  const { security } = draft.table;
  if (security !== null) proposeFromPolicies(draft, security, inventory);
  else proposeFromOwner(draft, isDetails);
}

function proposeFromOwner(draft: EntityDraft, isDetails: boolean): void {
  const owner = ownerNames.find((name) => draft.fields.get(name)?.type === "user_ref");
  if (owner === undefined || [...draft.fields.keys()].some((name) => secretName.test(name))) return;
  // A person who can change such a record could give themselves more rights.
  const isPower =
    isDetails || powerName.test(draft.name) || [...draft.fields.keys()].some((name) => powerName.test(name));
  for (const operation of isPower ? (["read"] as const) : operations)
    draft.proposals.push({ role: "owner", operation, rule: `${owner} == current_user.id`, from: `the field ${owner}` });
}

function proposeFromPolicies(draft: EntityDraft, security: ForeignSecurity, inventory: Inventory): void {
  const { policies, item } = security;
  const readable: { readonly policy: ForeignPolicy; readonly proposals: readonly Proposal[] }[] = [];
  const leaveOpen = (policy: ForeignPolicy, text: string): void => inventory.leftOut(policy.item, text);
  for (const policy of policies) {
    const read = proposalsOf(policy, draft);
    if (typeof read === "string") leaveOpen(policy, read);
    else readable.push({ policy, proposals: read });
  }
  // A restrictive policy limits the others. Without it they would give more access than the source.
  const isNarrowed = policies.some((policy) => !policy.permissive);
  for (const { policy, proposals } of readable) {
    if (isNarrowed) {
      leaveOpen(policy, "A restrictive policy limits the policies of this table. Write them by hand.");
      continue;
    }
    draft.proposals.push(...proposals);
    inventory.changed(policy.item, `It is proposed as ${summary(proposals)}; review it.`);
  }
  const isProposed = draft.proposals.length > 0;
  inventory.expressed(item, (model) => {
    const permissions = entityIn(model, draft.name)?.permissions ?? [];
    return isProposed === permissions.some((one) => one.role !== "admin");
  });
}

function summary(proposals: readonly Proposal[]): string {
  return proposals.map(({ role, operation, rule }) => `\`${role}: ${operation}: ${rule}\``).join(", ");
}

/** The permissions of a policy, or the reason why it can't be expressed. */
function proposalsOf(policy: ForeignPolicy, draft: EntityDraft): readonly Proposal[] | string {
  if (!policy.permissive) return "It is restrictive: permissions only add up. Write it as `deny:`.";
  // A policy for callers with and without sign-in is one for everybody.
  const isForAll = policy.roles.includes("anon") && policy.roles.includes("authenticated");
  const roles = isForAll ? [] : policy.roles;
  const unknown = roles.filter((role) => role !== "authenticated" && role !== "public");
  if (unknown.includes("service_role")) return "Secret keys with the role admin have its rights.";
  if (unknown.length > 0)
    return `It is for the database's role ${unknown.join(", ")}. Declare your own roles, and write it by hand.`;
  const signedIn = roles.length > 0 && roles.every((role) => role === "authenticated");
  const asked = policy.operation === "all" ? operations : [policy.operation];
  const found: Proposal[] = [];
  for (const operation of asked) {
    const parts = partsOf(policy, operation);
    if (parts.length === 0) return "It has no expression.";
    // A proposal is never for callers without sign-in.
    const read = parts.map((part) => (part.tree === null ? null : forSignedIn(part.tree)));
    const rules = read.map((part) => (part === null ? null : ruleOf(part.tree, columnsOf(draft))));
    if (rules.includes(null))
      return `No rule has the same meaning: ${parts.map((part) => part.text).join("; ")}. Write it by hand.`;
    if (rules.includes("false")) return "It allows nothing to a caller who is signed in.";
    const texts = [...new Set(rules as string[])].filter((text, _, all) => text !== "true" || all.length === 1);
    const rule = texts.length === 1 ? (texts[0] ?? "") : texts.map((text) => `(${text})`).join(" && ");
    const role = rule.includes("current_user") ? "owner" : "user";
    // A caller without sign-in has no id, so a rule about the user gives nobody else access. Any other rule would give everybody
    // access, unless it asks whether there is a user.
    const isForUsers = signedIn || read.some((part) => part?.isAsked === true);
    if (role === "user" && !isForUsers)
      return `It gives everybody access (${rule}). An import never gives access to \`public\`. Write it by hand.`;
    const problem = ruleProblem(draft.fields, role, operation, rule === "true" ? true : rule);
    if (problem !== null) return `${problem} Write it by hand.`;
    found.push({ role, operation, rule: rule === "true" ? true : rule, from: `the policy ${policy.name}` });
  }
  return found;
}

/** `WITH CHECK` applies to a new row, or `USING` if there is none. Both apply to an update, like a rule to both rows. */
function partsOf(
  policy: ForeignPolicy,
  operation: Proposal["operation"],
): readonly NonNullable<ForeignPolicy["using"]>[] {
  const { using, check } = policy;
  const parts = operation === "create" ? [check ?? using] : operation === "update" ? [using, check] : [using];
  return parts.filter((part) => part !== null);
}

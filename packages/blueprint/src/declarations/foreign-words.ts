// Words of other systems, with our words for them: keys, roles and operations. Data, and the hints made from it.
import { didYouMean } from "@plinth/expression";

/** Their word > our word; if there are several, the one that exists at the place. */
const keys: Readonly<Record<string, readonly string[]>> = {
  models: ["entities"],
  model: ["entities"],
  tables: ["entities"],
  collections: ["entities"],
  resources: ["entities"],
  schema: ["entities"],
  types: ["entities"],
  name: ["project"],
  app: ["project"],
  jobs: ["workers"],
  queues: ["workers"],
  cron: ["schedules"],
  crons: ["schedules"],
  triggers: ["workflows"],
  hooks: ["webhooks", "workflows"],
  functions: ["actions"],
  endpoints: ["actions"],
  columns: ["fields"],
  attributes: ["fields"],
  properties: ["fields"],
  props: ["fields"],
  policies: ["permissions", "rules"],
  access: ["permissions"],
  rls: ["permissions"],
  grants: ["permissions"],
  acl: ["permissions"],
  select_permissions: ["permissions"],
  insert_permissions: ["permissions"],
  update_permissions: ["permissions"],
  delete_permissions: ["permissions"],
  constraints: ["checks"],
  validations: ["checks"],
  indexes: ["index"],
  indices: ["index"],
  states: ["transitions"],
  state_machine: ["transitions"],
  softdelete: ["soft_delete"],
  description: ["help"],
  comment: ["help"],
  title: ["label"],
  display_name: ["label"],
  nullable: ["optional"],
  required: ["optional"],
  null: ["optional"],
  enum: ["values"],
  options: ["values"],
  choices: ["values"],
  items: ["of"],
  minimum: ["min"],
  min_length: ["min"],
  minlength: ["min"],
  maximum: ["max"],
  max_length: ["max"],
  maxlength: ["max"],
  length: ["max"],
  regex: ["pattern"],
  format: ["type"],
  unsigned: ["min"],
  indexed: ["index"],
  hidden: ["internal"],
  private: ["internal"],
  default_value: ["default"],
  ondelete: ["on_delete"],
  using: ["allow"],
  check: ["allow"],
  with_check: ["allow"],
  filter: ["allow"],
  when: ["allow"],
  if: ["allow"],
  where: ["allow"],
  condition: ["allow"],
  rule: ["allow"],
  except: ["deny"],
  presets: ["set"],
  extends: ["inherits"],
  includes: ["inherits"],
};

const relationKeys: readonly string[] = ["foreign_key", "references", "ref", "relation", "model", "to", "target"];

const roles: Readonly<Record<string, string>> = {
  authenticated: "user",
  logged_in: "user",
  signed_in: "user",
  users: "user",
  anon: "public",
  anonymous: "public",
  guest: "public",
  guests: "public",
  everyone: "public",
  everybody: "public",
  anyone: "public",
  all: "public",
  world: "public",
  unauthenticated: "public",
  service_role: "admin",
  superuser: "admin",
  superadmin: "admin",
  root: "admin",
  administrator: "admin",
};

const rolesMean: Readonly<Record<string, string>> = {
  user: "Everybody who is signed in has the role `user`.",
  public: "Every caller has the role `public`, signed in or not.",
  admin: "Use `admin`: users with this role, and secret keys with this role.",
};

/** Words for the membership of an organization, which is not a role of the project. */
const membershipWords: readonly string[] = [
  "member",
  "members",
  "org_member",
  "org_admin",
  "org_owner",
  "organization_member",
  "organization_admin",
  "organization_owner",
  "team_member",
];

const modules: Readonly<Record<string, string>> = {
  orgs: "organizations",
  org: "organizations",
  organisations: "organizations",
  teams: "organizations",
  tenants: "organizations",
  multitenancy: "organizations",
  authentication: "auth",
  login: "auth",
  files: "storage",
  uploads: "storage",
  jobs: "workers",
  queues: "workers",
  workflows: "workers",
  schedules: "workers",
  permissions: "roles",
  rbac: "roles",
  audit: "audit_logs",
  audit_log: "audit_logs",
};

const operations: Readonly<Record<string, string>> = {
  select: "read",
  get: "read",
  list: "read",
  view: "read",
  find: "read",
  query: "read",
  show: "read",
  ".read": "read",
  "allow read": "read",
  insert: "create",
  add: "create",
  post: "create",
  new: "create",
  edit: "update",
  modify: "update",
  patch: "update",
  put: "update",
  remove: "delete",
  destroy: "delete",
  "*": "all",
  any: "all",
  manage: "all",
  everything: "all",
};

/** The hint for an unknown key, given the known keys at its place. */
export function hintForKey(key: string, known: readonly string[]): string {
  const word = key.toLowerCase().replaceAll("-", "_");
  if (known.includes("on_delete") && relationKeys.includes(word)) return "A reference is a type: `ref(listing)`.";
  if (word === "required" && known.includes("optional")) return "A field is required unless its type ends in `?`.";
  if (word === "version" && known.includes("project")) return "Remove it: each deployment gets its own number.";
  const ours = Object.hasOwn(keys, word) ? keys[word]?.find((one) => known.includes(one)) : undefined;
  if (ours !== undefined) return `The name here is \`${ours}\`.`;
  return didYouMean(key, known) ?? `Known names: ${listed(known)}.`;
}

/** Null if the role is not known from other systems. */
export function hintForRole(role: string): string | null {
  const word = role.toLowerCase();
  if (membershipWords.includes(word)) {
    return `Declare it with \`roles: { ${role}: {} }\`. To ask whether the caller belongs to the record's organization, use a rule: \`member(org_id)\`, \`member(org_id, admin)\`.`;
  }
  return Object.hasOwn(roles, word) ? (rolesMean[roles[word] ?? ""] ?? null) : null;
}

/** Our module for another system's word; null if there is none. */
export function moduleNamed(word: string): string | null {
  const lower = word.toLowerCase().replaceAll("-", "_");
  return Object.hasOwn(modules, lower) ? (modules[lower] ?? null) : null;
}

/** Null if the operation is not known from other systems. */
export function hintForOperation(operation: string): string | null {
  const word = operation.toLowerCase();
  if (word === "write" || word === ".write") return "Write `create`, `update` and `delete`, each with its own rule.";
  return Object.hasOwn(operations, word) ? `The name here is \`${operations[word]}\`.` : null;
}

const LISTED_LENGTH_MAX = 150;

/** At most as many words as people read. */
export function listed(words: readonly string[]): string {
  let text = "";
  for (const [at, word] of words.entries()) {
    const more = text === "" ? word : `${text}, ${word}`;
    if (more.length > LISTED_LENGTH_MAX) return `${text} and ${words.length - at} more`;
    text = more;
  }
  return text;
}

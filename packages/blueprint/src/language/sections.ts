// The blueprint's keys, from the top down. Only data.

import { searchLanguages } from "../field-types/search-languages.ts";
import { backgroundSections } from "./background-sections.ts";
import { member } from "./field-types.ts";
import {
  anyOf,
  bareMap,
  boolean,
  field,
  integer,
  type KeyShape,
  key,
  listOf,
  map,
  named,
  names,
  oneOrMore,
  rule,
  type Shape,
  type ShapeName,
  shape,
  text,
  value,
  words,
} from "./shape.ts";

export const moduleHelp: Readonly<Record<string, string>> = {
  auth: "Sign-up, sign-in and sessions for the app's users, under `/v1/auth`.",
  users: "`/v1/users`, and profile fields under `users:`.",
  roles: "Your own roles under `roles:`, and the routes that grant them.",
  organizations: "`/v1/organizations`, `org_ref`, `org_scoped` and `member()`.",
  storage: "`file` and `image` fields. Not available yet: the module is ignored.",
  webhooks: "Webhooks to your customers, and from providers.",
  workers: "Workers, workflows, schedules and actions.",
  audit_logs:
    "`/v1/audit-log`, for admins: who changed what, and when. The log is written even if this module is not listed.",
};

export const operationHelp: Readonly<Record<string, string>> = {
  read: "Read a record, in lists, counts and relations too.",
  create: "Create a record. Bare names are the new row.",
  update:
    "Change a record. Bare names must satisfy the rule before and after the change; use `old.x` and `new.x` to tell the two apart.",
  delete: "Delete a record.",
  restore: "Restore a deleted record (with `soft_delete`).",
  all: "All operations, including transitions.",
};

const grant: Shape = anyOf(
  rule,
  listOf(rule),
  map({
    allow: key("Who is allowed: `true`, a rule, or a list of rules of which one must be true.", oneOrMore(rule)),
    deny: key("Who is denied. It has priority over `allow`.", oneOrMore(rule)),
    fields: key("The only fields that can be read or sent.", oneOrMore(named("field"))),
    set: key("Values that the service writes, even if the caller sends others.", names("field", anyOf(rule, value))),
    limit: key("The maximum number of records on a page (for `read`).", integer),
  }),
);

const permissions: Shape = names("role", names("operation", grant, Object.keys(operationHelp)));

const transition: Shape = map({
  from: { ...key("The states before the transition.", oneOrMore(named("state"))), required: true },
  to: { ...key("The state after the transition.", named("state")), required: true },
  roles: key(
    "The roles that can take it. Without `roles`: everybody with a permission `transition:<name>` or `all`.",
    oneOrMore(named("role")),
  ),
  when: key("A rule about the record before the transition.", oneOrMore(rule)),
  require: key(
    "Fields that must have a value after the transition. They can be sent with it.",
    oneOrMore(named("field")),
  ),
  emit: key("The name of the event, if it isn't `<entity>.<transition>`.", text),
});

const label = key("The name for people, in the console and the documentation.", text);
const help = key("A sentence that explains it, in the console and the documentation.", text);

const viewOptions: Readonly<Record<string, KeyShape>> = {
  where: key(
    "The records in the view, as a rule. The rule can use the caller. The read permissions also apply.",
    oneOrMore(rule),
  ),
  sort: key(
    "The order, by at most three fields: `-created_at`, or `[rank, -created_at]`.",
    oneOrMore(named("sort_field")),
  ),
  limit: key("The number of records on a page, unless the caller asks for another.", integer),
};

const entityOptions: Readonly<Record<string, KeyShape>> = {
  fields: { ...key("The fields of a record.", shape("fields")), required: true },
  permissions: key("Who can do what: role, operation, rule.", shape("permissions")),
  plural: key("The name of the route and the table, if the default plural is wrong.", text),
  was: key("The previous name of the entity: a rename that keeps its records.", text),
  unique: key(
    "Fields whose values must be unique together: `[a, b]`, or a list of such lists.",
    listOf(oneOrMore(named("field"))),
  ),
  index: key(
    "Fields that are often used together in filters or to sort: `[a, b]`, or a list of such lists.",
    listOf(oneOrMore(named("field"))),
  ),
  checks: key("Conditions with names that every record must meet. They can use named rules.", names("check", rule)),
  exclude: key(
    "Records with the same values can't overlap, such as two bookings of one room.",
    names(
      "exclusion",
      map({
        same: { ...key("The fields that must be equal.", oneOrMore(named("field"))), required: true },
        overlap: {
          ...key(
            "The fields with the start and the end. The end itself is not part of the span.",
            listOf(named("field")),
          ),
          required: true,
        },
        where: key("The records that count, as a rule about the record only.", rule),
      }),
    ),
  ),
  lock: key(
    "A reference. Writes of records with the same reference run one after the other, so rules about these records stay true.",
    named("field"),
  ),
  org_scoped: key("Records belong to an organization, and only its members can access them.", boolean),
  soft_delete: key("Deleted records are kept and can be restored.", boolean),
  retention: key("After how long records are deleted, such as `90d`.", text),
  transitions: key(
    "A state machine: the field changes only through its transitions.",
    names("field", names("transition", anyOf(transition, text), ["initial"])),
  ),
  seed: key(
    "Records that the first deployment inserts: a list, or a map with names that other seed rows can refer to.",
    anyOf(listOf(names("field", value)), names("row", names("field", value))),
  ),
  views: key("Lists with a name, each at `/api/<plural>/<view>`.", names("view", map(viewOptions))),
  audit: key("What the audit log records: `writes`, or `all` to include reads.", words("writes", "all")),
  realtime: key("Callers can follow changes at `/v1/events/stream`, if they can read the records.", boolean),
  require_version: key(
    "Updates, transitions, deletes and restores need the header `If-Match`. Without it, the answer is 428.",
    boolean,
  ),
  label,
  help,
};

const entity: Shape = anyOf(map(entityOptions), shape("fields"));
const fields: Shape = names("field", field);

const testRecord: Shape = names("field", value);
const expectation: Shape = map({
  as: { ...key("The caller: a user of these tests, or `public`.", named("test_user")), required: true },
  list: key("Read a list of this entity.", named("entity")),
  sees: key("Exactly the rows that the list must contain.", listOf(named("test_row"))),
  read: key("Read this row: `entity.row`.", named("entity_row")),
  create: key("Create a record of this entity.", named("entity")),
  update: key("Change this row: `entity.row`.", named("entity_row")),
  delete: key("Delete this row: `entity.row`.", named("entity_row")),
  restore: key("Restore this row: `entity.row`.", named("entity_row")),
  transition: key("Take this transition: `entity.row.transition`.", named("row_transition")),
  with: key("The input of the request.", testRecord),
  allow: key("Whether the request must be allowed.", boolean),
});

/** The keys of a blueprint. */
export const sections: Readonly<Record<string, KeyShape>> = {
  project: { ...key("The name of the project: lower-case words joined by hyphens.", text), required: true },
  modules: key("The parts of the service that the project uses.", listOf(words(...Object.keys(moduleHelp)))),
  users: key(
    "The app's users: their profile, and who can read them.",
    map({
      fields: key("The fields of a user in addition to `email` and `name`.", fields),
      permissions: key(
        "Who can `read` other users. Users can always read themselves, and admins everybody.",
        shape("permissions"),
      ),
    }),
  ),
  roles: key(
    "Roles in addition to `public`, `user`, `owner` and `admin`.",
    names(
      "role",
      bareMap({
        inherits: key("Roles whose permissions this role has too.", oneOrMore(named("role"))),
        label,
        help,
      }),
    ),
  ),
  entities: key("The kinds of records, each named by a singular noun.", names("entity", shape("entity"))),
  permissions: key(
    "Permissions outside of their entities: entity, role, operation, rule.",
    names("entity", shape("permissions")),
  ),
  rules: key("Rules with a name, for use in other rules.", names("rule", rule)),
  ...backgroundSections,
  views: key(
    "Views outside of their entities, each at `/api/<plural>/<view>`.",
    names("view", map({ of: { ...key("The entity of the view.", named("entity")), required: true }, ...viewOptions })),
  ),
  search: key(
    "How search with `q=` works.",
    map({
      language: key(
        "The language of the texts, such as `english`: search then finds other forms of a word. Without a language, words are found exactly as they are written.",
        words(...searchLanguages),
      ),
    }),
  ),
  api: key(
    "Limits of the public API.",
    map({
      requests_per_second: key("Requests per second for each key.", integer),
      burst: key("Requests that a key can send at once.", integer),
      body_max: key("The maximum size of a body, such as `1MiB`.", anyOf(text, integer)),
      page_max: key("The maximum number of records on a page.", integer),
      statement_timeout: key("The maximum time of a statement, such as `2s`.", text),
    }),
  ),
  tests: key(
    "Tests of the permissions. `validate` runs them, and so does every deployment.",
    map({
      users: key(
        "Users of the tests, by name.",
        names(
          "user",
          bareMap({
            roles: key("The roles of the user.", oneOrMore(named("role"))),
            email: key("The e-mail address, if a rule uses it.", text),
            organizations: key(
              "The organizations of the user, by name, with the role in each. The first one is the user's chosen organization.",
              names("organization", named("organization_role")),
            ),
            profile: key("Profile fields.", testRecord),
          }),
        ),
      ),
      rows: key(
        "Records by entity and name. References use the name of a user or a row.",
        names("entity", names("row", testRecord)),
      ),
      expect: key("What the tests expect.", listOf(expectation)),
    }),
  ),
};

export const shapes: Readonly<Record<Exclude<ShapeName, "step">, Shape>> = { entity, permissions, fields, member };

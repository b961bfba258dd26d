// The blueprint's keys, from the top down. Data alone.

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
  roles: "Roles of your own under `roles:`, and granting them.",
  organizations: "`/v1/organizations`, `org_ref`, `org_scoped` and `member()`.",
  storage: "`file` and `image`, `/v1/files` and resumable uploads.",
  webhooks: "Webhooks out to your customers, and in from providers.",
  workers: "Workers, workflows, schedules and actions.",
  audit_logs:
    "`/v1/audit-log`, for admins: who changed what, and when. The log is written whether or not it is listed.",
};

export const operationHelp: Readonly<Record<string, string>> = {
  read: "Reading one record, lists, counts, and being seen through a relation.",
  create: "Creating a record; bare names are the new row.",
  update: "Changing a record; bare names must satisfy the rule before and after (`old.x` and `new.x` tell them apart).",
  delete: "Deleting a record.",
  restore: "Bringing a deleted record back (with `soft_delete`).",
  all: "Every operation, transitions included.",
};

const grant: Shape = anyOf(
  rule,
  listOf(rule),
  map({
    allow: key("Who is let in: `true`, a rule, or a list of rules any of which is enough.", oneOrMore(rule)),
    deny: key("What is refused all the same; it wins over `allow` beside it.", oneOrMore(rule)),
    fields: key("The only fields that may be read, or sent.", oneOrMore(named("field"))),
    set: key("Values that the service writes, whatever was sent.", names("field", anyOf(rule, value))),
    limit: key("Most records of one page (for `read`).", integer),
  }),
);

const permissions: Shape = names("role", names("operation", grant, Object.keys(operationHelp)));

const transition: Shape = map({
  from: { ...key("The states that it leads from.", oneOrMore(text)), required: true },
  to: { ...key("The state that it leads to.", text), required: true },
  roles: key("Who may take it; without, who has a permission `transition:<name>` or `all`.", oneOrMore(named("role"))),
  when: key("A rule over the record as it is before.", oneOrMore(rule)),
  require: key(
    "Fields that must have a value afterwards; they may be sent with the transition.",
    oneOrMore(named("field")),
  ),
  emit: key("The event, where it shall not be `<entity>.<transition>`.", text),
});

const label = key("What people call it, in the console and the documentation.", text);
const help = key("A sentence that explains it, in the console and the documentation.", text);

const viewOptions: Readonly<Record<string, KeyShape>> = {
  where: key(
    "Which records are on it, as a rule that may ask who reads; each still by the read rule.",
    oneOrMore(rule),
  ),
  sort: key("Its order, of three fields at most: `-created_at`, or `[rank, -created_at]`.", oneOrMore(text)),
  limit: key("Records of a page, where the caller says nothing.", integer),
};

const entityOptions: Readonly<Record<string, KeyShape>> = {
  fields: { ...key("What a record holds.", shape("fields")), required: true },
  permissions: key("Who may do what: role, operation, rule.", shape("permissions")),
  plural: key("The route and the table, where the plural made from the name is not right.", text),
  was: key("The name that this entity had: a rename that keeps its records.", text),
  unique: key(
    "Fields whose values together are unique: `[a, b]`, or a list of such lists.",
    listOf(oneOrMore(named("field"))),
  ),
  index: key(
    "Fields that are looked up or sorted by together: `[a, b]`, or a list of such lists.",
    listOf(oneOrMore(named("field"))),
  ),
  checks: key(
    "Named conditions over fields of one record that every record must meet; they can use named rules.",
    names("check", rule),
  ),
  exclude: key(
    "Records with the same values may not overlap, such as two bookings of one room.",
    names(
      "exclusion",
      map({
        same: { ...key("The fields by which records are compared.", oneOrMore(named("field"))), required: true },
        overlap: {
          ...key("Where a record begins and where it ends; the end itself is free.", listOf(named("field"))),
          required: true,
        },
        where: key("Which records count, as a rule over the record alone.", rule),
      }),
    ),
  ),
  lock: key(
    "A reference: writes of records that share it run one after the other, so that rules over them hold.",
    named("field"),
  ),
  org_scoped: key("Records belong to an organization: every rule is and-ed with membership.", boolean),
  soft_delete: key("A delete only marks the record; it can be restored.", boolean),
  retention: key("How long records are kept, such as `90d`.", text),
  transitions: key(
    "A state machine: the field moves only along its edges.",
    names("field", names("transition", anyOf(transition, text), ["initial"])),
  ),
  seed: key(
    "Records that the first deployment inserts: a list, or a map by names that the others refer to them by.",
    anyOf(listOf(names("field", value)), names("row", names("field", value))),
  ),
  views: key("Lists with a name, each at `/api/<plural>/<view>`.", names("view", map(viewOptions))),
  audit: key("What the audit log keeps: `writes` always, `all` with reads as well.", words("writes", "all")),
  realtime: key("Changes can be followed at `/v1/events/stream`, by whoever may read the records.", boolean),
  require_version: key("Updates, transitions, deletes and restores need `If-Match`: else 428.", boolean),
  label,
  help,
};

const entity: Shape = anyOf(map(entityOptions), shape("fields"));
const fields: Shape = names("field", field);

const testRecord: Shape = names("field", value);
const expectation: Shape = map({
  as: { ...key("Who asks: a user of these tests, or `public`.", named("test_user")), required: true },
  list: key("A list of this entity.", named("entity")),
  sees: key("The rows that the list holds, no more and no less.", listOf(named("test_row"))),
  read: key("Reading this row: `entity.row`.", text),
  create: key("Creating a record of this entity.", named("entity")),
  update: key("Changing this row: `entity.row`.", text),
  delete: key("Deleting this row: `entity.row`.", text),
  restore: key("Restoring this row: `entity.row`.", text),
  transition: key("Taking this edge: `entity.row.edge`.", text),
  with: key("What is sent.", testRecord),
  allow: key("Whether it is allowed.", boolean),
});

/** The keys of a blueprint. */
export const sections: Readonly<Record<string, KeyShape>> = {
  project: { ...key("The project's name: lower-case words joined by hyphens.", text), required: true },
  modules: key("What the project uses of the service.", listOf(words(...Object.keys(moduleHelp)))),
  users: key(
    "The app's users: their profile, and who else may read them.",
    map({
      fields: key("What a user has beside `email` and `name`.", fields),
      permissions: key("Who may `read` users beside themselves and admins.", shape("permissions")),
    }),
  ),
  roles: key(
    "Roles beside `public`, `user`, `owner` and `admin`.",
    names(
      "role",
      bareMap({
        inherits: key("Roles whose permissions its holders have as well.", oneOrMore(named("role"))),
        label,
        help,
      }),
    ),
  ),
  entities: key("The kinds of records, each a singular noun.", names("entity", shape("entity"))),
  permissions: key(
    "Permissions apart from their entities: entity, role, operation, rule.",
    names("entity", shape("permissions")),
  ),
  rules: key("Rules with a name, to be used in others by it.", names("rule", rule)),
  ...backgroundSections,
  views: key(
    "Lists with a name apart from their entities, each at `/api/<plural>/<view>`.",
    names("view", map({ of: { ...key("The entity.", named("entity")), required: true }, ...viewOptions })),
  ),
  search: key(
    "How `q=` searches.",
    map({
      language: key(
        "The language whose words it knows in their forms, such as `english`. Without one, words are found as they are written.",
        words(...searchLanguages),
      ),
    }),
  ),
  api: key(
    "Limits of the public API.",
    map({
      requests_per_second: key("Requests per second and key.", integer),
      burst: key("Requests that may come at once.", integer),
      body_max: key("Largest body, such as `1MiB`.", anyOf(text, integer)),
      page_max: key("Most records of one page.", integer),
      statement_timeout: key("Longest time of one statement, such as `2s`.", text),
    }),
  ),
  tests: key(
    "Tests of the permissions: run by `validate`, and again by every deployment.",
    map({
      users: key(
        "People by name.",
        names(
          "user",
          bareMap({
            roles: key("The roles that they hold.", oneOrMore(named("role"))),
            email: key("Their address, where a rule looks at it.", text),
            organizations: key(
              "Organizations by name, with their role there; the first is the one that they have chosen.",
              names("organization", text),
            ),
            profile: key("Profile fields.", testRecord),
          }),
        ),
      ),
      rows: key(
        "Records by entity and name; references hold the name of a user or a row.",
        names("entity", names("row", testRecord)),
      ),
      expect: key("What must hold.", listOf(expectation)),
    }),
  ),
};

export const shapes: Readonly<Record<Exclude<ShapeName, "step">, Shape>> = { entity, permissions, fields, member };

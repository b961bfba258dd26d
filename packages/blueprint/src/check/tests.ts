// Checks tests. In: the declared tests and the checked entities. Out: the tests of the model, or diagnostics for
// unknown names. `judging/run-tests.ts` runs them.

import type { ExpectationDeclaration, TestsDeclaration, ValueDeclaration } from "../declarations/test-declaration.ts";
import type { Expectation, Field, FieldType, JsonValue, Operation, TestRow, Tests, TestUser } from "../model/model.ts";
import { organizationRoles } from "../modules/organizations.ts";
import type { Report } from "../text/report.ts";
import { suggestFor } from "../text/suggestions.ts";
import type { Node, Range, Word } from "../text/syntax.ts";
import type { CheckedEntity } from "./entities/entity-draft.ts";
import { checkValue } from "./fields/values.ts";
import { checkOperation, checkRole } from "./permissions/permissions.ts";

const nothing: ReadonlySet<string> = new Set();
const USERS_MAX = 100;
const ROWS_MAX = 1_000;
const EXPECTATIONS_MAX = 1_000;

export interface TestContext {
  readonly entities: ReadonlyMap<string, CheckedEntity>;
  readonly userFields: readonly Field[];
  readonly roles: ReadonlySet<string>;
  readonly lineOf: (range: Range) => number;
  readonly report: Report;
}

/** The names that a reference in tests can use: users, organizations, rows by entity. */
interface Names {
  readonly users: ReadonlySet<string>;
  readonly organizations: ReadonlySet<string>;
  readonly rows: ReadonlyMap<string, ReadonlySet<string>>;
}

export function checkTests(declared: TestsDeclaration, context: TestContext): Tests {
  const { report } = context;
  const bounds = [
    [declared.users[USERS_MAX]?.name.range, `users`, USERS_MAX],
    [declared.rows[ROWS_MAX]?.name.range, `rows`, ROWS_MAX],
    [declared.expect[EXPECTATIONS_MAX]?.range, `expectations`, EXPECTATIONS_MAX],
  ] as const;
  for (const [range, what, most] of bounds)
    if (range !== undefined) report.add("too_many", range, `Tests can have at most ${most} ${what}.`);
  const [users, rows] = [declared.users.slice(0, USERS_MAX), declared.rows.slice(0, ROWS_MAX)];
  const names: Names = {
    users: new Set(users.map((one) => one.name.text)),
    organizations: new Set(users.flatMap((one) => one.organizations.map((it) => it.organization.text))),
    rows: new Map(
      [...Map.groupBy(rows, (one) => one.entity.text)].map(([entity, own]) => [
        entity,
        new Set(own.map((one) => one.name.text)),
      ]),
    ),
  };
  return {
    users: users.map((one) => checkUser(one, names, context)),
    rows: rows.flatMap((one) => checkRow(one, names, context) ?? []),
    expect: declared.expect.slice(0, EXPECTATIONS_MAX).flatMap((one) => checkExpectation(one, names, context) ?? []),
  };
}

function checkUser(declared: TestsDeclaration["users"][number], names: Names, context: TestContext): TestUser {
  const { report, roles } = context;
  const { name, email } = declared;
  if (!/^[a-z][a-z0-9_]{0,47}$/.test(name.text))
    report.add(
      "invalid_name",
      name.range,
      `\`${name.text.slice(0, 60)}\` is not a valid name for a user of the tests.`,
      "For example `ana`.",
    );
  else if (name.text === "public")
    report.add("reserved_name", name.range, "`public` is a reserved name.", "It means a caller who is not signed in.");
  for (const role of declared.roles) checkRole(role, roles, report);
  for (const { role } of declared.organizations) {
    if (organizationRoles.includes(role.text)) continue;
    const hint = suggestFor(role.text, organizationRoles, report) ?? `Known roles: ${organizationRoles.join(", ")}.`;
    report.add("unknown_role", role.range, `Organizations have no role \`${role.text}\`.`, hint);
  }
  return {
    name: name.text,
    roles: declared.roles.map((role) => role.text),
    email: email?.text ?? `${name.text}@example.com`,
    organizations: declared.organizations.map(({ organization, role }) => ({
      organization: organization.text,
      role: role.text,
    })),
    profile: checkValues(declared.profile, "user", context.userFields, new Set(), names, report),
  };
}

function checkRow(
  declared: TestsDeclaration["rows"][number],
  names: Names,
  { entities, report }: TestContext,
): TestRow | null {
  const found = entityCalled(declared.entity, entities, report);
  if (found === null) return null;
  if (!/^[a-z][a-z0-9_]{0,47}$/.test(declared.name.text))
    report.add(
      "invalid_name",
      declared.name.range,
      `\`${declared.name.text.slice(0, 60)}\` is not a valid name for a row.`,
      "For example `a`.",
    );
  const { entity, brokenFields } = found;
  const values = checkValues(declared.values, entity.name, entity.fields, brokenFields, names, report);
  return { entity: entity.name, name: declared.name.text, values };
}

function entityCalled(word: Word, entities: TestContext["entities"], report: Report): CheckedEntity | null {
  const found = entities.get(word.text);
  if (found !== undefined) return found;
  report.add(
    "unknown_entity",
    word.range,
    `There is no entity \`${word.text}\`.`,
    suggestFor(word.text, entities.keys(), report),
  );
  return null;
}

function checkValues(
  declared: readonly ValueDeclaration[],
  record: string,
  fields: readonly Field[],
  broken: ReadonlySet<string>,
  names: Names,
  report: Report,
): Readonly<Record<string, JsonValue>> {
  const values: [string, JsonValue][] = [];
  const byName = new Map(fields.map((field) => [field.name, field]));
  for (const { field: word, value: node } of declared) {
    const field = byName.get(word.text);
    if (field === undefined) {
      if (broken.has(word.text)) continue;
      const known = fields.map((one) => one.name);
      report.add(
        "unknown_field",
        word.range,
        `\`${record}\` has no field \`${word.text}\`.`,
        suggestFor(word.text, known, report),
      );
      continue;
    }
    const value = readValue(field, node, names, report);
    if (value !== undefined) values.push([field.name, value]);
  }
  return Object.fromEntries(values);
}

function readValue(field: Field, node: Node, names: Names, report: Report): JsonValue | undefined {
  if (node.kind === "scalar" && (node.broken || node.value === null)) return node.broken ? undefined : null;
  const { type } = field;
  if (type.kind === "refs" && node.kind === "list") {
    const items = node.items.map((item) =>
      checkReference({ kind: "ref", entity: type.entity, onDelete: "restrict" }, item, names, report),
    );
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (type.kind === "ref" || type.kind === "user_ref" || type.kind === "org_ref")
    return checkReference(type, node, names, report);
  const known: FieldType = type.kind === "sequence" ? { kind: "text" } : type;
  const checked = checkValue(known, field.limits, node, { words: false });
  if ("value" in checked) return checked.value;
  report.add("invalid_test", checked.range, `This value is not valid for \`${field.name}\`.`, checked.problem);
  return undefined;
}

function checkReference(
  type: Extract<FieldType, { kind: "ref" | "user_ref" | "org_ref" }>,
  node: Node,
  names: Names,
  report: Report,
): string | undefined {
  const text = node.kind === "scalar" && typeof node.value === "string" ? node.text : null;
  const [what, known] =
    type.kind === "user_ref"
      ? ["user", names.users]
      : type.kind === "org_ref"
        ? ["organization", names.organizations]
        : [`row of \`${type.entity}\``, names.rows.get(type.entity) ?? nothing];
  if (text !== null && known.has(text)) return text;
  const shown = text ?? "This";
  const hint = suggestFor(shown, known, report) ?? (type.kind === "org_ref" ? organizationHint(shown) : null);
  report.add("unknown_test_name", node.range, `The tests have no ${what} \`${shown}\`.`, hint);
  return undefined;
}

function organizationHint(name: string): string {
  return `Give it a member: \`users: { ana: { organizations: { ${name}: owner } } }\`.`;
}

function checkExpectation(
  { as, asked, range }: ExpectationDeclaration,
  names: Names,
  context: TestContext,
): Expectation | null {
  const { report, entities } = context;
  const whoIsFine = as.text === "public" || names.users.has(as.text);
  if (!whoIsFine)
    report.add(
      "unknown_test_name",
      as.range,
      `The tests have no user \`${as.text}\`.`,
      suggestFor(as.text, ["public", ...names.users], report),
    );
  const line = context.lineOf(range);
  const [entityName, rowName, edge] = splitTarget(asked.kind === "list" ? asked.entity : asked.target);
  const found = entityCalled(entityName, entities, report);
  if (found === null) return null;
  const entity = found.entity.name;
  if (asked.kind === "list") {
    const seen = asked.sees.map((word) => ({ ...word, text: word.text.replace(new RegExp(`^${entity}\\.`), "") }));
    const fine = seen.map((word) => rowIsKnown(word, entity, names, report));
    if (rowName !== null)
      report.add("invalid_test", entityName.range, "`list` needs an entity, not a row.", `Write \`list: ${entity}\`.`);
    return whoIsFine && fine.every((one) => one)
      ? { kind: "list", as: as.text, entity, sees: seen.map((word) => word.text), line }
      : null;
  }
  const operation = operationOf(asked.operation, edge, found, report);
  const isCreate = asked.operation.text === "create";
  if (isCreate ? rowName !== null : rowName === null) {
    const hint = isCreate
      ? `Write \`create: ${entity}\`, and put the input under \`with\`.`
      : `Name a row: \`${entity}.a\`.`;
    report.add(
      "invalid_test",
      asked.target.range,
      `\`${asked.operation.text}\` needs ${isCreate ? "an entity" : "a row"}.`,
      hint,
    );
    return null;
  }
  const rowIsFine = rowName === null || rowIsKnown(rowName, entity, names, report);
  const input = checkValues(asked.input, entity, found.entity.fields, found.brokenFields, names, report);
  if (operation === null || !whoIsFine || !rowIsFine) return null;
  return { kind: "allow", as: as.text, operation, entity, row: rowName?.text ?? null, input, allow: asked.allow, line };
}

/** `listing`, `listing.a` or `listing.a.publish`, each part with its position. */
function splitTarget({ text, range }: Word): readonly [Word, Word | null, Word | null] {
  let at = range.start;
  const parts = text.split(".").map((part): Word => {
    const word = { text: part, range: { start: at, end: Math.min(at + part.length, range.end) } };
    at = word.range.end + 1;
    return word;
  });
  return [parts[0] ?? { text, range }, parts[1] ?? null, parts[2] ?? null];
}

function rowIsKnown(word: Word, entity: string, names: Names, report: Report): boolean {
  const known = names.rows.get(entity) ?? nothing;
  if (known.has(word.text)) return true;
  report.add(
    "unknown_test_name",
    word.range,
    `The tests have no row \`${word.text}\` of \`${entity}\`.`,
    suggestFor(word.text, known, report),
  );
  return false;
}

function operationOf(word: Word, edge: Word | null, entity: CheckedEntity, report: Report): Operation | null {
  if (word.text === "transition") {
    if (edge === null) {
      report.add(
        "invalid_test",
        word.range,
        "The name of the transition is missing.",
        "Write `transition: listing.a.publish`.",
      );
      return null;
    }
    return checkOperation({ text: `transition:${edge.text}`, range: edge.range }, entity, report)
      ? `transition:${edge.text}`
      : null;
  }
  if (edge !== null) {
    report.add("invalid_test", edge.range, `\`${word.text}\` needs only the name of a row.`, "Write `listing.a`.");
    return null;
  }
  return checkOperation(word, entity, report) ? (word.text as Operation) : null;
}

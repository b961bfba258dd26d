// Checks profile fields. In: the declared fields. Out: fields of the model. A user signs up with only an e-mail address
// and a password, so profile fields must be optional or have a default.
import type { FieldDeclaration, PermissionDeclaration } from "../declarations/declarations.ts";
import { notSupportedYet } from "../declarations/expect.ts";
import type { Field, Model, ModuleName, Permission } from "../model/model.ts";
import { fieldsForOthers, USER_ENTITY, userNames } from "../modules/users.ts";
import { checkName } from "../text/names.ts";
import type { Report } from "../text/report.ts";
import { refuseFormer, unrenamed } from "./entities/entity-names.ts";
import { checkIndexes, checkUniques } from "./entities/uniques.ts";
import { checkField } from "./fields/fields.ts";

const PROFILE_FIELDS_MAX = 50;
const taken = userNames([]);
/** Types that need more than one column in the table of users. */
export const notForUsers: readonly string[] = [
  "refs",
  "computed",
  "sequence",
  "secret",
  "file",
  "image",
  "vector",
  "slug",
];

export function checkUserFields(
  declared: readonly FieldDeclaration[],
  entities: ReadonlySet<string>,
  modules: ReadonlySet<ModuleName>,
  report: Report,
): readonly Field[] {
  const over = declared[PROFILE_FIELDS_MAX];
  if (over !== undefined)
    report.add("too_many", over.name.range, `A user can have at most ${PROFILE_FIELDS_MAX} profile fields.`);
  const unchanged = new Set([...taken, ...unrenamed(declared)]);
  const claimed = new Map<string, string>();
  return declared.slice(0, PROFILE_FIELDS_MAX).flatMap((one): Field[] => {
    const { text, range } = one.name;
    const problem = checkName(text, "field");
    if (problem !== null) report.add(problem.code, range, problem.message, problem.hint);
    else if (taken.includes(text))
      report.add("reserved_name", range, `\`${text}\` is a reserved name.`, "Every user already has it.");
    if (one.type !== null && notForUsers.includes(one.type.name.text)) {
      notSupportedYet(report, one.type.name.range, `\`${one.type.name.text}\` as a profile field`);
      return [];
    }
    if (one.as !== null) notSupportedYet(report, one.as.range, "`as` on a profile field");
    if (one.fill !== null) notSupportedYet(report, one.fill.range, "`fill` on a profile field");
    if (one.was !== null && one.was.text !== text) refuseFormer(one.was, text, unchanged, claimed, "field", report);
    const field = checkField(one, { entities, modules, report, isProfile: true });
    if (field === null || field === "not_served") return [];
    if (!field.optional && field.default === null)
      report.add(
        "profile_field_required",
        range,
        `Every user needs a value for \`${text}\`, but sign-up doesn't ask for it.`,
        "Make it optional (`?`) or add a default.",
      );
    return [field];
  });
}

/** The keys and indexes over profile fields. */
export function checkUserKeys(
  declared: readonly FieldDeclaration[],
  fields: readonly Field[],
  report: Report,
): Pick<Model, "userUniques" | "userIndexes"> {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const broken = new Set(brokenProfile(declared, fields));
  const known = { name: USER_ENTITY, fields: byName, broken, orgField: null, report };
  const written = { fields: declared, options: { uniques: [], indexes: [] } };
  const uniques = checkUniques(written, known);
  for (const names of uniques) {
    // Two nulls are never equal.
    if (names.some((name) => byName.get(name)?.default === null)) continue;
    const { range } = declared.find(({ name }) => name.text === names[0])?.name ?? { range: { start: 0, end: 0 } };
    const shared = names.map((name) => `\`${name}\``).join(" and ");
    const message = `\`unique\` can't be used here: everybody who signs up without a value would get the same ${shared}.`;
    report.add("misplaced_modifier", range, message, "Make it optional (`?`), without a default.");
  }
  const indexes = checkIndexes(written, uniques, known);
  return {
    ...(uniques.length > 0 && { userUniques: uniques }),
    ...(indexes.length > 0 && { userIndexes: indexes }),
  };
}

/** Fields with a wrong declaration: rules that use them get no further problems. */
export function brokenProfile(declared: readonly FieldDeclaration[], fields: readonly Field[]): readonly string[] {
  const fine = new Set(fields.map((field) => field.name));
  return declared.map((one) => one.name.text).filter((name) => !fine.has(name));
}

/**
 * Users see themselves, and an admin sees everybody: neither is declared. Without a list of fields, others see no
 * personal fields.
 */
export function readableUsers(
  permissions: readonly Permission[],
  profile: readonly Field[],
): { readonly userPermissions?: readonly Permission[] } {
  const declared = permissions.map((one) => ({ ...one, fields: one.fields ?? fieldsForOthers(profile) }));
  return declared.length === 0 ? {} : { userPermissions: declared };
}

/** Returns false if the permission is not possible on users. */
export function checkUserPermission({ role, operation }: PermissionDeclaration, report: Report): boolean {
  if (role.text === "admin" || role.text === "owner") {
    const hint =
      role.text === "admin" ? "Remove it." : "Remove it, or write under `user` what every user can read about others.";
    const who =
      role.text === "admin"
        ? "An admin can already read and update all users"
        : "Users can already read and update themselves";
    report.add("option_not_applicable", role.range, `${who} without a permission.`, hint);
    return false;
  }
  if (operation.text === "read") return true;
  if (!["create", "update", "delete", "all"].includes(operation.text)) return true;
  report.add(
    "option_not_applicable",
    operation.range,
    `\`${operation.text}\` can't be granted on users: only \`read\` can.`,
    "Users sign up and change themselves. An admin changes others.",
  );
  return false;
}

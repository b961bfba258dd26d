// Text fields whose type asks for a form that it did not ask for before (an email, a URL). In: two models, then a table's change.
// Out: steps that count who breaks the form before anything runs, and stop the switch where somebody broke it meanwhile.
import { type Entity, type FieldType, type Model, patterns } from "@plinth/blueprint";
import type { Renames } from "@plinth/bundle";
import { withArticle } from "@plinth/expression";
import { quoteIdentifier as q, quoteText } from "../sql/sql-text.ts";
import { guardSteps } from "./guard.ts";
import type { TableChange } from "./match.ts";
import type { Step } from "./migration-step.ts";
import { guardName } from "./names.ts";
import { overOldRows, underNamesOfNow } from "./table-sql.ts";
import { verifyRows } from "./verify.ts";

/** What a value is called that has the form. */
const formNames = {
  email: "an email address",
  url: "a URL",
  slug: "a slug",
  phone: "a phone number",
  color: "a color",
  timezone: "a time zone",
  country: "a country code",
  currency: "a currency code",
  locale: "a locale",
} as const;

type Form = keyof typeof formNames;

/** Table > column, both by their new names > the form that its values must have from now on. */
export type Forms = Readonly<Record<string, Readonly<Record<string, Form>>>>;

/** A field that the model before doesn't know counts as well: its column may come back from what is set aside. */
export function newFormsOf(before: Model | null, after: Model, { tables, columns }: Renames): Forms {
  const oldTables = new Map(Object.entries(tables).map(([from, to]) => [to, from]));
  return Object.fromEntries(
    [...after.entities, profileOf(after)].map(({ plural, fields }) => {
      const oldName = oldTables.get(plural) ?? plural;
      const old = [...(before?.entities ?? []), ...(before === null ? [] : [profileOf(before)])].find(
        (entity) => entity.plural === oldName,
      );
      const oldColumns = new Map(Object.entries(columns[plural] ?? {}).map(([from, to]) => [to, from]));
      const forms = fields.flatMap(({ name, type }) => {
        const was = old?.fields.find((field) => field.name === (oldColumns.get(name) ?? name));
        return hasForm(type) && was?.type.kind !== type.kind ? [[name, type.kind] as const] : [];
      });
      return [plural, Object.fromEntries(forms)];
    }),
  );
}

/** Profile fields stand in the table of users. */
function profileOf({ userFields }: Model): Pick<Entity, "plural" | "fields"> {
  return { plural: "users", fields: userFields };
}

function hasForm(type: FieldType): type is Extract<FieldType, { kind: Form }> {
  return type.kind in formNames;
}

export function formSteps(table: TableChange, forms: Forms): readonly Step[] {
  return table.columns.flatMap((change) => {
    const column = change.after.name;
    const form = forms[table.after.name]?.[column];
    const isEmpty = change.how === "added" && change.fill === undefined;
    if (form === undefined || isEmpty) return [];
    const broken = `${q(column)} !~ ${quoteText(postgresForm(patterns[form]))}`;
    const violation = `${withArticle(column)} that is not ${formNames[form]}`;
    const summary = `Make sure that every ${column} of ${table.after.name} is ${formNames[form]}.`;
    const slug = `form-${table.after.name}-${column}`;
    const verified = verifyRows(table, { slug, summary, violation }, overOldRows(table, broken));
    // Nobody writes what is set aside.
    if (table.restored !== null || (change.how === "kept" && change.restored !== null)) return [verified];
    return [
      verified,
      ...guardSteps(table, {
        slug,
        name: guardName(table.before.name, `${column}__form`),
        problem: `with ${violation}`,
        where: underNamesOfNow(table, broken),
        column,
      }),
    ];
  });
}

/** The same pattern for Postgres, whose texts hold neither NUL nor surrogates, and whose `\s` knows fewer blanks. */
export function postgresForm(pattern: string): string {
  return pattern
    .replaceAll("\\p{Cs}", "")
    .replaceAll("\\x00", "\\x01")
    .replaceAll("\\s", "\\s\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff");
}

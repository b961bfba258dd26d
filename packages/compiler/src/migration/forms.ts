// Finds values with the wrong form, for fields whose type newly requires one (an email, a URL, an object with these
// members). In: two models, then a table's change. Out: steps that count the violating records before anything runs,
// and stop the switch if a new one was written meanwhile.
import { type Entity, type Field, type FieldType, type Model, mayNotFit, patterns } from "@plinth/blueprint";
import type { Renames } from "@plinth/bundle";
import { withArticle } from "@plinth/expression";
import { quoteIdentifier as q, quoteText } from "../sql/sql-text.ts";
import { guardSteps } from "./guard.ts";
import { hasForm, postgresForm } from "./json-form.ts";
import type { TableChange } from "./match.ts";
import type { Step } from "./migration-step.ts";
import { guardName } from "./names.ts";
import { overOldRows, underNamesOfNow } from "./table-sql.ts";
import { verifyRows } from "./verify.ts";

/** The name of a value with the form. */
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

interface Form {
  /** Follows "every price of listings". */
  readonly is: string;
  /** Follows "records with a price". */
  readonly isNot: string;
  /** SQL for whether a value violates it, over the SQL of the column. */
  readonly broken: (column: string) => string;
}

/** Table > column, both by their new names > the required form of its values. */
export type Forms = Readonly<Record<string, Readonly<Record<string, Form>>>>;

/** Includes fields that the old model doesn't have: a column can be restored from those set aside. */
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
        const form = formOf(type, was);
        return form === null ? [] : [[name, form] as const];
      });
      return [plural, Object.fromEntries(forms)];
    }),
  );
}

/** Profile fields are in the table of users. */
function profileOf({ userFields }: Model): Pick<Entity, "plural" | "fields"> {
  return { plural: "users", fields: userFields };
}

function formOf(type: FieldType, was: Pick<Field, "type"> | undefined): Form | null {
  if (isNamed(type)) {
    if (was?.type.kind === type.kind) return null;
    const name = formNames[type.kind];
    const pattern = quoteText(postgresForm(patterns[type.kind]));
    return { is: `is ${name}`, isNot: `is not ${name}`, broken: (column) => `${column} !~ ${pattern}` };
  }
  const isShape = type.kind === "object" || type.kind === "i18n";
  if (!isShape || (was !== undefined && !mayNotFit(was.type, type))) return null;
  return {
    is: "has the declared form",
    isNot: "doesn't have the declared form",
    broken: (column) => `not ${hasForm(type, column)}`,
  };
}

function isNamed(type: FieldType): type is Extract<FieldType, { kind: keyof typeof formNames }> {
  return type.kind in formNames;
}

export function formSteps(table: TableChange, forms: Forms): readonly Step[] {
  return table.columns.flatMap((change) => {
    const column = change.after.name;
    const form = forms[table.after.name]?.[column];
    const isEmpty = change.how === "added" && change.fill === undefined;
    if (form === undefined || isEmpty) return [];
    const broken = form.broken(q(column));
    const violation = `${withArticle(column)} that ${form.isNot}`;
    const summary = `Make sure that every ${column} of ${table.after.name} ${form.is}.`;
    const slug = `form-${table.after.name}-${column}`;
    const verified = verifyRows(table, { slug, summary, violation }, overOldRows(table, broken));
    // Nothing writes a column that is set aside.
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

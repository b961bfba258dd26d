// A text that becomes an email, a URL or another type with a form, on a real Postgres: a value with a wrong form stops
// the change.
import { checkBlueprint, type Model, patterns } from "@plinth/blueprint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import { proposeChange } from "../propose.ts";
import { postgresForm } from "./json-form.ts";
import { apply, type Names } from "./testing/sample-tables.ts";
import { asideOf, openWalker, type Walker } from "./testing/walk.ts";

let walker: Walker;
beforeAll(async () => {
  walker = await openWalker();
});
afterAll(() => walker?.close());

function modelOf(...fields: readonly string[]): Model {
  const text = `project: forms
modules: [auth]
entities:
  person:
    fields:
${fields.map((field) => `      ${field}`).join("\n")}
    permissions:
      admin: { all: true }
`;
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(diagnostics.map((each) => each.message).join("\n"));
  return model;
}

function change(before: Model, after: Model, setAside: ReturnType<typeof asideOf> = [], tag = "t1") {
  const live = { model: before, bundle: compileModel(before) };
  const proposed = proposeChange({ before: live, after, setAside, tag, author: "person" });
  expect(proposed.refused).toEqual([]);
  return proposed.plan;
}

const insert = (names: Names, column: string, value: string): Promise<unknown> =>
  walker.client.query(`insert into ${names.schema}.people (id, ${column}) values (gen_random_uuid(), $1)`, [value]);

const forms = [
  ["email", "ana@example.com", "ana at example"],
  ["url", "https://example.com/a?b#c", "example.com"],
  ["slug", "one-two", "One Two"],
  ["phone", "+4930123456", "030 123456"],
  ["color", "#a0b1c2", "red"],
  ["timezone", "Europe/Berlin", "berlin"],
  ["country", "DE", "XX"],
  ["currency", "EUR", "euro"],
  ["locale", "pt-BR", "portuguese"],
] as const;

describe.each(forms)("a string that becomes %s", (form, good, bad) => {
  const [before, after] = [modelOf("contact: string?"), modelOf(`contact: ${form}?`)];

  test("stops before anything runs if an existing value has the wrong form", async () => {
    const names = await walker.make(compileModel(before).tables);
    await insert(names, "contact", good);
    await insert(names, "contact", bad);
    await expect(apply(walker.client, change(before, after), names)).rejects.toThrow(/1 .*contact that is not a/);
  });

  test("succeeds if all values have the form, and stops at the switch if the old release has written another", async () => {
    const names = await walker.make(compileModel(before).tables);
    await insert(names, "contact", good);
    await apply(walker.client, change(before, after), names);
    const other = await walker.make(compileModel(before).tables);
    await insert(other, "contact", good);
    let written = false;
    const meanwhile = async (): Promise<void> => {
      if (!written) await insert(other, "contact", bad);
      written = true;
    };
    const stopped = apply(walker.client, change(before, after), other, { before: meanwhile, after: async () => {} });
    await expect(stopped).rejects.toThrow("contact that is not");
  });
});

test("a renamed field is checked under its old name, and an email that stays one is not checked again", async () => {
  const [before, after] = [modelOf("contact: string?"), modelOf("mail: email? was(contact)")];
  const names = await walker.make(compileModel(before).tables);
  await insert(names, "contact", "nobody");
  await expect(apply(walker.client, change(before, after), names)).rejects.toThrow(
    "a mail that is not an email address",
  );
  await walker.client.query(`update ${names.schema}.people set contact = 'ana@example.com'`);
  await apply(walker.client, change(before, after), names);
  expect(change(after, modelOf("mail: email", "note: text?")).steps.filter((step) => /form/.test(step.id))).toEqual([]);
});

test("two fields that swap their names in one change keep their values, and are checked with their new types", async () => {
  const [before, after] = [
    modelOf("mail: string?", "site: string?"),
    modelOf("mail: email? was(site)", "site: url? was(mail)"),
  ];
  const names = await walker.make(compileModel(before).tables);
  await insert(names, "mail", "https://example.com");
  await insert(names, "site", "nobody");
  await expect(apply(walker.client, change(before, after), names)).rejects.toThrow(
    "a mail that is not an email address",
  );
  await walker.client.query(`update ${names.schema}.people set site = 'ana@example.com'`);
  await apply(walker.client, change(before, after), names);
  const { rows } = await walker.client.query(`select mail, site from ${names.schema}.people order by site`);
  expect(rows).toEqual([
    { mail: "ana@example.com", site: "https://example.com" },
    { mail: "ana@example.com", site: null },
  ]);
  expect(change(after, after).steps).toEqual([]);
});

test("a profile field is checked, too", () => {
  const withProfile = (type: string): Model => {
    const { model } = checkBlueprint(`project: forms\nmodules: [auth, users]\nusers:\n  fields:\n    site: ${type}?\n`);
    if (model === null) throw new Error("the blueprint is not valid");
    return model;
  };
  const steps = change(withProfile("string"), withProfile("url")).steps.filter((step) => step.kind === "verify");
  expect(steps.map((step) => step.violation)).toEqual(["a site that is not a URL"]);
});

test("restored values are checked, too", async () => {
  const [before, without, after] = [
    modelOf("contact: string?", "note: text?"),
    modelOf("note: text?"),
    modelOf("contact: email?", "note: text?"),
  ];
  const names = await walker.make(compileModel(before).tables);
  await insert(names, "contact", "nobody");
  const gone = change(before, without);
  await apply(walker.client, gone, names);
  const back = change(without, after, asideOf(gone.steps), "t2");
  await expect(apply(walker.client, back, names)).rejects.toThrow("a contact that is not an email address");
});

test("Postgres and the schema of the body accept the same forms", async () => {
  const odd = ["", " ", "\n", "a\n", "é", "\u00a0", "\u2003", "\ufeff", "\x01", "\x1f", "\x7f", "\u{1f600}"];
  for (const [form, good, bad] of forms) {
    const url = form === "url" ? ["http://[::1]:80/x", "https://a.b/\u2028", "https://a.b/é", "https://-a.b"] : [];
    const samples = [good, bad, ...url, ...odd.flatMap((one) => [one, good + one, one + good])];
    const { rows } = await walker.client.query<{ found: boolean[] }>(
      `select array(select s ~ $1 from unnest($2::text[]) with ordinality as u(s, n) order by n) as found`,
      [postgresForm(patterns[form]), samples],
    );
    const expected = samples.map((sample) => new RegExp(patterns[form], "u").test(sample));
    expect(samples.map((sample, at) => [form, sample, rows[0]?.found[at]])).toEqual(
      samples.map((sample, at) => [form, sample, expected[at]]),
    );
  }
});

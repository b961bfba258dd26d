// Which words `q=` finds: in several languages, with and without accents, misspelt; and the order of the results.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell } from "./testing/test-cell.ts";

let cell: TestCell;
beforeAll(async () => {
  cell = await createTestCell();
});
afterAll(() => cell?.close());

describe.each<
  [language: string, texts: readonly string[], found: readonly (readonly [words: string, texts: readonly number[]])[]]
>([
  [
    "english",
    ["The running dogs", "A cat or a dog", "Naïve résumés of the cafés", "Swimming to the sea"],
    [
      ["dog", [0, 1]],
      ["runs", [0]],
      ["runn", [0]],
      ["cat or running", [0, 1]],
      ["CAT OR Swimming", [1, 3]],
      ["the sea Or the résumé", [2, 3]],
      // A sign only between two words.
      ["or cat", [1]],
      ["cat or", [1]],
      ["naive resumes", [2]],
      ["naïve café", [2]],
      ["the whale", []],
      ["to the sea", [3]],
      ["the -cat", []],
      ["the", []],
      ["or", []],
      ["-the dog", [0, 1]],
      ["dog -cat", [0]],
      ['"running dogs"', [0]],
      ['"cat or a dog"', [1]],
      ['"naive resumes"', [2]],
    ],
  ],
  [
    "french",
    ["Les fonctions utilisées", "Il utilise un fichier", "L'été à la mer", "Œuvres du cœur", "Le demain"],
    [
      ["utilisée", [0, 1]],
      ["utilisees", [0, 1]],
      ["utilise", [0, 1]],
      ["été", [2]],
      ["ete", [2]],
      ["oeuvre", [3]],
      ["coeur", [3]],
      ["CŒURS", [3]],
      // A stop word, so it only counts as the beginning of other words.
      ["de", [4]],
      ["fichier or cœur", [1, 3]],
    ],
  ],
  [
    "german",
    ["Wir ändern die Häuser", "Die anderen wären hier", "Große Straßen", "STRASSE"],
    [
      ["ändern", [0]],
      ["andern", [0]],
      ["wären", [1]],
      ["waren", [1]],
      ["Haus", [0]],
      ["hauser", [0]],
      ["straße", [2, 3]],
      ["strasse", [2, 3]],
      ["gross", [2]],
      ["STRAẞE", [2, 3]],
    ],
  ],
  [
    "turkish",
    ["dosyaları", "DOSYALARI silin", "bir dosya", "İstanbul"],
    [
      ["dosyaları", [0, 1, 2]],
      ["DOSYALARI", [0, 1, 2]],
      ["dosyalari", [0, 1]],
      ["dosya", [0, 1, 2]],
      ["istanbul", [3]],
      ["İSTANBUL", [3]],
    ],
  ],
  [
    "greek",
    ["Ο Σωκράτης", "Ο μύθος: ΣΊΣΥΦΟΣ", "Οι φιλόσοφοι"],
    [
      ["ΣΩΚΡΑΤΗΣ", [0]],
      ["σωκρατης", [0]],
      ["σωκρατησ", [0]],
      ["σισυφος", [1]],
      ["Σίσυφος", [1]],
      ["φιλόσοφος", [2]],
      ["φιλοσοφοι", [2]],
    ],
  ],
  [
    "",
    ["Þór og Æsir", "Łódź, Đorđe", "Smørrebrød", "or", "ΣΩΚΡΑΤΗΣ"],
    [
      ["thor", [0]],
      ["aesir", [0]],
      ["lodz", [1]],
      ["dorde", [1]],
      ["smorrebrod", [2]],
      ["SMØRREBRØD", [2]],
      ["or", [3]],
      ["thor or lodz", [0, 1]],
      ["σωκράτης", [4]],
    ],
  ],
])("in %s", (language, texts, found) => {
  let name: string;
  beforeAll(async () => {
    const own = await cell.addProject(`
project: words-of-${language || "any"}
modules: [auth, users, roles]
${language === "" ? "" : `search: { language: ${language} }`}
entities:
  note:
    fields:
      number: int
      text: text searchable
    permissions:
      admin: { all: true }
`);
    name = `admin-of-${language || "any"}`;
    cell.addCaller(name, own, keyPrincipal(`key_${name}`, ["admin"]));
    for (const [number, text] of texts.entries()) {
      const reply = await cell.send(name, "POST", "/api/notes", { number, text });
      expect(reply.status, reply.text).toBe(201);
    }
  });

  test.each(found)("%s", async (words, expected) => {
    const reply = await cell.send(name, "GET", `/api/notes?q=${encodeURIComponent(words)}`);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.data.map(({ number }: { number: number }) => number).sort()).toEqual(expected);
  });
});

describe("order and misspellings", () => {
  beforeAll(async () => {
    const people = await cell.addProject(`
project: people
modules: [auth, users, roles]
search: { language: english }
entities:
  person:
    plural: people
    fields:
      name: string searchable(A, fuzzy)
      about: text? searchable
    permissions:
      admin: { all: true }
`);
    cell.addCaller("people", people, keyPrincipal("key_people", ["admin"]));
    for (const [name, about] of [
      ["Lopez", "the first"],
      ["Lopezita, who has a long name", null],
      ["Ana", "sings with Lopez, and Lopezita, and others whose names are many and long and not worth a word here"],
      ["Lopez", "the last"],
      ["Gnome in the garden", null],
      ["Whale", null],
      ["What else, and where, and who", null],
      ["Schmidt", "a whale"],
      ["Schwarzenegger", null],
      ["Гагарин", null],
      ["Garden", null],
    ]) {
      const reply = await cell.send("people", "POST", "/api/people", { name, about });
      expect(reply.status, reply.text).toBe(201);
    }
  });
  const found = async (words: string): Promise<readonly string[]> => {
    const reply = await cell.send("people", "GET", `/api/people?q=${encodeURIComponent(words)}`);
    expect(reply.status, reply.text).toBe(200);
    return reply.json.data.map(
      ({ name, about }: { name: string; about: string }) => `${name}${/^the/.test(about) ? `, ${about}` : ""}`,
    );
  };

  test("whole words before beginnings, short texts before long ones, the newest first", async () => {
    const [first, second, third, fourth, ...more] = await found("lopez");
    expect([first, second]).toEqual(["Lopez, the last", "Lopez, the first"]);
    expect([third, fourth, ...more]).toEqual(["Ana", "Lopezita, who has a long name"]);
  });

  test.each<[string, readonly string[]]>([
    ["whael", ["Whale"]],
    ["whlae", ["Whale"]],
    ["hwale", ["Whale"]],
    ["gnone", ["Gnome in the garden"]],
    ["gardne", ["Garden", "Gnome in the garden"]],
    ["schmdt", ["Schmidt"]],
    ["scmhidt", ["Schmidt"]],
    ["shwarzenegger", ["Schwarzenegger"]],
    ["shwarzeneger", ["Schwarzenegger"]],
    ["гагаринн", ["Гагарин"]],
    ["gnone in the gardn", ["Gnome in the garden"]],
    // The whale is in a field that is not fuzzy. Each of the two words may be meant as written.
    ["whale schmit", ["Schmidt"]],
    ["gnmoe whale", []],
    // The word itself comes before similar ones.
    ["whale", ["Whale", "Schmidt"]],
    ["whxxe", []],
    ["gnone or whale", ["Whale", "Schmidt"]],
    ['"gnone"', []],
    ["gnone -garden", []],
  ])("%s", async (words, names) => {
    expect(await found(words)).toEqual(names);
  });
});

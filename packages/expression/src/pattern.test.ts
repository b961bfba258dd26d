// Patterns: the supported subset, and that a match means the same here, in JavaScript's engine and in Postgres.
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compilePattern, patternProblem, postgresPattern } from "./pattern.ts";

describe("matches", () => {
  test.each([
    ["^a", "ab", true],
    ["^a", "ba", false],
    ["b$", "ab", true],
    ["b$", "b\n", false],
    ["a.c", "a\nc", false],
    ["a.c", "a😀c", true],
    ["^.$", "😀", true],
    ["^[^a]$", "\n", true],
    ["^[a-c😀-😎]+$", "ab😃", true],
    ["^\\d{2,3}$", "1", false],
    ["^\\d{2,3}$", "123", true],
    ["^\\d{2,3}$", "١٢", false],
    ["^(?:ab|c)*$", "abcab", true],
    ["^(a|b){2}$", "ba", true],
    ["^\\w+$", "ä", false],
    ["^\\S+$", "\u00a0", true],
    ["^[\\w.-]+$", "a.b-c", true],
    ["^[]]$", "]", true],
    ["\\.", "a", false],
    ["a*?b", "b", true],
    ["", "", true],
    ["a|", "x", true],
    ["$^", "", true],
  ])("%j on %j: %s", (pattern, text, matches) => expect(compilePattern(pattern).test(text)).toBe(matches));
});

describe("refuses, with a hint", () => {
  test.each([
    ["(?=a)", "can't have flags", 0],
    ["(?i)a", "can't have flags", 0],
    ["(a)\\1", "`\\1` is not supported", 3],
    ["\\ba", "`\\b` is not supported", 0],
    ["\\pL", "`\\p` is not supported", 0],
    ["a**", "can't directly follow", 2],
    ["*a", "nothing before `*` to repeat", 0],
    ["^*", "nothing here to repeat", 0],
    ["()+", "nothing here to repeat", 0],
    ["(a", "no closing `)`", 0],
    ["a)", "no opening", 1],
    ["[a", "no closing `]`", 0],
    ["[[:alpha:]]", "A `[` inside", 1],
    ["[z-a]", "not a valid range", 2],
    ["a{2,1}", "can be at most", 1],
    ["a{999}", "can be at most", 1],
    ["a{", "not a valid repetition", 1],
    ["(?:a{200}){200}", "too large", 0],
    ["(?:(?:(?:a?b?){0,7}){0,7}){0,7}", "too large", 0],
    ["^((a?){31}){31}$", "too large", 0],
    ["(a*b*c*d*e*){99}", "too large", 0],
    ["a\\", "can't end with a backslash", 1],
    ["\u0000", "NUL", 0],
    ["\ud800", "half of a surrogate", 0],
    ["(".repeat(30), "nested too deep", 21],
    ["a".repeat(501), "The maximum is", 0],
  ])("%j", (pattern, message, start) =>
    expect(patternProblem(pattern)).toMatchObject({ message: expect.stringContaining(message), start }),
  );
});

/** Patterns with everything in the subset. */
const characters = fc.constantFrom(
  "a",
  "b",
  "ä",
  "😀",
  "1",
  "_",
  " ",
  "\\.",
  "\\d",
  "\\D",
  "\\w",
  "\\W",
  "\\s",
  "\\S",
  ".",
  "\\n",
  "\\\\",
  "\\{",
  "-",
  "&",
  "/",
);
const member = fc.constantFrom(
  "a",
  "a-c",
  "0-9",
  "ä",
  "😀-😎",
  "\\d",
  "\\w",
  "\\s",
  "\\]",
  "\\-",
  "\\^",
  ".",
  "*",
  "&&",
  "~~",
  ":",
);
const bracket = fc
  .tuple(fc.constantFrom("", "^"), fc.array(member, { minLength: 1, maxLength: 3 }))
  .map(([not, members]) => `[${not}${members.join("")}]`);
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    characters,
    bracket,
    fc
      .tuple(fc.oneof(characters, bracket), fc.constantFrom("*", "+", "?", "{2}", "{0,1}", "{1,3}", "{2,}", "*?"))
      .map((two) => two.join("")),
    tie("pattern").map((one) => `(${one})`),
    tie("pattern").map((one) => `(?:a${one})+`),
  ),
  pattern: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.array(tie("piece"), { maxLength: 4 }).map((pieces) => pieces.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map((two) => two.join("|")),
    tie("pattern").map((one) => `^${one}`),
    tie("pattern").map((one) => `${one}$`),
  ),
}));
const text = fc
  .array(
    fc.constantFrom("a", "b", "c", "ä", "😀", "😃", "1", "9", "_", " ", "\n", "\t", ".", "-", "\\", "{", "]", "^"),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

/**
 * The same pattern for JavaScript, where `.` and `
 * s` match more.
 */
function javascript(source: string): RegExp {
  let result = "";
  let inBracket = false;
  for (let at = 0; at < source.length; at++) {
    const one = source[at] ?? "";
    if (one === "\\") {
      const next = source[++at] ?? "";
      const blanks = "\\t\\n\\f\\r ";
      if (next === "s") result += inBracket ? blanks : `[${blanks}]`;
      else if (next === "S") result += `[^${blanks}]`;
      else result += one + next;
      continue;
    }
    if (one === "[") inBracket = true;
    if (one === "]") inBracket = false;
    result += one === "." && !inBracket ? "[^\\n]" : one === "/" ? "\\/" : one;
  }
  return new RegExp(result, "u");
}

test("property: matches are the same as those of JavaScript", () => {
  let runs = 0;
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, subjects) => {
      expect(patternProblem(source)).toBeNull();
      const compiled = compilePattern(source);
      for (const subject of subjects)
        expect(compiled.test(subject), JSON.stringify(subject)).toBe(javascript(source).test(subject));
      runs++;
    }),
    { numRuns: 3000, seed: 20_260_131 },
  );
  process.stdout.write(`${runs} patterns against JavaScript\n`);
});

test("property: no text throws, and matching ends in time", () => {
  const anything = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          "a",
          "(",
          ")",
          "[",
          "]",
          "*",
          "+",
          "?",
          "{",
          "}",
          "1",
          ",",
          "|",
          "^",
          "$",
          "\\",
          ".",
          "(?:",
          "-",
          "{9}",
          "{1,255}",
        ),
      )
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(anything, (source) => {
      const problem = patternProblem(source);
      if (problem === null) return compilePattern(source).test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!") !== null;
      expect(problem.start).toBeLessThanOrEqual(problem.end);
      expect(problem.end).toBeLessThanOrEqual(source.length);
      return true;
    }),
    { numRuns: 5000, seed: 1 },
  );
  const started = performance.now();
  expect(compilePattern("^(?:(?:a*)*)*b$").test("a".repeat(100_000))).toBe(false);
  expect(compilePattern("(?:a|a|a)+(?:a|a)+$").test(`${"a".repeat(100_000)}!`)).toBe(false);
  // The time is proportional to the text; a backtracking engine would never finish.
  expect(performance.now() - started).toBeLessThan(15_000);
});

describe("on Postgres", () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  test("property: matches are the same as those of Postgres", async () => {
    let runs = 0;
    const texts = fc.array(text, { minLength: 5, maxLength: 5 });
    const batch = fc.array(fc.tuple(pattern, texts), { minLength: 20, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(batch, async (pairs) => {
        const rows = pairs.flatMap(([source, subjects]) => subjects.map((subject) => ({ source, subject })));
        const { rows: answers } = await client.query<{ found: boolean }>(
          `select t.subject collate "C" ~ t.source as found from unnest($1::text[], $2::text[]) with ordinality as t(source, subject, at) order by at`,
          [rows.map(({ source }) => postgresPattern(source)), rows.map(({ subject }) => subject)],
        );
        for (const [at, { source, subject }] of rows.entries()) {
          expect(answers[at]?.found, JSON.stringify([source, subject])).toBe(compilePattern(source).test(subject));
          runs++;
        }
      }),
      { numRuns: 150, seed: 20_260_131 },
    );
    process.stdout.write(`${runs} matches against Postgres\n`);
  });

  test("the largest accepted pattern also works in Postgres", async () => {
    for (const source of [
      "(?:a{1,255}){1,3}",
      "(?:[a-z]{0,100}x){0,9}$",
      "(?:(?:a|b){1,22}){1,22}",
      `(?:${"a?".repeat(64)}){2}`,
    ]) {
      expect(patternProblem(source), source).toBeNull();
      await client.query(`select $1 collate "C" ~ $2`, ["ab".repeat(500), postgresPattern(source)]);
    }
  });
});

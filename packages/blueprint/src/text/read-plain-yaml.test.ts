// The law of the plain reader: everything that it reads, the YAML parser reads as the same syntax, node by node,
// without problems. It leaves everything else to the parser.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { diagnosticCatalogue } from "./diagnostic.ts";
import { parseYaml } from "./parse.ts";
import { readPlainYaml } from "./read-plain-yaml.ts";
import { createReport } from "./report.ts";

const ran = { read: 0, left: 0 };
afterAll(() => process.stdout.write(`plain YAML: ${ran.read} texts read, ${ran.left} left\n`));

const forms = `a: |
  x y
   z
b: >-
  one
  two
c: true
  and more
d:
  rule == 1
    || x
e:
- a: 1
  b: 'q'
- [x, {y: 2}]
- - n
  - m
f: # c

  g: .5
h:
i: ~
transition:publish: { from: [a, b], "to": c }
`;

const examples = ["market-square", "parcel-desk"].map((name) =>
  readFileSync(new URL(`../../../../docs/examples/${name}.yaml`, import.meta.url), "utf8"),
);
const guide = readFileSync(new URL("../../../../docs/blueprint/guide.md", import.meta.url), "utf8");
const inGuide = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map((block) => block[1] ?? "");
const rights = Object.values(diagnosticCatalogue).flatMap((kind) => [kind.right, kind.wrong]);

function holds(text: string): boolean {
  const plain = readPlainYaml(text);
  if (plain === null) {
    ran.left++;
    return false;
  }
  ran.read++;
  const report = createReport(text);
  expect(plain).toStrictEqual(parseYaml(text, report).root);
  // The diagnostic about characters that change the direction was already reported.
  expect(report.diagnostics().filter((one) => one.code !== "yaml_direction")).toEqual([]);
  return true;
}

test("the examples and the guide are read without the YAML parser", () => {
  for (const text of [...examples, ...inGuide]) expect(holds(text)).toBe(true);
});

test("every example of a diagnostic is read like with the YAML parser", () => {
  for (const text of rights) holds(text);
});

describe("the YAML parser reads the rest", () => {
  test.each([
    ["a key twice", "a: 1\na: 2\n"],
    ["an anchor", "a: &b 1\n"],
    ["an alias", "a: *b\n"],
    ["a tag", "a: !b 1\n"],
    ["a split call", "a: { b: decimal(10,2) }\n"],
    ["a type in brackets that splits", "a: { b: enum[c, d] }\n"],
    ["an escape", 'a: "\\u0041"\n'],
    ["a question", "a: b ? c : d\n"],
    ["a second document", "a: 1\n---\nb: 2\n"],
    ["a directive", "%YAML 1.1\n---\na: 1\n"],
    ["a tab", "a:\tb\n"],
    ["another line end", "a: b\r\n"],
    ["a mark of the byte order", "a: b\ufeff\n"],
    ["a comment within a rule", "a: b\n  # c\n  d\n"],
    ["a comment behind a rule's first line", "a: b # c\n  d\n"],
    ["a comment behind a rule's last line", "a: b\n  d # c\n"],
    ["an empty line within a rule", "a: b\n\n  d\n"],
    ["a list within a rule", "a: b\n  - d\n"],
    ["a key within a rule", "a: b\n  c: d\n"],
    ["lines behind quotes", "a: 'b'\n  c\n"],
    ["words behind quotes", "a: 'b' c\n"],
    ["words behind brackets", "a: [b] c\n"],
    ["a line further in", "a: 1\n  b: 2\n"],
    ["a line further out, but not enough", "a:\n    b: 1\n  c: 2\n"],
    ["a block whose lines are indented twice", "a: >\n  b\n    c\n"],
    ["a block with an empty line", "a: |\n  b\n\n  c\n"],
    ["a block that is not indented", "a: |\nb\n"],
    ["a block of the last line's half", "a: |\n  b"],
    ["an indicator behind a block's mark", "a: |2\n  b\n"],
    ["an empty member of a list", "a:\n  - \n  - b\n"],
    ["a member of a list that is a comment", "a:\n  - # c\n  - b\n"],
    ["a line further in behind a list's member", "a:\n  - [b]\n    c: d\n"],
    ["a mark in brackets", "a: [&b c]\n"],
    ["a call in brackets that is split over a key", "a: { b: f(c, d: e) }\n"],
    ["a text that is no map", "- a\n"],
    ["brackets over several lines", "a: [b,\n  c]\n"],
    ["nothing", ""],
  ])("%s", (_, text) => expect(readPlainYaml(text)).toBeNull());
});

const scraps = fc.constantFrom(
  ..."\n| |  |\n  |\n    |:|: |#| #| # c\n|- |-|{|}|[|]|,|'|\"|!|*|&|>|?|? |%|@|`|=|~|null|true|---\n|...\n|é|1|\n\n|a: b|a:b|  # c\n"
    .split("|")
    .concat(
      "|",
      "|-",
      ">-\n",
      ".",
      "0x1F",
      "-.inf",
      "- x",
      "\\",
      "''",
      '""',
      "  x\n",
      " || y",
      "&& z",
      "\u2028",
      "\u0085",
    ),
);
const edits = fc.array(
  fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), remove: fc.nat({ max: 5 }), insert: scraps }),
  { maxLength: 2 },
);

/** A few lines of a text, moved to the left. They are short, so that they are often still readable after an edit. */
function part(text: string, from: number, length: number): string {
  const all = text.split("\n");
  const lines = all.slice(Math.floor(from * all.length)).slice(0, length);
  const indent = Math.min(...lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)));
  return `${lines.map((line) => line.slice(Number.isFinite(indent) ? indent : 0)).join("\n")}\n`;
}

test("property: parts of blueprints, with random changes", { timeout: 60_000 }, () => {
  const texts = fc
    .record({
      text: fc.constantFrom(forms, ...examples, ...inGuide, ...rights),
      from: fc.double({ min: 0, max: 0.99, noNaN: true }),
      length: fc.integer({ min: 1, max: 8 }),
      edits,
    })
    .map(({ text, from, length, edits }) =>
      edits.reduce(
        (so, { at, remove, insert }) => {
          const offset = Math.floor(at * (so.length + 1));
          return so.slice(0, offset) + insert + so.slice(offset + remove);
        },
        part(text, from, length),
      ),
    );
  fc.assert(
    fc.property(texts, (text) => void holds(text)),
    { numRuns: 30_000, seed: 11 },
  );
  expect(ran.read).toBeGreaterThan(5_000);
});

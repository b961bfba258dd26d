// Reads the section `tests`. In: its syntax. Out: its declarations: users, rows and expectations, in which names are
// still words.

import { type MapEntry, type MapNode, type Node, type Word, wordOf } from "../text/syntax.ts";
import {
  expectBoolean,
  expectList,
  expectMap,
  expectText,
  expectWords,
  mapEntries,
  type Reader,
  refuseKey,
} from "./expect.ts";
import type {
  ExpectationDeclaration,
  TestRowDeclaration,
  TestsDeclaration,
  TestUserDeclaration,
  ValueDeclaration,
} from "./test-declaration.ts";

const testKeys: readonly string[] = ["users", "rows", "expect"];
const userKeys: readonly string[] = ["roles", "email", "organizations", "profile"];
const operationKeys: readonly string[] = ["read", "create", "update", "delete", "restore", "transition"];
const expectationKeys: readonly string[] = ["as", "list", "sees", ...operationKeys, "with", "allow"];

export function readTests(reader: Reader, node: Node): TestsDeclaration | null {
  const map = expectMap(reader, node, "`tests`");
  if (map === null) return null;
  let users: TestUserDeclaration[] = [];
  let rows: TestRowDeclaration[] = [];
  let expect: ExpectationDeclaration[] = [];
  for (const entry of map.entries) {
    switch (entry.key.text) {
      case "users":
        users = mapEntries(reader, entry.value, "`users`").map((one) => readUser(reader, one));
        break;
      case "rows":
        rows = mapEntries(reader, entry.value, "`rows`").flatMap((entity) =>
          mapEntries(reader, entity.value, `The rows of \`${entity.key.text}\``).map((row) => ({
            entity: wordOf(entity.key),
            name: wordOf(row.key),
            values: readValues(reader, row.value, `The row \`${row.key.text}\``),
          })),
        );
        break;
      case "expect":
        expect = (expectList(reader, entry.value, "`expect`")?.items ?? []).flatMap(
          (one) => readExpectation(reader, one) ?? [],
        );
        break;
      default:
        refuseKey(reader, entry, "`tests`", testKeys, []);
    }
  }
  return { range: map.range, users, rows, expect };
}

function readUser(reader: Reader, entry: MapEntry): TestUserDeclaration {
  const user: {
    name: Word;
    roles: Word[];
    email: Word | null;
    organizations: { organization: Word; role: Word }[];
    profile: ValueDeclaration[];
  } = { name: wordOf(entry.key), roles: [], email: null, organizations: [], profile: [] };
  if (entry.value.kind === "scalar" && entry.value.value === null) return user;
  for (const option of mapEntries(reader, entry.value, `The user \`${entry.key.text}\``)) {
    switch (option.key.text) {
      case "roles":
        user.roles = expectWords(reader, option.value, "`roles`");
        break;
      case "email":
        user.email = textWord(reader, option.value, "`email`");
        break;
      case "organizations":
        user.organizations = mapEntries(reader, option.value, "`organizations`").flatMap((one) => {
          const role = textWord(reader, one.value, "The role in an organization");
          return role === null ? [] : [{ organization: wordOf(one.key), role }];
        });
        break;
      case "profile":
        user.profile = readValues(reader, option.value, "`profile`");
        break;
      default:
        refuseKey(reader, option, "a user of the tests", userKeys, []);
    }
  }
  return user;
}

function readValues(reader: Reader, node: Node, what: string): ValueDeclaration[] {
  if (node.kind === "scalar" && node.value === null && !node.broken) return [];
  return mapEntries(reader, node, what).map((entry) => ({ field: wordOf(entry.key), value: entry.value }));
}

function textWord(reader: Reader, node: Node, what: string): Word | null {
  const scalar = expectText(reader, node, what);
  return scalar === null ? null : wordOf(scalar);
}

function readExpectation(reader: Reader, node: Node): ExpectationDeclaration | null {
  const map = expectMap(reader, node, "An expectation");
  if (map === null) return null;
  for (const entry of map.entries)
    if (!expectationKeys.includes(entry.key.text)) refuseKey(reader, entry, "an expectation", expectationKeys, []);
  const wordAt = (key: string): Word | null => {
    const entry = map.entries.find((one) => one.key.text === key);
    return entry === undefined ? null : textWord(reader, entry.value, `\`${key}\``);
  };
  const as = wordAt("as");
  const asked = readAsked(reader, map, wordAt);
  if (!map.entries.some((entry) => entry.key.text === "as"))
    reader.report.add("missing_key", map.range, "An expectation has no `as`.", "Write `as: public`, or a user's name.");
  return as === null || asked === null ? null : { range: map.range, as, asked };
}

function readAsked(
  reader: Reader,
  map: MapNode,
  wordAt: (key: string) => Word | null,
): ExpectationDeclaration["asked"] | null {
  const asking = map.entries.filter((one) => one.key.text === "list" || operationKeys.includes(one.key.text));
  const [first, second] = asking;
  if (first === undefined || second !== undefined) {
    const range = second?.key.range ?? map.range;
    const message =
      second === undefined ? "An expectation needs an operation." : "An expectation must have exactly one operation.";
    reader.report.add("invalid_test", range, message, "Write `list` and `sees`, or one operation and `allow`.");
    return null;
  }
  const isList = first.key.text === "list";
  const wanted = isList ? "sees" : "allow";
  const answer = map.entries.find((one) => one.key.text === wanted);
  for (const key of isList ? ["allow", "with"] : ["sees"]) {
    const stray = map.entries.find((one) => one.key.text === key);
    if (stray === undefined) continue;
    const message = `\`${key}\` has no effect on \`${first.key.text}\`.`;
    reader.report.add("invalid_test", stray.key.range, message, `Write \`${wanted}\`.`);
  }
  if (answer === undefined) {
    const hint = isList ? "Write `sees: [a, b]`." : "Write `allow: true` or `allow: false`.";
    reader.report.add("missing_key", first.key.range, `An expectation has no \`${wanted}\`.`, hint);
    return null;
  }
  const target = wordAt(first.key.text);
  if (isList) {
    const sees = expectList(reader, answer.value, "`sees`");
    if (target === null || sees === null) return null;
    return { kind: "list", entity: target, sees: expectWords(reader, sees, "`sees`") };
  }
  const sent = map.entries.find((one) => one.key.text === "with");
  const input = sent === undefined ? [] : readValues(reader, sent.value, "`with`");
  const allow = expectBoolean(reader, answer.value, "`allow`");
  if (target === null || allow === null) return null;
  return { kind: "allow", operation: wordOf(first.key), target, input, allow };
}

// Reads the views of an entity, or those at the top level. In: their syntax. Out: their declarations.
import { type Node, type Word, wordOf } from "../text/syntax.ts";
import type { ViewDeclaration } from "./declarations.ts";
import { expectMap, expectText, expectWords, mapEntries, type Reader, refuseKey } from "./expect.ts";
import { readLimit, readRules } from "./read-permissions.ts";

const viewKeys: readonly string[] = ["where", "sort", "limit"];

/** @param entity Null at the top level, where each view names its entity with `of`. */
export function readViews(reader: Reader, node: Node, entity: Word | null): ViewDeclaration[] {
  const keys = entity === null ? ["of", ...viewKeys] : viewKeys;
  return mapEntries(reader, node, "`views`").flatMap(({ key, value }): ViewDeclaration[] => {
    const body = expectMap(reader, value, `The view \`${key.text}\``, "Write `{ where: rule, sort: -created_at }`.");
    if (body === null) return [];
    let of: Word | null = entity;
    let where: ViewDeclaration["where"] | null = [];
    let sort: readonly Word[] = [];
    let limit: ViewDeclaration["limit"] = null;
    for (const option of body.entries) {
      switch (keys.includes(option.key.text) ? option.key.text : "") {
        case "of": {
          const scalar = expectText(reader, option.value, "`of`");
          of = scalar === null ? null : wordOf(scalar);
          break;
        }
        case "where":
          where = readRules(reader, option.value);
          break;
        case "sort":
          sort = expectWords(reader, option.value, "`sort`");
          break;
        case "limit":
          limit = readLimit(reader, option.value);
          break;
        default:
          refuseKey(reader, option, "a view", keys, []);
      }
    }
    if (of === null && !body.entries.some((option) => option.key.text === "of"))
      reader.report.add(
        "missing_key",
        key.range,
        `The view \`${key.text}\` has no \`of\`.`,
        "Name its entity: `of: article`.",
      );
    return of === null || where === null ? [] : [{ name: wordOf(key), of, where, sort, limit }];
  });
}

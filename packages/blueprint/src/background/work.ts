// Reads the section `work`. In: its syntax. Out: how long the records of background work are kept; null if the operator
// decides.
import { readRetention } from "../check/retention.ts";
import { expectMap, expectText, refuseKey } from "../declarations/expect.ts";
import type { Node } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";

const workKeys: readonly string[] = ["retention"];

export function readWork({ reader }: Pick<BackgroundContext, "reader">, node: Node): number | null {
  let days: number | null = null;
  for (const option of expectMap(reader, node, "`work`")?.entries ?? []) {
    if (option.key.text !== "retention") {
      refuseKey(reader, option, "`work`", workKeys, []);
      continue;
    }
    const text = expectText(reader, option.value, "`retention`");
    if (text !== null) days = readRetention(text, reader.report);
  }
  return days;
}

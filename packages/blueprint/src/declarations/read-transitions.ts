// Reads `transitions` of an entity. In: their syntax. Out: for each field an initial value and transitions, in which
// names are still words. It knows the keys of a transition; `check/entities/transitions.ts` checks states and fields.

import { type MapEntry, type Node, type Word, wordOf } from "../text/syntax.ts";
import type { EdgeDeclaration, RuleDeclaration, TransitionsDeclaration } from "./declarations.ts";
import { expectMap, expectText, expectWords, mapEntries, type Reader, refuseKey } from "./expect.ts";
import { readRules } from "./read-permissions.ts";

const edgeKeys: readonly string[] = ["from", "to", "roles", "when", "require", "emit"];

export function readTransitions(reader: Reader, node: Node): TransitionsDeclaration[] {
  return mapEntries(reader, node, "`transitions`").map((entry) => {
    const field = wordOf(entry.key);
    let initial: Word | null = null;
    const edges: EdgeDeclaration[] = [];
    let complete = true;
    for (const one of mapEntries(reader, entry.value, `The transitions of \`${field.text}\``)) {
      if (one.key.text === "initial") {
        const text = expectText(reader, one.value, "`initial`");
        initial = text === null ? null : wordOf(text);
      } else {
        const edge = readEdge(reader, one);
        if (edge === null) complete = false;
        else edges.push(edge);
      }
    }
    return { field, initial, edges, complete };
  });
}

function readEdge(reader: Reader, entry: MapEntry): EdgeDeclaration | null {
  const map = expectMap(reader, entry.value, `The transition \`${entry.key.text}\``);
  if (map === null) return null;
  let from: Word[] = [];
  let to: Word | null = null;
  let roles: Word[] | null = null;
  let when: RuleDeclaration[] | null = null;
  let require: Word[] = [];
  let emit: Word | null = null;
  for (const option of map.entries) {
    switch (option.key.text) {
      case "from":
        from = expectWords(reader, option.value, "`from`");
        break;
      case "to": {
        const text = expectText(reader, option.value, "`to`");
        to = text === null ? null : wordOf(text);
        break;
      }
      case "roles":
        roles = expectWords(reader, option.value, "`roles`");
        break;
      case "when":
        when = readRules(reader, option.value);
        break;
      case "require":
        require = expectWords(reader, option.value, "`require`");
        break;
      case "emit": {
        const text = expectText(reader, option.value, "`emit`");
        emit = text === null ? null : wordOf(text);
        break;
      }
      default:
        refuseKey(reader, option, "a transition", edgeKeys, []);
    }
  }
  return {
    name: wordOf(entry.key),
    from,
    to,
    roles,
    when,
    require,
    emit,
    keys: map.entries.map((one) => one.key.text),
  };
}

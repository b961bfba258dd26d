// In: the section `actions`. Out: its parts: the project's own operations, each with input, output, permissions and steps.

import { checkRole } from "../check/permissions.ts";
import { checkRules } from "../check/rule-source.ts";
import { expectMap, mapEntries, refuseKey } from "../expect.ts";
import { recordSchema } from "../expression-schema.ts";
import type { Field, JsonValue } from "../model.ts";
import type { BackgroundPart } from "../model-background.ts";
import { createPlaces } from "../places.ts";
import { readRules } from "../read-permissions.ts";
import { entryOf, type MapEntry, type MapNode, type Node, wordOf } from "../syntax.ts";
import { type BackgroundContext, canonical, distinct } from "./context.ts";
import { readWord } from "./durations.ts";
import { readPayload } from "./payload.ts";
import { readSteps } from "./steps.ts";

const actionKeys: readonly string[] = ["input", "output", "permissions", "steps", "mode"];

export function readActions(context: BackgroundContext, node: Node): readonly BackgroundPart[] {
  const { reader } = context;
  return mapEntries(reader, node, "`actions`").flatMap((entry) => {
    const { text, range } = entry.key;
    if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(text) || text.length > 60)
      reader.report.add(
        "invalid_name",
        range,
        `\`${text.slice(0, 60)}\` can't name an action.`,
        "Lower-case words joined by hyphens: `publish-video`.",
      );
    const map = expectMap(reader, entry.value, `The action \`${text}\``);
    return map === null ? [] : [readAction(context, entry, map)];
  });
}

function readAction(context: BackgroundContext, { key }: MapEntry, map: MapNode): BackgroundPart {
  const { reader } = context;
  const action: Record<string, JsonValue | null> = { mode: "sync" };
  const inputNode = entryOf(map, "input");
  const input = inputNode === undefined ? null : readPayload(context, inputNode.value, "`input`");
  action["input"] = input?.notations ?? null;
  let egress: BackgroundPart["egress"] = [];
  for (const option of map.entries) {
    const name = option.key.text;
    switch (name) {
      case "input":
        break;
      case "output":
        action[name] = readPayload(context, option.value, "`output`").notations;
        break;
      case "permissions":
        action[name] = readPermissions(context, option.value, input?.fields ?? []);
        break;
      case "steps": {
        const read = readSteps(context, option.value, { entity: null, known: new Set(), depth: 0 });
        action[name] = read.steps;
        egress = read.egress;
        break;
      }
      case "mode":
        action[name] = readWord(reader, option, ["sync", "async"]);
        break;
      default:
        refuseKey(reader, option, "an action", actionKeys, []);
    }
  }
  if (entryOf(map, "steps") === undefined)
    reader.report.add("missing_key", key.range, `The action \`${key.text}\` does nothing.`, "Write `steps:`.");
  return { name: key.text, declaration: canonical(action), egress: distinct(egress) };
}

/** Role > rule. A rule sees `input`, the user and the request: what is sent is all that there is of a record. */
function readPermissions(context: BackgroundContext, node: Node, input: readonly Field[]): JsonValue | null {
  const { reader, roles } = context;
  const permissions: Record<string, JsonValue> = {};
  const sent = recordSchema({ name: "input", fields: input, relations: [] });
  const schema = { ...context.schema, records: new Map([...context.schema.records, [sent.name, sent]]) };
  for (const entry of mapEntries(reader, node, "`permissions`")) {
    checkRole(wordOf(entry.key), roles, reader.report);
    const rules = readRules(reader, entry.value);
    if (rules === null) continue;
    const places = createPlaces(reader.source);
    checkRules(
      rules,
      [],
      { record: "input", operation: "create" },
      {
        schema,
        source: reader.source,
        report: reader.report,
        places,
        rulesUsed: context.rulesUsed,
        modules: context.modules,
        isBroken: () => false,
      },
    );
    permissions[entry.key.text] = rules.map((rule) => rule.source);
  }
  return canonical(permissions);
}

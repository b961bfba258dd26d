// Reads the section `actions`. In: its syntax. Out: the project's own operations, each with input, output, permissions
// and steps.
import type { Expression, ValueShape } from "@plinth/expression";
import { checkRole } from "../check/permissions/permissions.ts";
import { checkRules } from "../check/permissions/rule-source.ts";
import { expectMap, mapEntries, refuseKey } from "../declarations/expect.ts";
import { readRules } from "../declarations/read-permissions.ts";
import type { Action } from "../model/background.ts";
import type { Field } from "../model/model.ts";
import { recordSchema } from "../rules/expression-schema.ts";
import { entryOf, type MapEntry, type MapNode, type Node, wordOf } from "../text/syntax.ts";
import { type BackgroundContext, distinct } from "./context.ts";
import { readWord } from "./durations.ts";
import { readPayload } from "./payload.ts";
import { readSteps } from "./steps.ts";
import { readTemplate } from "./templates.ts";
import { fieldsShape, runShape } from "./work-scope.ts";

const actionKeys: readonly string[] = ["input", "output", "permissions", "steps", "mode"];

export function readActions(context: BackgroundContext, node: Node): readonly Action[] {
  const { reader } = context;
  return mapEntries(reader, node, "`actions`").flatMap((entry) => {
    const { text, range } = entry.key;
    if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(text) || text.length > 60)
      reader.report.add(
        "invalid_name",
        range,
        `\`${text.slice(0, 60)}\` is not a valid name for an action.`,
        "Use lower-case words joined by hyphens: `publish-video`.",
      );
    const map = expectMap(reader, entry.value, `The action \`${text}\``);
    return map === null ? [] : [readAction(context, entry, map)];
  });
}

function readAction(context: BackgroundContext, { key }: MapEntry, map: MapNode): Action {
  const { reader } = context;
  for (const option of map.entries)
    if (!actionKeys.includes(option.key.text)) refuseKey(reader, option, "an action", actionKeys, []);
  const [sent, granted, body, output, mode] = ["input", "permissions", "steps", "output", "mode"].map((name) =>
    entryOf(map, name),
  );
  const input = sent === undefined ? [] : readPayload(context, sent.value, "`input`");
  if (body === undefined)
    reader.report.add("missing_key", key.range, `The action \`${key.text}\` has no steps.`, "Write `steps:`.");
  const place = {
    entity: null,
    rows: [],
    roots: new Map([
      ["input", fieldsShape(input)],
      ["run", runShape],
    ]),
    user: true,
  };
  const outputs = new Map<string, ValueShape>();
  const isAsync = mode !== undefined && readWord(reader, mode, ["sync", "async"]) === "async";
  if (isAsync) refuseSecrets(context, sent, input);
  const names = { ids: new Set<string>(), given: new Set<string>() };
  const scope = { place, outputs, ...names, retry: null, inAction: true, inTransaction: !isAsync, depth: 0 };
  const access = granted === undefined ? {} : readPermissions(context, granted.value, input);
  if (granted === undefined || (granted.value.kind === "map" && granted.value.entries.length === 0))
    reader.report.add(
      "action_without_caller",
      granted?.key.range ?? key.range,
      `Nobody can call the action \`${key.text}\`: it has no permissions.`,
      "List the roles that can call it: `permissions: { user: true }`.",
    );
  const read = body === undefined ? { steps: [], egress: [] } : readSteps(context, body.value, scope);
  return {
    name: key.text,
    input,
    output: output === undefined ? null : readTemplate(context, output.value, { ...place, steps: outputs }),
    access,
    steps: read.steps,
    mode: isAsync ? "async" : "sync",
    egress: distinct(read.egress),
  };
}

/** A run is stored with its input, but a secret is only stored in its own field. */
function refuseSecrets({ reader }: BackgroundContext, sent: MapEntry | undefined, input: readonly Field[]): void {
  if (sent?.value.kind !== "map") return;
  for (const { name } of input.filter((field) => field.type.kind === "secret")) {
    const entry = entryOf(sent.value, name);
    if (entry === undefined) continue;
    const message = `\`${name}\` is a secret, but an \`async\` action stores its input until the run ends.`;
    reader.report.add("invalid_option", entry.key.range, message, "Use secrets only in an action with `mode: sync`.");
  }
}

/** Role > rule. A rule can use `input`, the user and the request. The input takes the place of the record. */
function readPermissions(context: BackgroundContext, node: Node, input: readonly Field[]): Action["access"] {
  const { reader, roles } = context;
  const access = new Map<string, Expression>();
  const sent = recordSchema({ name: "input", fields: input, relations: [] });
  const schema = { ...context.schema, records: new Map([...context.schema.records, [sent.name, sent]]) };
  for (const entry of mapEntries(reader, node, "`permissions`")) {
    checkRole(wordOf(entry.key), roles, reader.report);
    const rules = readRules(reader, entry.value);
    if (rules === null) continue;
    const rule = checkRules(
      rules,
      [],
      { record: "input", operation: "create" },
      {
        schema,
        source: reader.source,
        report: reader.report,
        places: context.places,
        rulesUsed: context.rulesUsed,
        modules: context.modules,
        isBroken: () => false,
      },
    );
    if (rule !== null) access.set(entry.key.text, rule);
  }
  return Object.fromEntries([...access].sort(([a], [b]) => (a < b ? -1 : 1)));
}

// Reads the section `integrations`. In: its syntax. Out: the connectors that the project uses. Secrets are stored in
// connections, never here.
import { connectorManifests } from "@plinth/connectors/manifests";
import { expectMap, expectText, mapEntries, refuseKey } from "../declarations/expect.ts";
import type { BackgroundPart } from "../model/background.ts";
import type { JsonValue } from "../model/model.ts";
import { suggestFor } from "../text/suggestions.ts";
import { entryOf, type MapEntry, type MapNode, type Node } from "../text/syntax.ts";
import { type BackgroundContext, type Connection, canonical } from "./context.ts";
import { checkPartName } from "./part-name.ts";
import { integrationKinds } from "./providers.ts";

const INTEGRATIONS_MAX = 200;
const integrationKeys: readonly string[] = ["kind", "provider", "help"];

/** The connections in the section, as written. */
export function namedConnections(node: Node | undefined): readonly Connection[] {
  const entries = node?.kind === "map" ? node.entries.slice(0, INTEGRATIONS_MAX) : [];
  return entries.map(({ key, value }) => {
    const textAt = (name: string): string => {
      const found = value.kind === "map" ? entryOf(value, name)?.value : undefined;
      return found?.kind === "scalar" ? found.text : "";
    };
    return { name: key.text, kind: textAt("kind"), provider: textAt("provider") };
  });
}

export function readIntegrations(context: BackgroundContext, node: Node): readonly BackgroundPart[] {
  const entries = mapEntries(context.reader, node, "`integrations`");
  const over = entries[INTEGRATIONS_MAX];
  if (over !== undefined)
    context.reader.report.add(
      "too_many",
      over.key.range,
      `A blueprint can have at most ${INTEGRATIONS_MAX} integrations.`,
    );
  return entries.slice(0, INTEGRATIONS_MAX).flatMap((entry) => {
    checkPartName(entry.key, "an integration", context);
    const map = expectMap(context.reader, entry.value, `The integration \`${entry.key.text}\``);
    return map === null ? [] : [readIntegration(context, entry, map)];
  });
}

function readIntegration({ reader }: BackgroundContext, { key }: MapEntry, map: MapNode): BackgroundPart {
  const integration: Record<string, JsonValue | null> = {};
  const kinds = Object.keys(integrationKinds);
  const kindNode = entryOf(map, "kind")?.value;
  const kind = kindNode === undefined ? null : expectText(reader, kindNode, "`kind`");
  const isKnown = kind !== null && Object.hasOwn(integrationKinds, kind.text);
  if (kind !== null && !isKnown) {
    const hint = suggestFor(kind.text, kinds, reader.report) ?? `Known kinds: ${kinds.join(", ")}.`;
    reader.report.add("invalid_option", kind.range, `\`${kind.text}\` is not a known \`kind\`.`, hint);
  }
  integration["kind"] = kind?.text ?? null;
  for (const option of map.entries) {
    const name = option.key.text;
    if (name === "provider") {
      const provider = expectText(reader, option.value, "`provider`");
      const known = isKnown ? (integrationKinds[kind.text] ?? []) : [];
      if (provider !== null && isKnown && !known.includes(provider.text)) {
        const hint = suggestFor(provider.text, known, reader.report) ?? `Known providers: ${known.join(", ")}.`;
        reader.report.add(
          "invalid_option",
          provider.range,
          `\`${provider.text}\` is not a known \`provider\` for this kind.`,
          hint,
        );
      }
      if (provider !== null && isKnown && known.includes(provider.text) && !connectorManifests.has(provider.text))
        reader.report.add(
          "section_not_served",
          provider.range,
          `\`${provider.text}\` isn't available yet, so this integration is ignored.`,
        );
      integration[name] = provider?.text ?? null;
    } else if (name === "help") integration[name] = expectText(reader, option.value, "`help`")?.text ?? null;
    else if (name !== "kind") refuseKey(reader, option, "an integration", integrationKeys, []);
  }
  for (const needed of ["kind", "provider"])
    if (entryOf(map, needed) === undefined)
      reader.report.add(
        "missing_key",
        key.range,
        `The integration \`${key.text}\` has no \`${needed}\`.`,
        "For example `{ kind: parcel, provider: easypost }`.",
      );
  const egress = kind?.text === "model" ? "model" : kind?.text === "email" ? "email" : "http";
  return { name: key.text, declaration: canonical(integration), egress: [{ to: egress, entity: null }] };
}

// Compares background parts. In: the parts of two models, with entities in the same words. Out: the changes between
// them, including data that newly leaves the project, with its destination.

import type {
  Action,
  Background,
  BackgroundPart,
  DeclaredEvent,
  Egress,
  EmailTemplate,
  Schedule,
  Workflow,
} from "../model/background.ts";
import { printBackground } from "../model/print-background.ts";
import { diffAccounts } from "./accounts.ts";
import { actionGain } from "./action.ts";
import { addressesIn } from "./addresses.ts";
import type { Change, ChangeClass, Witness } from "./change.ts";
import { changeOf, named, same } from "./make-change.ts";
import { diffOutbound } from "./outbound.ts";

/** Section > the word for one part of it. */
const sections = {
  events: "event",
  workers: "worker",
  workflows: "workflow",
  schedules: "schedule",
  actions: "action",
  inboundWebhooks: "inbound webhook",
  integrations: "integration",
  emails: "e-mail template",
} as const;
type Section = keyof typeof sections;

type Part = DeclaredEvent | EmailTemplate | Workflow | Schedule | Action | BackgroundPart;

/** A part with its path in a blueprint. */
interface Placed {
  readonly part: Part;
  readonly path: string;
  readonly noun: string;
  readonly section: Section;
}

/** @param hadWebhooks Whether endpoints could receive events before, even without a section that says which. */
export function diffBackground(before: Background, after: Background, hadWebhooks: boolean): Change[] {
  const [old, now] = [placesOf(before), placesOf(after)];
  const parts = [
    ...[...old.values()].map(({ part }) => part),
    ...(before.outboundWebhooks === null ? [] : [before.outboundWebhooks]),
  ];
  const left = new Set(parts.flatMap((part) => egressOf(part).map(leaving)));
  const changes: Change[] = [];
  for (const [path, placed] of now) {
    const was = old.get(path);
    if (was === undefined) changes.push(added(placed, left));
    else if (!same(withoutOrder(was.part), withoutOrder(placed.part))) changes.push(changed(was, placed, left));
  }
  for (const [path, placed] of old) if (!now.has(path)) changes.push(removed(placed));
  return [
    ...changes,
    ...diffOutbound(before.outboundWebhooks, after.outboundWebhooks, hadWebhooks),
    ...diffRetention(before.retentionDays, after.retentionDays),
    ...diffAccounts(before, after),
  ];
}

/** With a shorter time, records are deleted sooner. The operator's time isn't known here. */
function diffRetention(before: number | null, after: number | null): Change[] {
  // Models that older versions stored don't have it.
  if ((before ?? null) === (after ?? null)) return [];
  const isSooner = after !== null && (before === null || after < before);
  const kept = (days: number | null): string => (days === null ? "as long as the operator allows" : `${days} days`);
  return [
    changeOf({
      kind: "background_changed",
      path: "work.retention",
      summary: `Events and finished runs are kept ${kept(after)}, instead of ${kept(before)}.`,
      classes: [isSooner ? "destructive" : "safe"],
      before: before ?? undefined,
      after: after ?? undefined,
    }),
  ];
}

function withoutOrder(part: Part): unknown {
  return { content: contentOf(part), egress: egressOf(part).map(leaving).sort() };
}

/** What a part declares, by its name only. */
function contentOf(part: Part): unknown {
  if ("declaration" in part) return part.declaration;
  const { name: _, ...content } = part;
  if (!("egress" in content)) return content;
  const { egress: __, ...declared } = content;
  return declared;
}

function shown(part: Part): unknown {
  return "declaration" in part ? part.declaration : printBackground(contentOf(part));
}

function egressOf(part: Part): readonly Egress[] {
  return "egress" in part ? part.egress : [];
}

function placesOf(background: Background): Map<string, Placed> {
  const placed = (section: Section): Placed[] =>
    (background[section] ?? []).map((part) => ({
      part,
      path: `${pathOf(section)}.${part.name}`,
      noun: sections[section],
      section,
    }));
  const all: Placed[] = (Object.keys(sections) as Section[]).flatMap(placed);
  return new Map(all.map((one) => [one.path, one]));
}

function pathOf(section: Section): string {
  return section === "inboundWebhooks" ? "webhooks.in" : section;
}

function leaving({ to, entity, host }: Egress): string {
  return `${to} ${entity ?? ""} ${host ?? ""}`;
}

const receivers: Readonly<Record<string, string>> = {
  webhook: "a webhook",
  email: "an e-mail",
  http: "another service",
  model: "a language model",
};

function newlyLeaving(part: Part, left: ReadonlySet<string>): Egress[] {
  return egressOf(part).filter((one) => !left.has(leaving(one)));
}

function egressText(egress: readonly Egress[]): string {
  const parts = egress.map(({ to, entity, host }) => {
    const what = entity === null ? "Data" : `Data of \`${entity}\``;
    return `${what} now reaches ${host === undefined ? (receivers[to] ?? `\`${to}\``) : `\`${host}\``}`;
  });
  return parts.length === 0 ? "" : ` ${[...new Set(parts)].join(". ")}.`;
}

function added(placed: Placed, left: ReadonlySet<string>): Change {
  const { part, path, noun } = placed;
  const egress = newlyLeaving(part, left);
  const witness = witnessOf(null, placed);
  return changeOf({
    kind: "background_added",
    path,
    summary: `Add the ${noun} \`${part.name}\`.${egressText(egress)}`,
    classes: [...widening(egress), ...(witness === null ? [] : (["loosens_access"] as const))],
    after: shown(part),
    witness,
  });
}

/** Data for a new address goes to a new receiver, whatever the data is. */
function changed(before: Placed, placed: Placed, left: ReadonlySet<string>): Change {
  const { part, path, noun, section } = placed;
  const egress = newlyLeaving(part, left);
  const known = new Set(addressesIn(contentOf(before.part)));
  const addresses = egressOf(part).length === 0 ? [] : addressesIn(contentOf(part)).filter((one) => !known.has(one));
  const toNew = addresses.length === 0 ? "" : ` Data now goes to ${named(addresses)}.`;
  const witness = witnessOf(before.part, placed);
  return changeOf({
    kind: "background_changed",
    path,
    summary: `Change the ${noun} \`${part.name}\`.${egressText(egress)}${toNew}`,
    classes: [
      ...widening(egress),
      ...(addresses.length > 0 ? (["widens_egress"] as const) : []),
      ...(witness === null ? [] : (["loosens_access"] as const)),
      ...(section === "actions" || section === "inboundWebhooks" ? (["breaking"] as const) : []),
    ],
    before: shown(before.part),
    after: shown(part),
    witness,
  });
}

function removed({ part, path, noun }: Placed): Change {
  return changeOf({
    kind: "background_removed",
    path,
    summary: `Remove the ${noun} \`${part.name}\`.`,
    classes: ["breaking"],
    before: shown(part),
  });
}

function widening(egress: readonly Egress[]): readonly ChangeClass[] {
  return egress.length === 0 ? [] : ["widens_egress"];
}

/** The verification of inbound webhooks can't be compared, so a changed one counts as accepting more. */
function witnessOf(before: Part | null, { part, section }: Placed): Witness | null {
  if (section === "actions") return actionGain(before as Action | null, part as Action);
  if (section !== "inboundWebhooks" || before === null) return null;
  if (same(memberOf(contentOf(before), "verify"), memberOf(contentOf(part), "verify"))) return null;
  const summary = `It can't be decided whether the change of \`${part.name}\` gives somebody new rights, so it counts as if it did.`;
  return { role: "public", operation: "create", entity: part.name, decided: false, summary, record: null };
}

function memberOf(declaration: unknown, name: string): unknown {
  if (declaration === null || typeof declaration !== "object") return null;
  return Object.hasOwn(declaration, name) ? (declaration as Readonly<Record<string, unknown>>)[name] : null;
}

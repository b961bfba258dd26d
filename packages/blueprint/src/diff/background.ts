// Compares background parts. In: two models, with entities in the same words. Out: the changes between their parts,
// with what the parts newly do with the rights of the service, and the data that newly leaves the project. A part that
// didn't change itself also has a change if it does more because of another.

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
import { emptyBackground } from "../model/background.ts";
import type { Model, Operation } from "../model/model.ts";
import { printBackground } from "../model/print-background.ts";
import { diffAccounts } from "./accounts.ts";
import { breaksCallers, newCaller } from "./action.ts";
import { addressesIn } from "./addresses.ts";
import type { Change, ChangeClass, Witness } from "./change.ts";
import { type Comparing, compareEffects, type Finding } from "./effects/compare-effects.ts";
import { wordsOfEffects, wordsOfLeaving } from "./effects/words.ts";
import { changeOf, named, same } from "./make-change.ts";
import { diffOutbound } from "./outbound.ts";
import { diffPayloads } from "./payloads.ts";

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

/** @param before Null if nothing is live: then only data that leaves counts. */
export function diffBackground(before: Model | null, after: Model, comparing: Comparing): Change[] {
  const was = before?.background ?? emptyBackground;
  const is = after.background;
  const [old, now] = [placesOf(was), placesOf(is)];
  const parts = [
    ...[...old.values()].map(({ part }) => part),
    ...(was.outboundWebhooks === null ? [] : [was.outboundWebhooks]),
  ];
  const left = new Set(parts.flatMap((part) => egressOf(part).map(leaving)));
  const found = Map.groupBy(compareEffects(before, after, comparing), ({ effect }) => effect.path);
  const changes: Change[] = [];
  for (const [path, placed] of now) {
    const own = old.get(path);
    const findings = found.get(path) ?? [];
    if (own === undefined) changes.push(added(placed, findings, left));
    else if (!same(withoutOrder(own.part), withoutOrder(placed.part)))
      changes.push(changed(own, placed, findings, left));
    else if (findings.length > 0) changes.push(widened(placed, findings));
  }
  for (const [path, placed] of old) if (!now.has(path)) changes.push(removed(placed));
  return [
    ...changes,
    ...diffOutbound(was.outboundWebhooks, is.outboundWebhooks, before?.modules.includes("webhooks") ?? false),
    ...diffRetention(was.retentionDays, is.retentionDays),
    ...diffAccounts(was, is),
    ...diffPayloads(was.events, is.events),
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

/** Of a declaration. What leaves through steps is found in the steps. */
function egressOf(part: Part): readonly Egress[] {
  return "declaration" in part ? part.egress : [];
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

function added(placed: Placed, findings: readonly Finding[], left: ReadonlySet<string>): Change {
  const { part, path, noun } = placed;
  const egress = newlyLeaving(part, left);
  const { text, classes, witness } = effectOf(null, placed, findings);
  return changeOf({
    kind: "background_added",
    path,
    summary: `Add the ${noun} \`${part.name}\`.${egressText(egress)}${text}`,
    classes: [...widening(egress), ...classes],
    after: shown(part),
    witness,
  });
}

/** Data of a declaration for a new address goes to a new receiver, whatever the data is. */
function changed(before: Placed, placed: Placed, findings: readonly Finding[], left: ReadonlySet<string>): Change {
  const { part, path, noun } = placed;
  const egress = newlyLeaving(part, left);
  const known = new Set(addressesIn(contentOf(before.part)));
  const sends = "declaration" in part && part.egress.length > 0;
  const addresses = sends ? addressesIn(contentOf(part)).filter((one) => !known.has(one)) : [];
  const toNew = addresses.length === 0 ? "" : ` Data now goes to ${named(addresses)}.`;
  const { text, classes, witness } = effectOf(before.part, placed, findings);
  return changeOf({
    kind: "background_changed",
    path,
    summary: `Change the ${noun} \`${part.name}\`.${egressText(egress)}${toNew}${text}`,
    classes: [
      ...widening(egress),
      ...(addresses.length > 0 ? (["widens_egress"] as const) : []),
      ...classes,
      ...(isBreaking(before.part, placed) ? (["breaking"] as const) : []),
    ],
    before: shown(before.part),
    after: shown(part),
    witness,
  });
}

/** The part is the same, but something else lets it do more: a rule, a field, a schedule, a template. */
function widened(placed: Placed, findings: readonly Finding[]): Change {
  const { part, path, noun } = placed;
  const { text, classes, witness } = effectOf(part, placed, findings);
  return changeOf({
    kind: "background_widened",
    path,
    summary: `The ${noun} \`${part.name}\` does more, because of another change.${text}`,
    classes,
    witness,
  });
}

function isBreaking(before: Part, { part, section }: Placed): boolean {
  return section === "inboundWebhooks" || (section === "actions" && breaksCallers(before as Action, part as Action));
}

interface Effects {
  /** The sentences about data that leaves. */
  readonly text: string;
  readonly classes: readonly ChangeClass[];
  /** Its sentences are about everything else. */
  readonly witness: Witness | null;
}

function effectOf(before: Part | null, placed: Placed, findings: readonly Finding[]): Effects {
  const out = findings.filter(({ effect }) => effect.act.kind === "leave");
  const acts = findings.filter(({ effect }) => effect.act.kind !== "leave");
  const [first] = acts;
  const witness = first === undefined ? verificationGain(before, placed) : witnessOf(before, placed, [first, ...acts]);
  return {
    text: out.length === 0 ? "" : ` ${wordsOfLeaving(out)}`,
    classes: [
      ...(out.length === 0 ? [] : (["widens_egress"] as const)),
      ...(witness === null ? [] : (["loosens_access"] as const)),
    ],
    witness,
  };
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

function witnessOf(before: Part | null, { part, section }: Placed, acts: readonly [Finding, ...Finding[]]): Witness {
  const caller = section === "actions" ? newCaller(before as Action | null, part as Action) : null;
  const decided = acts.some(({ reach }) => reach !== "undecided");
  const words = wordsOfEffects(acts);
  if (caller !== null) return { ...caller, decided, summary: `${caller.summary} ${words}` };
  const [{ effect, causers }] = acts;
  const { act } = effect;
  const entity = "entity" in act ? act.entity : part.name;
  const record = decided ? {} : null;
  return { role: causers[0] ?? "admin", operation: operationOf(effect), entity, decided, summary: words, record };
}

function operationOf({ act }: Finding["effect"]): Operation {
  if (act.kind === "transition") return `transition:${act.edge}`;
  if (act.kind === "show") return "read";
  return act.kind === "update" || act.kind === "delete" ? act.kind : "create";
}

/** The verification of inbound webhooks can't be compared, so a changed one counts as accepting more. */
function verificationGain(before: Part | null, { part, section }: Placed): Witness | null {
  if (section !== "inboundWebhooks" || before === null) return null;
  if (same(memberOf(contentOf(before), "verify"), memberOf(contentOf(part), "verify"))) return null;
  const summary = `It can't be decided whether the change of \`${part.name}\` gives somebody new rights, so it counts as if it did.`;
  return { role: "public", operation: "create", entity: part.name, decided: false, summary, record: null };
}

function memberOf(declaration: unknown, name: string): unknown {
  if (declaration === null || typeof declaration !== "object") return null;
  return Object.hasOwn(declaration, name) ? (declaration as Readonly<Record<string, unknown>>)[name] : null;
}

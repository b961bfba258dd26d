// In: the background parts of two models, entities in the same words. Out: the changes between them. Data that newly leaves
// the project is told, and where to; what runs them is no business of this file.
import type { Change, ChangeClass, Witness } from "./change.ts";
import { changeOf, named, same } from "./diff-change.ts";
import type { JsonValue } from "./model.ts";
import type { Background, BackgroundPart } from "./model-background.ts";

/** Section > what one part of it is called. */
const sections = {
  events: "event",
  workers: "worker",
  workflows: "workflow",
  schedules: "schedule",
  actions: "action",
  inboundWebhooks: "inbound webhook",
  integrations: "integration",
} as const;
type Section = keyof typeof sections;

/** A part under the path that it has in a blueprint. */
interface Placed {
  readonly part: BackgroundPart;
  readonly path: string;
  readonly noun: string;
  readonly section: Section | "outboundWebhooks";
}

export function diffBackground(before: Background, after: Background): Change[] {
  const [old, now] = [placesOf(before), placesOf(after)];
  const left = new Set([...old.values()].flatMap(({ part }) => part.egress.map(leaving)));
  const changes: Change[] = [];
  for (const [path, placed] of now) {
    const was = old.get(path);
    if (was === undefined) changes.push(added(placed, left));
    else if (!same(withoutOrder(was.part), withoutOrder(placed.part))) changes.push(changed(was, placed, left));
  }
  for (const [path, placed] of old) if (!now.has(path)) changes.push(removed(placed));
  return changes;
}

function withoutOrder({ declaration, egress }: BackgroundPart): unknown {
  return { declaration, egress: egress.map(leaving).sort() };
}

function placesOf(background: Background): Map<string, Placed> {
  const placed = (section: Section): Placed[] =>
    background[section].map((part) => ({
      part,
      path: `${pathOf(section)}.${part.name}`,
      noun: sections[section],
      section,
    }));
  const all: Placed[] = (Object.keys(sections) as Section[]).flatMap(placed);
  const out = background.outboundWebhooks;
  if (out !== null)
    all.push({ part: out, path: "webhooks.out", noun: "outbound webhook", section: "outboundWebhooks" });
  return new Map(all.map((one) => [one.path, one]));
}

function pathOf(section: Section): string {
  return section === "inboundWebhooks" ? "webhooks.in" : section;
}

type Egress = BackgroundPart["egress"][number];

function leaving({ to, entity }: Egress): string {
  return `${to} ${entity ?? ""}`;
}

const receivers: Readonly<Record<string, string>> = {
  webhook: "a webhook",
  email: "an e-mail",
  http: "another service",
  model: "a language model",
};

function newlyLeaving(part: BackgroundPart, left: ReadonlySet<string>): Egress[] {
  return part.egress.filter((one) => !left.has(leaving(one)));
}

function told(egress: readonly Egress[]): string {
  const parts = egress.map(({ to, entity }) => {
    const what = entity === null ? "Data" : `Data of \`${entity}\``;
    return `${what} newly reaches ${receivers[to] ?? `\`${to}\``}`;
  });
  return parts.length === 0 ? "" : ` ${[...new Set(parts)].join(". ")}.`;
}

function added({ part, path, noun, section }: Placed, left: ReadonlySet<string>): Change {
  const egress = newlyLeaving(part, left);
  const opens = section === "actions" && grantsOf(part.declaration) !== null;
  return changeOf({
    kind: "background_added",
    path,
    summary: `Add the ${noun} \`${part.name}\`.${told(egress)}`,
    classes: [...widening(egress), ...(opens ? (["loosens_access"] as const) : [])],
    after: part.declaration,
    witness: opens ? actionWitness(part) : null,
  });
}

/** What leaves by an address that wasn't there goes to somebody new, whatever it is. */
function changed(before: Placed, { part, path, noun, section }: Placed, left: ReadonlySet<string>): Change {
  const egress = newlyLeaving(part, left);
  const known = new Set(addressesIn(before.part.declaration));
  const addresses = part.egress.length === 0 ? [] : addressesIn(part.declaration).filter((one) => !known.has(one));
  const toNew = addresses.length === 0 ? "" : ` Data newly goes to ${named(addresses)}.`;
  const opens = opensMore(section, before.part, part);
  return changeOf({
    kind: "background_changed",
    path,
    summary: `Change the ${noun} \`${part.name}\`.${told(egress)}${toNew}`,
    classes: [
      ...widening(egress),
      ...(addresses.length > 0 ? (["widens_egress"] as const) : []),
      ...(opens ? (["loosens_access"] as const) : []),
      ...(section === "actions" || section === "inboundWebhooks" ? (["breaking"] as const) : []),
    ],
    before: before.part.declaration,
    after: part.declaration,
    witness: opens ? actionWitness(part) : null,
  });
}

function removed({ part, path, noun }: Placed): Change {
  return changeOf({
    kind: "background_removed",
    path,
    summary: `Remove the ${noun} \`${part.name}\`.`,
    classes: ["breaking"],
    before: part.declaration,
  });
}

function widening(egress: readonly Egress[]): readonly ChangeClass[] {
  return egress.length === 0 ? [] : ["widens_egress"];
}

/** Who may call an action, or whom an inbound webhook believes, can't be compared: another declaration counts as more. */
function opensMore(section: Placed["section"], before: BackgroundPart, after: BackgroundPart): boolean {
  if (section === "actions")
    return !same(before.declaration, after.declaration) && grantsOf(after.declaration) !== null;
  return (
    section === "inboundWebhooks" &&
    !same(memberOf(before.declaration, "verify"), memberOf(after.declaration, "verify"))
  );
}

function grantsOf(declaration: JsonValue): JsonValue | null {
  return memberOf(declaration, "permissions");
}

function memberOf(declaration: JsonValue, name: string): JsonValue | null {
  if (declaration === null || typeof declaration !== "object" || Array.isArray(declaration)) return null;
  const members = declaration as Readonly<Record<string, JsonValue>>;
  return Object.hasOwn(members, name) ? (members[name] ?? null) : null;
}

function actionWitness(part: BackgroundPart): Witness {
  const grants = grantsOf(part.declaration);
  const role =
    grants !== null && typeof grants === "object" && !Array.isArray(grants) ? Object.keys(grants)[0] : undefined;
  const summary = `It can't be decided whom \`${part.name}\` newly lets do what, so it counts as if it did.`;
  return { role: role ?? "public", operation: "create", entity: part.name, decided: false, summary, record: null };
}

function addressesIn(declaration: JsonValue): string[] {
  if (typeof declaration === "string") return declaration.match(/[a-z][a-z0-9+.-]*:\/\/[^\s"']+/gi) ?? [];
  if (declaration === null || typeof declaration !== "object") return [];
  return Object.values(declaration).flatMap(addressesIn);
}

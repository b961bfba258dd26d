// Compares `webhooks.out`. In: the section in two models, with entities in the same words. Out: the change between
// them. Without the section, endpoints can receive any event of a project with the module.

import type { BackgroundPart } from "../model/background.ts";
import type { Change, ChangeClass } from "./change.ts";
import { changeOf, named, same } from "./make-change.ts";

/** What endpoints can receive: names of events, or any event. */
type Sent = ReadonlySet<string> | "any";
type Declared = Readonly<Record<string, unknown>>;

/** @param hadWebhooks Whether the project had the module `webhooks` before. */
export function diffOutbound(
  before: BackgroundPart | null,
  after: BackgroundPart | null,
  hadWebhooks: boolean,
): Change[] {
  if (same(before?.declaration ?? null, after?.declaration ?? null)) return [];
  const [was, is] = [declaredBy(before), declaredBy(after)];
  const sentBefore = hadWebhooks ? sentBy(was) : new Set<string>();
  const sentNow = sentBy(is);
  const classes = new Set<ChangeClass>();
  const sentences: string[] = [];
  const names = named(addedTo(sentBefore, sentNow));
  // Without the module there were no endpoints: a first section without limits exposes nothing itself.
  if (names.length > 0) {
    classes.add("widens_egress");
    sentences.push(` Endpoints can now receive ${names}.`);
  } else if (sentNow === "any" && sentBefore !== "any" && hadWebhooks) {
    classes.add("widens_egress");
    sentences.push(" Endpoints can now receive any event.");
  }
  if (hadWebhooks && isLess(sentBefore, sentNow)) {
    classes.add("breaking");
    sentences.push(" Endpoints no longer receive some events.");
  }
  if (hadWebhooks && was["payload"] === "thin" && is["payload"] !== "thin") {
    classes.add("widens_egress");
    sentences.push(" New endpoints receive whole records.");
  }
  const gone = Object.keys(versionsOf(was)).filter((one) => !hasVersion(is, Number(one)));
  if (hadWebhooks && (gone.length > 0 || !hasVersion(is, currentOf(was)))) {
    classes.add("breaking");
    sentences.push(" Endpoints with a removed version receive the current one.");
  }
  if (isSooner(was["retention"], is["retention"])) {
    classes.add("destructive");
    sentences.push(` Deliveries are deleted ${String(is["retention"])} days after they end.`);
  }
  return [
    changeOf({
      kind: before === null ? "background_added" : after === null ? "background_removed" : "background_changed",
      path: "webhooks.out",
      summary: `Change the settings of outbound webhooks.${sentences.join("")}`,
      classes: classes.size === 0 ? ["safe"] : [...classes],
      before: before?.declaration,
      after: after?.declaration,
    }),
  ];
}

function declaredBy(part: BackgroundPart | null): Declared {
  return (part?.declaration ?? {}) as Declared;
}

function sentBy({ enabled, events }: Declared): Sent {
  if (enabled === false) return new Set();
  return Array.isArray(events) ? new Set(events as readonly string[]) : "any";
}

function addedTo(before: Sent, after: Sent): readonly string[] {
  return before === "any" || after === "any" ? [] : [...after].filter((name) => !before.has(name));
}

function isLess(before: Sent, after: Sent): boolean {
  if (after === "any") return false;
  return before === "any" || [...before].some((name) => !after.has(name));
}

function currentOf({ version }: Declared): number {
  return typeof version === "number" ? version : 1;
}

function versionsOf({ versions }: Declared): Readonly<Record<string, unknown>> {
  return typeof versions === "object" && versions !== null ? (versions as Readonly<Record<string, unknown>>) : {};
}

function hasVersion(declared: Declared, version: number): boolean {
  return currentOf(declared) === version || Object.hasOwn(versionsOf(declared), String(version));
}

/** The operator's time isn't known here. */
function isSooner(before: unknown, after: unknown): boolean {
  return typeof after === "number" && (typeof before !== "number" || after < before);
}

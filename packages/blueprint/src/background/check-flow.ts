// Checks the flow of background work. In: all background work of a blueprint, with positions. Out: diagnostics for work
// that can never run or never ends: events that nothing emits, work that starts itself, schedules of work that needs an
// event.

import type { Background, Schedule, Step } from "../model/background.ts";
import { everyStep } from "../model/every-step.ts";
import { entryOf, type Node } from "../text/syntax.ts";
import { type Placed, refuseCircles } from "./check-circles.ts";
import type { BackgroundContext } from "./context.ts";

export function checkFlow(
  background: Background,
  sections: ReadonlyMap<string, Node>,
  context: BackgroundContext,
): void {
  const work = [...placed("workflows", background, sections), ...placed("workers", background, sections)];
  warnOfSilence(background, work, context);
  refuseCircles(work, context);
  // The caller of a piece of work can be in a part with errors; those are reported there.
  if (!context.reader.report.failed()) warnOfUnreached(background, work, context);
  for (const schedule of background.schedules) refuseSchedule(schedule, work, sections, context);
}

function placed(
  section: Placed["section"],
  background: Background,
  sections: ReadonlyMap<string, Node>,
): readonly Placed[] {
  const node = sections.get(section);
  const ranges = new Map(node?.kind === "map" ? node.entries.map(({ key }) => [key.text, key.range]) : []);
  return background[section].flatMap((work) => {
    const range = ranges.get(work.name);
    return range === undefined ? [] : [{ work, section, range }];
  });
}

/** A declared event that something waits for, but that no step and no webhook emits. */
function warnOfSilence(background: Background, work: readonly Placed[], context: BackgroundContext): void {
  const { mapped } = context;
  const all = [...work.map((one) => one.work), ...background.actions];
  const emitted = new Set(all.flatMap((one) => everyStep(one.steps).flatMap(({ action }) => emittedBy(action))));
  for (const { work: one, range } of work) {
    const silent = one.on.filter((event) => context.payloads.has(event) && !mapped.has(event) && !emitted.has(event));
    const [event] = silent;
    if (event === undefined || silent.length < one.on.length || one.starts.length > 0) continue;
    context.reader.report.add(
      "event_never_comes",
      range,
      `\`${one.name}\` waits for the declared event \`${event}\`, but nothing emits it.`,
      `Emit it in a step: \`event.emit: { with: { name: ${event} } }\`.`,
    );
  }
}

/** Work that no event starts, no schedule runs and no step calls. */
function warnOfUnreached(background: Background, work: readonly Placed[], { reader }: BackgroundContext): void {
  const steps = [...work.map((one) => one.work), ...background.actions].flatMap((one) => everyStep(one.steps));
  const reached = new Set([
    ...background.schedules.map((schedule) => schedule.run),
    ...steps.flatMap(({ action }) => (action.kind === "worker.run" ? [action.worker] : [])),
  ]);
  for (const { work: one, section, range } of work) {
    if (one.on.length > 0 || reached.has(one.name)) continue;
    const ways = section === "workers" ? "a schedule that runs it, or a step that calls it" : "a schedule that runs it";
    const manual = one.starts.includes("manual") ? " Work that people start by hand is an action." : "";
    reader.report.add(
      "work_never_starts",
      range,
      `Nothing starts \`${one.name}\`: no event, no schedule${section === "workers" ? " and no step" : ""}.`,
      `It needs ${ways}, or an event in \`on\`.${manual}`,
    );
  }
}

function emittedBy(action: Step["action"]): readonly string[] {
  return action.kind === "event.emit" ? [action.event] : [];
}

/** Work that only an event starts has no event when a schedule starts it. */
function refuseSchedule(
  { name, run }: Schedule,
  work: readonly Placed[],
  sections: ReadonlyMap<string, Node>,
  { reader }: BackgroundContext,
): void {
  const target = work.find((one) => one.work.name === run)?.work;
  if (target === undefined || target.on.length === 0 || target.starts.length > 0) return;
  const node = sections.get("schedules");
  const declared = node?.kind === "map" ? entryOf(node, name)?.value : undefined;
  const range = declared?.kind === "map" ? entryOf(declared, "run")?.value.range : undefined;
  if (range === undefined) return;
  reader.report.add(
    "schedule_without_event",
    range,
    `An event starts \`${run}\`, but a schedule has no event.`,
    "Write `on: [..., schedule]` if it doesn't need the event, or name a worker without `on`.",
  );
}

// Finds what starts each part of background work. In: a model. Out: for each worker, workflow and action the ways in
// which it begins, with its steps. A part that nothing starts has none.
import type { Expression } from "@plinth/expression";
import type { Action, Step, Template, Workflow } from "../../model/background.ts";
import { everyStep } from "../../model/every-step.ts";
import type { Model } from "../../model/model.ts";
import type { Start } from "./effect.ts";
import { keyOfValues, normalTemplate } from "./normal-form.ts";

export interface StartedPart {
  readonly path: string;
  readonly name: string;
  readonly section: "workers" | "workflows" | "actions";
  readonly steps: readonly Step[];
  readonly when: Expression | null;
  readonly output: Template | null;
  readonly starts: readonly Start[];
}

export function startedParts({ background }: Model): readonly StartedPart[] {
  const { workers, workflows, actions, schedules } = background;
  const all = [...workers, ...workflows, ...actions];
  const called = new Set(
    all.flatMap(({ steps }) =>
      everyStep(steps).flatMap(({ action }) => (action.kind === "worker.run" ? [action.worker] : [])),
    ),
  );
  const scheduled = new Set(schedules.map(({ run }) => run));
  const started = (part: Workflow, section: "workers" | "workflows"): StartedPart => ({
    path: `${section}.${part.name}`,
    name: part.name,
    section,
    steps: part.steps,
    when: part.when,
    output: null,
    starts: [
      ...part.on.map((event) => byEvent(event, part)),
      ...(scheduled.has(part.name) ? [plainStart("time", "", part)] : []),
      ...(section === "workers" && called.has(part.name) ? [plainStart("worker", part.name, part)] : []),
    ],
  });
  return [
    ...workers.map((one) => started(one, "workers")),
    ...workflows.map((one) => started(one, "workflows")),
    ...actions.map(byCall),
  ];
}

const plain = { access: {}, input: new Map() };

function byEvent(event: string, { entity, lookup }: Workflow): Start {
  const sought = lookup === null ? "" : ` ${entity} ${keyOfLookup(lookup, entity)}`;
  const carries = lookup === null ? entity : null;
  return { ...plain, key: `event ${event}${sought}`, kind: "event", name: event, entity, carries };
}

function keyOfLookup(lookup: NonNullable<Workflow["lookup"]>, entity: string | null): string {
  const naming = { outputs: new Map(), each: null, entity, carries: null, inAction: false, fieldsOf: () => [] };
  const normal = Object.entries(lookup).map(([name, value]) => [name, normalTemplate(value, naming)] as const);
  return keyOfValues(Object.fromEntries(normal));
}

function plainStart(kind: "time" | "worker", name: string, { entity }: Workflow): Start {
  return { ...plain, key: `${kind} ${name}`, kind, name, entity, carries: null };
}

function byCall({ name, steps, output, access, input }: Action): StartedPart {
  const start: Start = {
    key: "action",
    kind: "action",
    name,
    entity: null,
    carries: null,
    access,
    input: new Map(input.map((field) => [field.name, field])),
  };
  const starts = Object.keys(access).length === 0 ? [] : [start];
  return { path: `actions.${name}`, name, section: "actions", steps, when: null, output, starts };
}

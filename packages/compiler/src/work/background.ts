// Compiles background work. In: the model. Out: its events, workflows (including workers), schedules and actions, for
// the interpreter. Conditions and templates pass through unchanged: they are already typed trees.

import { type Action, type Entity, type Field, type Model, moduleEvents, type Workflow } from "@plinth/blueprint";
import type {
  BundleAction,
  BundleBackground,
  BundleConnection,
  BundleEvent,
  BundleInbound,
  BundleWorkflow,
} from "@plinth/bundle";
import { createSchemaOf, type JsonSchema } from "../requests/schemas.ts";
import type { Catalog } from "../sql/catalog.ts";
import { isServed } from "../sql/column-type.ts";
import { handsEventsOn } from "../tables/system-tables.ts";
import { inputOf } from "./action-input.ts";
import { emailOf } from "./emails.ts";
import { outboundOf } from "./outbound.ts";

export function backgroundOf(model: Model, catalog: Catalog): BundleBackground {
  const {
    workflows,
    workers,
    schedules,
    actions,
    accounts,
    emails = [],
    inboundWebhooks,
    outboundWebhooks,
    retentionDays,
  } = model.background;
  const emailConnections = emailConnectionsOf(model);
  return {
    events: eventsOf(model),
    workflows: byName([
      ...workflows.map((one) => workflowOf(one, "workflow")),
      ...workers.map((one) => workflowOf(one, "worker")),
    ]),
    schedules: byName(schedules),
    actions: byName(actions.map((action) => actionOf(action, catalog))),
    ...(accounts == null ? {} : { accounts }),
    ...(emails.length === 0 ? {} : { emails: emails.map(emailOf) }),
    ...(emailConnections.length === 0 ? {} : { emailConnections }),
    ...(inboundWebhooks.length === 0 ? {} : { inbound: byName(inboundWebhooks.map(sourceOf)) }),
    ...(outboundWebhooks === null ? {} : { outbound: outboundOf(outboundWebhooks) }),
    // Models that older versions stored don't have it.
    ...(retentionDays == null ? {} : { retentionDays }),
  };
}

function emailConnectionsOf({ background }: Model): readonly BundleConnection[] {
  return byName(
    background.integrations.flatMap(({ name, declaration }) => {
      const { kind, provider } = declaration as Readonly<Record<string, string>>;
      return kind === "email" && provider !== undefined ? [{ name, provider }] : [];
    }),
  );
}

function sourceOf({ name, declaration }: Model["background"]["inboundWebhooks"][number]): BundleInbound {
  // The reader of `webhooks.in` has checked each key.
  return { name, ...(declaration as unknown as Omit<BundleInbound, "name">) };
}

/** Events of entities, of modules if something can listen, and declared ones. */
export function eventsOf(model: Model): readonly BundleEvent[] {
  const ofEntities = model.entities.flatMap((entity) =>
    eventsOfEntity(entity).map((name) => ({ name, entity: entity.name, dataSchema: null })),
  );
  const taken = new Set([...ofEntities, ...model.background.events].map(({ name }) => name));
  const brought = handsEventsOn(model) ? [...moduleEvents(model.modules).values()] : [];
  const ofModules = brought
    .filter(({ name }) => !taken.has(name))
    .map(({ name, entity, data, yields }) => ({
      name,
      entity,
      dataSchema: data.length === 0 ? null : payloadSchemaOf(data),
      ...(yields === true ? { isOwn: true as const } : {}),
    }));
  const declared = model.background.events.map((event) => ({
    name: event.name,
    entity: null,
    dataSchema: payloadSchemaOf(event.payload),
  }));
  return byName([...ofEntities, ...ofModules, ...declared]);
}

function eventsOfEntity({ name, softDelete, stateMachine }: Entity): readonly string[] {
  const verbs = ["created", "updated", "deleted", ...(softDelete ? ["restored"] : [])];
  const edges = stateMachine?.edges.map((edge) => edge.emit) ?? [];
  return [...new Set([...verbs.map((verb) => `${name}.${verb}`), ...edges])];
}

/** A strict schema (2020-12) of an event's `data`, or of an action's input. */
export function payloadSchemaOf(fields: readonly Field[]): JsonSchema {
  return createSchemaOf(fields.filter(isServed), null);
}

function workflowOf(declared: Workflow, kind: BundleWorkflow["kind"]): BundleWorkflow {
  const { name, on, when, entity, lookup, ordered, afterFailure, steps, concurrencyMax, timeoutMs } = declared;
  const failing = afterFailure === undefined ? {} : { afterFailure };
  return {
    ...{ name, kind, on, when, entity, lookup, ordered, ...failing, steps, concurrencyMax, timeoutMs },
    ...(entity === null ? {} : { recordAt: "step" as const }),
  };
}

function actionOf(action: Action, catalog: Catalog): BundleAction {
  const { name, input, output, steps, mode } = action;
  return { name, inputSchema: payloadSchemaOf(input), ...inputOf(action, catalog), output, steps, mode };
}

function byName<Part extends { readonly name: string }>(parts: readonly Part[]): readonly Part[] {
  return [...parts].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

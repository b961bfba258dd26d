// All modules of a project. In: the project. Out: the descriptions of its modules, in a fixed order.

import type { ModuleName } from "../model/model.ts";
import { auditLogsDescription } from "./audit-logs.ts";
import { authDescription, authEvents } from "./auth.ts";
import { describeChanges } from "./changes.ts";
import type { DescribedProject, ModuleDescription, ModuleEntity, ModuleEvent } from "./description.ts";
import { emailDescription } from "./email.ts";
import { organizationEvents, organizationsDescription } from "./organizations.ts";
import { batchDescription, canDescription, projectDescription } from "./project.ts";
import { describeUsers, userEvents } from "./users.ts";
import { webhookEndpointsDescription, webhookEvents } from "./webhook-endpoints.ts";
import { webhooksDescription } from "./webhooks.ts";
import { workerEvents } from "./work-events.ts";
import { workersDescription } from "./workers.ts";

/** Modules that can be listed but aren't available yet. */
export const modulesNotServed: readonly ModuleName[] = ["storage"];

export function describeModules(project: DescribedProject): readonly ModuleDescription[] {
  const sendsMail = project.modules.includes("auth") || project.modules.includes("workers");
  const all = [
    describeUsers(project),
    authDescription,
    projectDescription,
    canDescription,
    batchDescription,
    ...describeChanges(project),
    organizationsDescription,
    auditLogsDescription,
    webhookEndpointsDescription,
    workersDescription,
    ...(sendsMail ? [emailDescription] : []),
    webhooksDescription,
  ];
  return all.filter(({ module }) => module === null || project.modules.includes(module));
}

/** The entities that no blueprint declares. */
export function moduleEntities(project: DescribedProject): readonly ModuleEntity[] {
  return describeModules(project).flatMap(({ entity }) => (entity === null ? [] : [entity]));
}

/** The events of a project's modules, by name. */
export function moduleEvents(modules: Iterable<string>): ReadonlyMap<string, ModuleEvent> {
  const listed = new Set(modules);
  const events = [
    ...userEvents,
    ...(listed.has("auth") ? authEvents : []),
    ...(listed.has("organizations") ? organizationEvents : []),
    ...(listed.has("webhooks") ? webhookEvents : []),
    ...(listed.has("workers") ? workerEvents : []),
  ];
  return new Map(events.map((event) => [event.name, event]));
}

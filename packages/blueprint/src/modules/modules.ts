// All that modules bring to a project. In: the project. Out: the descriptions of those that it has, in a fixed order.
import { auditLogsDescription } from "./audit-logs.ts";
import { authDescription } from "./auth.ts";
import type { DescribedProject, ModuleDescription, ModuleEntity } from "./description.ts";
import { organizationsDescription } from "./organizations.ts";
import { canDescription, projectDescription } from "./project.ts";
import { describeUsers } from "./users.ts";
import { workersDescription } from "./workers.ts";

export function describeModules(project: DescribedProject): readonly ModuleDescription[] {
  const all = [
    describeUsers(project),
    authDescription,
    projectDescription,
    canDescription,
    organizationsDescription,
    auditLogsDescription,
    workersDescription,
  ];
  return all.filter(({ module }) => module === null || project.modules.includes(module));
}

/** The entities that no blueprint declares. */
export function moduleEntities(project: DescribedProject): readonly ModuleEntity[] {
  return describeModules(project).flatMap(({ entity }) => (entity === null ? [] : [entity]));
}

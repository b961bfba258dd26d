// In: the text of a blueprint. Out: its model, or every diagnostic that it earns. The whole pipeline, top to bottom:
// text > syntax > declarations > checked model.
import { apiDefaults } from "./check/api.ts";
import { checkEntities } from "./check/entities.ts";
import { checkModules } from "./check/modules.ts";
import { checkPermissions } from "./check/permissions.ts";
import { checkRoles } from "./check/roles.ts";
import type { Declarations } from "./declarations.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Model } from "./model.ts";
import { checkProjectName } from "./names.ts";
import { parseYaml } from "./parse.ts";
import { createReport, type Report } from "./report.ts";
import { resolve } from "./resolve.ts";

export interface CheckedBlueprint {
  /** Null where any diagnostic is an error. */
  readonly model: Model | null;
  /** Sorted by position. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Checks a blueprint. Never throws on what an author can write. */
export function checkBlueprint(text: string): CheckedBlueprint {
  const report = createReport(text);
  const { root, document } = parseYaml(text, report);
  const declarations = root === null ? null : resolve(root, { source: text, report });
  if (declarations !== null) {
    const model = check(declarations, text, report);
    return { model: report.failed() ? null : model, diagnostics: report.diagnostics() };
  }
  if (document !== null && !report.failed()) {
    report.add("blueprint_empty", { start: 0, end: 0 }, "The blueprint is empty.", "Begin with `project: my-project`.");
  }
  return { model: null, diagnostics: report.diagnostics() };
}

function check(declarations: Declarations, source: string, report: Report): Model {
  const project = checkProject(declarations, report);
  const modules = checkModules(declarations, report);
  const roles = checkRoles(declarations.roles, report);
  const entities = checkEntities(declarations.entities, new Set(modules), report);
  const roleNames = roles.map((role) => role.name);
  const permissions = checkPermissions(declarations.permissions, { entities, roles: roleNames, source, report });
  return {
    project,
    modules,
    roles,
    userFields: [],
    entities: entities.map(({ entity }) => ({ ...entity, permissions: permissions.get(entity.name) ?? [] })),
    api: apiDefaults,
    background: {
      events: [],
      workers: [],
      workflows: [],
      schedules: [],
      actions: [],
      inboundWebhooks: [],
      outboundWebhooks: null,
      integrations: [],
    },
    tests: null,
  };
}

function checkProject({ project, sections }: Declarations, report: Report): string {
  if (project === null) {
    if (!sections.some((section) => section.text === "project")) {
      report.add(
        "missing_key",
        { start: 0, end: 0 },
        "The blueprint has no `project`.",
        "Begin with `project: my-project`.",
      );
    }
    return "";
  }
  const problem = checkProjectName(project.text);
  if (problem !== null) report.add(problem.code, project.range, problem.message, problem.hint);
  return project.text;
}

// The entry point of the language. In: the text of a blueprint. Out: its model, or all its diagnostics. The whole
// pipeline, top to bottom: text > syntax > declarations > checked model > its own tests.
import type { Expression } from "@plinth/expression";
import { checkBackground } from "./background/background.ts";
import { checkApi } from "./check/api.ts";
import { checkEntities } from "./check/entities/entities.ts";
import { checkTransitions } from "./check/entities/transitions.ts";
import { warnOfUnguardedRules } from "./check/entities/unguarded-rules.ts";
import { warnOfUnreadChecks } from "./check/entities/unread-checks.ts";
import { warnOfUnreadRecords } from "./check/entities/unread-records.ts";
import { warnOfUnreadTransitions } from "./check/entities/unread-transitions.ts";
import { warnOfUnreadViews } from "./check/entities/unread-views.ts";
import { warnOfUnusedEntities } from "./check/entities/unused-entities.ts";
import { checkFills } from "./check/fills.ts";
import { checkModules } from "./check/modules.ts";
import { warnOfAllUsers } from "./check/permissions/all-users.ts";
import { warnOfAlwaysTrue } from "./check/permissions/always-true.ts";
import { checkNamedRules, warnOfUnused } from "./check/permissions/named-rules.ts";
import { warnOfOwnProfile } from "./check/permissions/own-profile.ts";
import { checkPermissions } from "./check/permissions/permissions.ts";
import { checkRoles } from "./check/permissions/roles.ts";
import { checkSearchLanguage } from "./check/search-language.ts";
import { checkTests } from "./check/tests.ts";
import { brokenProfile, checkUserFields, checkUserKeys, readableUsers } from "./check/users.ts";
import { checkViews } from "./check/views.ts";
import type { Declarations } from "./declarations/declarations.ts";
import { resolve } from "./declarations/read-declarations.ts";
import { reportTests } from "./judging/report-tests.ts";
import type { ApiLimits, Field, Model } from "./model/model.ts";
import { USER_ENTITY, userEntity } from "./modules/users.ts";
import type { Diagnostic } from "./text/diagnostic.ts";
import { checkProjectName } from "./text/names.ts";
import { parseSyntax } from "./text/parse.ts";
import { createPlaces, type Places, type PlaceTable } from "./text/places.ts";
import { createPositions, createReport, type Report } from "./text/report.ts";

export interface CheckedBlueprint {
  /** Null if any diagnostic is an error. */
  readonly model: Model | null;
  /** The model as far as it could be read: parts with errors are missing. Null if the text is not YAML. */
  readonly draft: Model | null;
  /** Sorted by position. */
  readonly diagnostics: readonly Diagnostic[];
  /** The position of each node of the rules' expressions. */
  readonly places: Places;
}

/** The operator's limits. */
export interface MostAllowed {
  /** In the section `api`. */
  readonly api: ApiLimits;
  /** The maximum time of one call to another service, in milliseconds. */
  readonly callMsMax: number;
}

/**
 * Checks a blueprint and runs its tests. It never throws for any text.
 * @param most Absent if no operator is known.
 */
export function checkBlueprint(text: string, most?: MostAllowed): CheckedBlueprint {
  const report = createReport(text);
  const places = createPlaces(text);
  const root = parseSyntax(text, report);
  const declarations = root === null ? null : resolve(root, { source: text, report });
  if (declarations !== null) {
    const model = check(declarations, { source: text, report, places, most });
    if (!report.failed()) {
      reportTests(model, declarations, places, report);
      warnOfAlwaysTrue(model, declarations.permissions, places, report);
      warnOfAllUsers(model, declarations.permissions, places, report);
      warnOfOwnProfile(model, declarations.permissions, places, report);
      warnOfUnguardedRules(model, declarations.permissions, places, report);
      warnOfUnreadRecords(model, declarations.entities, report);
      warnOfUnreadChecks(model, declarations.entities, report);
      warnOfUnreadViews(model, declarations.views, report);
      warnOfUnreadTransitions(model, declarations.entities, report);
      warnOfUnusedEntities(model, declarations, report);
    }
    return { model: report.failed() ? null : model, draft: model, diagnostics: report.diagnostics(), places };
  }
  if (!report.failed()) {
    report.add("blueprint_empty", { start: 0, end: 0 }, "The blueprint is empty.", "Start with `project: my-project`.");
  }
  return { model: null, draft: null, diagnostics: report.diagnostics(), places };
}

interface Checking {
  readonly source: string;
  readonly report: Report;
  readonly places: PlaceTable;
  readonly most: MostAllowed | undefined;
}

function check(declarations: Declarations, { source, report, places, most }: Checking): Model {
  const project = checkProject(declarations, report);
  const modules = checkModules(declarations, report);
  const listed = new Set(modules);
  const roles = checkRoles(declarations.roles, report);
  const roleNames = new Set(roles.map((role) => role.name));
  const api = checkApi(declarations.api, report, most?.api);
  const searchLanguage = checkSearchLanguage(declarations.searchLanguage, report);
  const rules = checkNamedRules(declarations.namedRules, source, report);
  const rulesOfRows = { rules, rulesUsed: new Set<string>() };
  const names = new Set(declarations.entities.map((one) => one.name.text));
  const userFields = checkUserFields(declarations.userFields, names, listed, report);
  const userKeys = checkUserKeys(declarations.userFields, userFields, report);
  const standing = checkEntities(declarations.entities, { modules: listed, userFields, named: rulesOfRows, report });
  const entities = checkTransitions(declarations.entities, standing, report);
  const { permissions, schema, rulesUsed } = checkPermissions(declarations.permissions, {
    entities,
    declaredEntities: declarations.entities,
    userFields,
    users: {
      entity: userEntity({ userFields, entities: entities.map(({ entity }) => entity) }),
      brokenFields: new Set(brokenProfile(declarations.userFields, userFields)),
    },
    modules: listed,
    roles: roleNames,
    rules,
    pageMax: api.pageMax,
    source,
    report,
    places,
  });
  const views = checkViews(declarations.views, {
    entities,
    schema,
    rulesUsed,
    modules: listed,
    pageMax: api.pageMax,
    source,
    report,
    places,
  });
  const fills = checkFills(declarations.entities, { entities, schema, rulesUsed, report });
  const surroundings = { entities: new Map(entities.map((one) => [one.entity.name, one])), roles: roleNames };
  const background = checkBackground(declarations.background, {
    ...surroundings,
    modules: listed,
    schema,
    rulesUsed,
    places,
    callMsMax: most?.callMsMax ?? null,
    reader: { source, report },
  });
  warnOfUnused(declarations.namedRules, new Set([...rulesUsed, ...rulesOfRows.rulesUsed]), report);
  const positionOf = createPositions(source);
  const lineOf = ({ start }: { readonly start: number }): number => positionOf(start).line;
  return {
    project,
    modules,
    roles,
    userFields,
    ...userKeys,
    ...readableUsers(permissions.get(USER_ENTITY) ?? [], userFields),
    entities: entities.map(({ entity }) => ({
      ...entity,
      fields: entity.fields.map((field) => filledBy(field, fills.get(entity.name))),
      permissions: permissions.get(entity.name) ?? [],
      ...(views.has(entity.name) && { views: views.get(entity.name) ?? [] }),
    })),
    api,
    ...(searchLanguage !== null && { searchLanguage }),
    background,
    tests:
      declarations.tests === null
        ? null
        : checkTests(declarations.tests, { ...surroundings, userFields, lineOf, report }),
  };
}

function filledBy(field: Field, fills: ReadonlyMap<string, Expression> | undefined): Field {
  const fill = fills?.get(field.name);
  return fill === undefined ? field : { ...field, fill };
}

function checkProject({ project, sections }: Declarations, report: Report): string {
  if (project === null) {
    // For `name: shop` there is already a hint to use `project`, which is enough.
    if (!sections.some(({ text }) => text === "project" || text === "name" || text === "app")) {
      report.add(
        "missing_key",
        { start: 0, end: 0 },
        "The blueprint has no `project`.",
        "Start with `project: my-project`.",
      );
    }
    return "";
  }
  const problem = checkProjectName(project.text);
  if (problem !== null) report.add(problem.code, project.range, problem.message, problem.hint);
  return project.text;
}

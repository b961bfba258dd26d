// Compares two models. In: the models (the first is null if nothing is live). Out: the changes between them, with
// summaries and classes. The comparison is semantic: comments, order and notation of the text don't count, nor do the
// blueprint's tests. Pure data.
import { createBudget } from "@plinth/expression";
import type { ApiLimits, Model } from "../model/model.ts";
import { userEntity } from "../modules/users.ts";
import { type Access, createAccess } from "./access.ts";
import { type Alignment, align } from "./align.ts";
import { diffBackground } from "./background.ts";
import { diffCascades } from "./cascades.ts";
import type { Change } from "./change.ts";
import { diffKeys } from "./constraints.ts";
import { diffEntities, entityAdded, inWordsOf } from "./entities.ts";
import { diffFields, type FieldContext } from "./fields.ts";
import { changeOf } from "./make-change.ts";
import { diffPermissions } from "./permissions.ts";
import { matchByName } from "./renames.ts";
import { diffRoles } from "./roles.ts";

export function diffModels(before: Model | null, after: Model): readonly Change[] {
  return before === null ? firstModel(after) : laterModel(before, after);
}

/** Nothing exists yet that could break or be exposed. */
function firstModel(after: Model): Change[] {
  return [
    ...diffModules([], after.modules),
    ...diffRoles([], after.roles, [], null),
    ...diffProfile({ ...after, userFields: [] }, after, null).map(withoutRecords),
    ...after.entities.map((entity) => entityAdded(entity)),
    ...diffBackground(null, after, { budget: createBudget(), loosened: [] }).map((change) => ({
      ...change,
      classes: first(change),
    })),
  ];
}

/** There are no users yet who could lack a value. */
function withoutRecords(change: Change): Change {
  return { ...change, classes: ["safe"], summary: change.summary.replace(/\. Existing records.*$/, ".") };
}

/** Egress is reported even for a first model; an action's callers have nothing to reach yet. */
function first(change: Change): Change["classes"] {
  return change.classes.includes("widens_egress") ? ["widens_egress"] : ["safe"];
}

function laterModel(before: Model, after: Model): Change[] {
  const alignment = align(before, after);
  const budget = createBudget();
  const access = createAccess(alignment.before, after, budget);
  const kept = alignment.before.entities.filter((one) => after.entities.some((entity) => entity.name === one.name));
  const existing = [...kept, userEntity(alignment.before)];
  const changes = [
    ...diffProject(before, after),
    ...diffModules(before.modules, after.modules),
    ...diffRoles(before.roles, after.roles, existing, access),
    ...diffProfile(before, after, { alignment, access }),
    ...diffKeys(userEntity(alignment.before), userEntity(after)),
    ...diffPermissions(userEntity(alignment.before), userEntity(after), access),
    ...diffEntities(before, after, alignment, { access, budget }),
    ...diffCascades(before, after, alignment.entities),
  ];
  const loosened = changes.filter(({ classes }) => classes.includes("loosens_access"));
  return [
    ...changes,
    ...diffBackground(alignment.before, after, { budget, loosened }),
    ...diffApi(before.api, after.api),
    ...diffSearch(before, after),
  ];
}

function diffProject(before: Model, after: Model): Change[] {
  if (before.project === after.project) return [];
  return [
    changeOf({
      kind: "project_changed",
      path: "project",
      summary: `Rename the project from \`${before.project}\` to \`${after.project}\`. Update the option \`project\` of SDKs and the header \`Plinth-Project\`; paths stay the same.`,
      classes: ["breaking"],
      before: before.project,
      after: after.project,
    }),
  ];
}

function diffModules(before: readonly string[], after: readonly string[]): Change[] {
  const added = after.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !after.includes(name));
  return [
    ...added.map((name) =>
      changeOf({
        kind: "module_added",
        path: `modules.${name}`,
        summary: `Add the module \`${name}\`.`,
        classes: ["safe"],
        after: name,
      }),
    ),
    ...removed.map((name) =>
      changeOf({
        kind: "module_removed",
        path: `modules.${name}`,
        summary: `Remove the module \`${name}\` and its routes.`,
        classes: ["breaking"],
        before: name,
      }),
    ),
  ];
}

interface Live {
  readonly alignment: Alignment;
  readonly access: Access;
}

/** Users write their own profile, and admins everybody's. Profiles have no computed fields. */
function diffProfile(before: Model, after: Model, live: Live | null): Change[] {
  const matches = matchByName(before.userFields, after.userFields);
  const fields = live === null ? matches : inWordsOf(matches, before.userFields, live.alignment.before.userFields);
  const nobody = () => null;
  const trusts: FieldContext["trusts"] = (field, values) => live?.access.gainByValue("user", field, values) ?? null;
  const context = { entity: "user", fields, exampleOf: () => "user", exposes: nobody, hides: nobody, trusts };
  return diffFields(context, () => false);
}

const apiWords: Readonly<Record<keyof ApiLimits, string>> = {
  requestsPerSecond: "requests per second",
  burst: "requests at once",
  bodyBytesMax: "bytes in a body",
  pageMax: "records on a page",
  statementMsMax: "milliseconds for a statement",
};

function diffApi(before: ApiLimits, after: ApiLimits): Change[] {
  const names = Object.keys(apiWords) as (keyof ApiLimits)[];
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) =>
      changeOf({
        kind: "api_changed",
        path: `api.${name}`,
        summary: `The API now allows ${after[name]} ${apiWords[name]}, instead of ${before[name]}.`,
        classes: [after[name] < before[name] ? "breaking" : "safe"],
        before: before[name],
        after: after[name],
      }),
    );
}

function diffSearch({ searchLanguage: was }: Model, { searchLanguage: is, entities, userFields }: Model): Change[] {
  const [before, after] = [was ?? null, is ?? null];
  if (before === after) return [];
  const isSearched = [...entities.flatMap(({ fields }) => fields), ...userFields].some(({ searchable }) => searchable);
  const words = (language: string | null): string =>
    language === null ? "words exactly as they are written" : language;
  return [
    changeOf({
      kind: "search_changed",
      path: "search.language",
      summary: `Search now finds ${words(after)}, instead of ${words(before)}.`,
      classes: [isSearched ? "backfill" : "safe"],
      before,
      after,
    }),
  ];
}

// In: two models (the first may be null: nothing is live yet). Out: what changes between them, in words and classed by risk.
// Semantic: comments, order and notation of the text don't count. Pure data, sorted by path.
import type { Change } from "./change.ts";
import { diffEntities } from "./diff-entities.ts";
import type { Model, Role } from "./model.ts";

export function diffModels(before: Model | null, after: Model): readonly Change[] {
  return [
    ...diffProject(before, after),
    ...diffModules(before?.modules ?? [], after.modules),
    ...diffRoles(before?.roles ?? after.roles.filter((role) => role.builtin), after.roles),
    ...diffEntities(before?.entities ?? [], after.entities),
  ];
}

function diffProject(before: Model | null, after: Model): Change[] {
  if (before === null || before.project === after.project) return [];
  const summary = `Rename the project from \`${before.project}\` to \`${after.project}\`.`;
  return [
    {
      kind: "project_changed",
      path: "project",
      summary,
      risk: "breaking",
      before: before.project,
      after: after.project,
    },
  ];
}

function diffModules(before: readonly string[], after: readonly string[]): Change[] {
  const added = after.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !after.includes(name));
  return [
    ...added.map(
      (name): Change => ({
        kind: "module_added",
        path: `modules.${name}`,
        summary: `Add the module \`${name}\`.`,
        risk: "safe",
        after: name,
      }),
    ),
    ...removed.map(
      (name): Change => ({
        kind: "module_removed",
        path: `modules.${name}`,
        summary: `Remove the module \`${name}\`; its routes go with it.`,
        risk: "breaking",
        before: name,
      }),
    ),
  ];
}

function diffRoles(before: readonly Role[], after: readonly Role[]): Change[] {
  const old = new Map(before.map((role) => [role.name, role]));
  const kept = new Set(after.map((role) => role.name));
  const changes: Change[] = [];
  for (const role of after) {
    const was = old.get(role.name);
    if (was === undefined) changes.push(roleAdded(role));
    else if (was.inherits.join() !== role.inherits.join()) changes.push(roleChanged(was, role));
  }
  for (const role of before) {
    if (kept.has(role.name)) continue;
    const summary = `Remove the role \`${role.name}\`; its holders lose what it grants.`;
    changes.push({
      kind: "role_removed",
      path: `roles.${role.name}`,
      summary,
      risk: "breaking",
      before: role.inherits,
    });
  }
  return changes;
}

function roleAdded(role: Role): Change {
  const inherits = role.inherits.length === 0 ? "" : `, which inherits ${words(role.inherits)}`;
  return {
    kind: "role_added",
    path: `roles.${role.name}`,
    summary: `Add the role \`${role.name}\`${inherits}.`,
    risk: "safe",
    after: role.inherits,
  };
}

function roleChanged(before: Role, after: Role): Change {
  const gained = after.inherits.filter((name) => !before.inherits.includes(name));
  const lost = before.inherits.filter((name) => !after.inherits.includes(name));
  const parts = [
    ...(gained.length > 0 ? [`also holds ${words(gained)}`] : []),
    ...(lost.length > 0 ? [`no longer holds ${words(lost)}`] : []),
  ];
  return {
    kind: "role_changed",
    path: `roles.${after.name}`,
    summary: `Who holds \`${after.name}\` ${parts.join(" and ")}.`,
    risk: gained.length > 0 ? "loosens_access" : "breaking",
    before: before.inherits,
    after: after.inherits,
  };
}

function words(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

// Form fields for a member's role and scope. In: a role and a scope. Out: every change. Each choice is explained, so that nobody gives more
// access than intended.
"use client";
import type { MemberRole, MemberScope, ProjectSummary } from "@plinth/control/router";
import { Choice } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { allRoles, roleName, roleWords } from "./access-words.ts";

export interface Access {
  readonly role: MemberRole;
  readonly scope: MemberScope;
}

interface AccessFieldsProps {
  access: Access;
  projects: readonly ProjectSummary[];
  /** The caller's own role: nobody can give a higher one. */
  highest: MemberRole;
  /** See `accessProblem`. */
  problem: string | null;
  onChange: (access: Access) => void;
}

export function AccessFields({ access, projects, highest, problem, onChange }: AccessFieldsProps) {
  const { role, scope } = access;
  const named = scope.kind === "projects" ? scope.projectIds : [];

  function toggle(id: string): void {
    const projectIds = named.includes(id) ? named.filter((other) => other !== id) : [...named, id];
    onChange({ role, scope: { kind: "projects", projectIds } });
  }

  return (
    <>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-[0.8125rem] font-medium">Access to</legend>
        <Choice
          name="scope"
          value="projects"
          title="These projects only"
          checked={scope.kind === "projects"}
          onChoose={() => onChange({ role, scope: { kind: "projects", projectIds: named } })}
        />
        {scope.kind === "projects" ? (
          <ul aria-label="Projects" className="max-h-40 overflow-y-auto rounded-lg border px-3.5 py-2">
            {projects.map(({ id, slug }) => (
              <li key={id}>
                <label className="flex items-center gap-2 py-1">
                  <input
                    type="checkbox"
                    checked={named.includes(id)}
                    onChange={() => toggle(id)}
                    className="size-4 rounded accent-accent"
                  />
                  <span className="truncate">{slug}</span>
                </label>
              </li>
            ))}
          </ul>
        ) : null}
        <Choice
          name="scope"
          value="organization"
          title="The whole organization"
          checked={scope.kind === "organization"}
          onChoose={() => onChange({ role, scope: { kind: "organization" } })}
        >
          All its projects, including future ones.
        </Choice>
      </fieldset>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-[0.8125rem] font-medium">Role</legend>
        {allRoles.slice(0, allRoles.indexOf(highest) + 1).map((one) => (
          <Choice
            key={one}
            name="role"
            value={one}
            title={roleName(one)}
            checked={role === one}
            onChoose={() => onChange({ role: one, scope })}
          >
            {roleWords(one, scope.kind)}
          </Choice>
        ))}
      </fieldset>
      {problem ? <Notice tone="bad">{problem}</Notice> : null}
    </>
  );
}

/** The problem of an incomplete access; null if there is none. */
export function accessProblem({ scope }: Access): string | null {
  return scope.kind === "projects" && scope.projectIds.length === 0 ? "Choose at least one project." : null;
}

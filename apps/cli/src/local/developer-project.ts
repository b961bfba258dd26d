// The local developer's project. In: the control API and a project's name. Out: the project and two keys, created at the first
// start and found again later. It never creates new keys while the stored ones work.
import type { ControlClient } from "../control-client.ts";
import { CommandFailure } from "../failure.ts";
import { type Developer, type DeveloperProject, saveDeveloper } from "./secrets.ts";

export async function openProject(
  control: ControlClient,
  home: string,
  developer: Developer,
  slug: string,
): Promise<DeveloperProject> {
  const { organizations } = await control.me.get.query();
  const organization = organizations.find(({ may }) => may.manage);
  if (organization === undefined) throw new CommandFailure("the local developer owns no organization");
  const existing = (await control.projects.list.query({ organizationId: organization.id })).find(
    (project) => project.slug === slug,
  );
  const { id } = existing ?? (await control.projects.create.mutate({ organizationId: organization.id, slug }));
  const known = developer.projects[slug];
  const usable = new Set(
    (await control.keys.list.query({ projectId: id })).filter((key) => key.revokedAt === null).map((key) => key.id),
  );
  const keyOf = async (kind: "secret" | "publishable"): Promise<{ id: string; key: string }> => {
    const kept = known?.id === id ? known.keys[kind] : undefined;
    if (kept !== undefined && usable.has(kept.id)) return kept;
    const created = await control.keys.create.mutate({ projectId: id, name: `plinth dev (${kind})`, kind });
    return { id: created.id, key: created.key };
  };
  const project = { id, keys: { secret: await keyOf("secret"), publishable: await keyOf("publishable") } };
  saveDeveloper(home, { ...developer, projects: { ...developer.projects, [slug]: project } });
  return project;
}

// Reserves names. In: a transaction, a project and a name. Out: whether the name now belongs to the project. A name belongs to
// one project of an organization. A deployment that renames a project reserves the new name until it has ended.
import { slugOfEnvironment } from "@plinth/bundle";
import type { Connection } from "../database/tables.ts";

interface Named {
  readonly projectId: string;
  readonly organizationId: string;
  readonly name: string;
}

/** False if another project of the organization has the name, or is about to get it. */
export async function holdName(trx: Connection, { projectId, organizationId, name }: Named): Promise<boolean> {
  await trx
    .insertInto("project_names")
    .values({ organization_id: organizationId, project_id: projectId, name })
    .onConflict((conflict) => conflict.columns(["organization_id", "name"]).doNothing())
    .execute();
  return (await holderOf(trx, organizationId, name)) === projectId;
}

export async function holderOf(db: Connection, organizationId: string, name: string): Promise<string | null> {
  const row = await db
    .selectFrom("project_names")
    .select("project_id")
    .where("organization_id", "=", organizationId)
    .where("name", "=", name)
    .executeTakeFirst();
  return row?.project_id ?? null;
}

/** Frees all names except this one. */
export async function keepName(trx: Connection, projectId: string, name: string): Promise<void> {
  await trx.deleteFrom("project_names").where("project_id", "=", projectId).where("name", "<>", name).execute();
}

export function nameTaken(name: string): string {
  return `The organization has another project called "${name}".`;
}

export function nameOfDeleted(name: string): string {
  return `A deleted project is called "${name}". Restore it on the page of the organization, or choose another name.`;
}

/** The names of a project's environments begin with the project's name. */
export async function renameEnvironments(
  trx: Connection,
  { rootId, organizationId, slug }: { readonly rootId: string; readonly organizationId: string; readonly slug: string },
): Promise<void> {
  const environments = await trx
    .selectFrom("projects")
    .select(["id", "environment_name"])
    .where("parent_id", "=", rootId)
    .execute();
  for (const { id, environment_name } of environments) {
    const name = slugOfEnvironment({ project: slug, environment: environment_name });
    await trx.updateTable("projects").set({ slug: name }).where("id", "=", id).execute();
    await holdName(trx, { projectId: id, organizationId, name });
    await keepName(trx, id, name);
  }
}

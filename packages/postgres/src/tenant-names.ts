// The names of one project in the cell's database. In: a project id. Out: its schema and its two roles. Only a
// well-formed id becomes part of a name in SQL.

export type TenantNames = {
  readonly projectId: string;
  readonly schema: string;
  /** Owns the schema and everything in it; only runs DDL. */
  readonly owner: string;
  /** Has rights on the rows of this schema, and no others. */
  readonly worker: string;
};

export function tenantNames(projectId: string): TenantNames {
  const id = /^prj_([0-9a-z]{20})$/.exec(projectId)?.[1];
  if (id === undefined) throw new Error("Not a project id");
  const schema = `t_${id}`;
  return { projectId, schema, owner: `${schema}_owner`, worker: `${schema}_worker` };
}

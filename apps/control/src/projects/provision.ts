// A project's place on its cell. In: a project. Out: its schema, roles and signing key exist there.
import type { Cells } from "../cells/client.ts";
import type { Placement } from "../cells/transport.ts";
import type { ProjectStore } from "./store.ts";

/** Has the cell make what a project needs, where it hasn't yet. */
export type Provision = (project: Placement) => Promise<void>;

export function createProvision(store: ProjectStore, cells: Cells): Provision {
  return async (project) => {
    if (await store.isProvisioned(project.id)) return;
    await cells.provision(project);
    await store.markProvisioned(project.id);
  };
}

// Creates a project in its cell. In: a project. Out: its schema, roles and signing key exist there.
import type { Cells } from "../cells/client.ts";
import type { Placement } from "../cells/transport.ts";
import type { ProjectStore } from "./store.ts";

/** Lets the cell create the project, if it hasn't yet. */
export type Provision = (project: Placement) => Promise<void>;

export function createProvision(store: ProjectStore, cells: Cells): Provision {
  return async (project) => {
    if (await store.isProvisioned(project.id)) return;
    await cells.provision(project);
    await store.markProvisioned(project.id);
  };
}

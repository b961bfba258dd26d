// Which project a host names: `<id>.api.<domain>`. In: the operator's domain, and the host of a request. Out: the project's id.
// It never looks anything up: whether there is such a project, and who may use it, is found out by others.
import { isProjectId, type ProjectId } from "@plinth/bundle";
import { Fault } from "@plinth/service";

/** `none`: the host says nothing of projects. `malformed`: it stands under the domain, and begins with no project's id. */
export type HostProject = ProjectId | "none" | "malformed";

export type ProjectOfHost = (host: string) => HostProject;

/** @param domain In lower case; null: no host means anything. */
export function createProjectOfHost(domain: string | null): ProjectOfHost {
  if (domain === null) return () => "none";
  const suffix = `.api.${domain}`;
  return (host) => {
    const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
    // What isn't written as a host is, and names the domain somewhere, is taken for no other host.
    if (!name.endsWith(suffix)) return name.includes(suffix) ? "malformed" : "none";
    // Some clients refuse a host with an underscore.
    const id = name.slice(0, -suffix.length).replace(/^prj-/, "prj_");
    return isProjectId(id) ? id : "malformed";
  };
}

/** @throws Fault `bad_request`, `project_mismatch`. */
export function requireHostOf(projectId: ProjectId, named: HostProject): void {
  requireWellFormed(named);
  if (named !== "none" && named !== projectId) {
    throw new Fault("project_mismatch", { detail: "The host names another project." });
  }
}

/** @throws Fault `bad_request`. */
export function requireWellFormed(named: HostProject): void {
  if (named !== "malformed") return;
  throw new Fault("bad_request", {
    detail: "The host names no project. Put the project's id (prj_...) in front of .api, or leave it out.",
  });
}

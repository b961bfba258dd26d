// Reads the project that a host names: `<id>.api.<domain>`. In: the operator's domain, and the host of a request. Out:
// the project's id. It looks nothing up: other stages find out whether the project exists, and who can use it.
import { isProjectId, type ProjectId } from "@plinth/bundle";
import { Fault } from "@plinth/service";

/** `none`: the host doesn't name a project. `malformed`: it is in the domain, but doesn't begin with a project's id. */
export type HostProject = ProjectId | "none" | "malformed";

export type ProjectOfHost = (host: string) => HostProject;

/** @param domain In lower case; null: hosts don't name projects. */
export function createProjectOfHost(domain: string | null): ProjectOfHost {
  if (domain === null) return () => "none";
  const suffix = `.api.${domain}`;
  return (host) => {
    const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
    // A host in an unusual notation that contains the domain could still mean this domain.
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

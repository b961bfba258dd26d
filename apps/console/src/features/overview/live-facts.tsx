// Facts about the live version. In: the project and the state that the cell reports. Out: version, time, requests, address.
import type { Project, ProjectStatus } from "@plinth/control/router";
import type { ReactNode } from "react";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Time } from "../../ui/time.tsx";

export function LiveFacts({ project, status }: { project: Project; status: ProjectStatus | undefined }) {
  if (!project.live) return null;
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line shadow-card lg:grid-cols-4">
      <Fact name="Live version">
        <span className="font-mono text-[0.8125rem]" title={project.live.hash}>
          {project.live.hash.slice(0, 10)}
        </span>
      </Fact>
      <Fact name="Deployed">
        <Time at={project.live.deployedAt} />
      </Fact>
      <Fact name="Requests so far">
        <span className="tabular-nums">{status ? status.requests.toLocaleString("en") : "–"}</span>
      </Fact>
      <Fact name="API">
        <span className="flex items-center gap-1">
          <span className="truncate font-mono text-[0.8125rem]">{project.apiUrl.replace(/^https?:\/\//, "")}</span>
          <CopyButton text={project.apiUrl} label="Copy API address" className="-my-1" />
          <a
            className="ml-1 shrink-0 underline decoration-line underline-offset-4 hover:decoration-current"
            href={`${project.apiUrl}/v1/docs`}
            target="_blank"
            rel="noreferrer"
          >
            Reference
          </a>
        </span>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0 bg-surface px-4 py-3">
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className="mt-0.5 truncate font-medium">{children}</dd>
    </div>
  );
}

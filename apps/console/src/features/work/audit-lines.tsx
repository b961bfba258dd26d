// Lines of the project's audit log. In: the lines. Out: for each the operation, the actor, the record and the changes.
import type { AuditLine } from "@plinth/control/router";
import { Card } from "../../ui/card.tsx";
import { Time } from "../../ui/time.tsx";
import { Actor } from "./actor.tsx";
import { IdLink, recordPath, requestPath, runPath } from "./work-links.tsx";

/** Entities of the log that the data browser does not show. */
const hiddenEntities: ReadonlySet<string> = new Set([
  "session",
  "organization",
  "schedule",
  "action",
  "signing_secret",
]);

/** Operations whose changes are the whole record. They are not listed: a link leads to the record. */
const wholeRecordOperations: ReadonlySet<string> = new Set(["create", "delete", "restore"]);

interface AuditLinesProps {
  projectId: string;
  title: string;
  lines: readonly AuditLine[];
  /** The request that all lines belong to; null if there are several. */
  ofRequest?: string | null;
}

export function AuditLines({ projectId, title, lines, ofRequest = null }: AuditLinesProps) {
  return (
    <Card title={title} flush>
      <ul className="divide-y">
        {lines.map(({ id, at, operation, entity, recordId, actorKind, actorId, requestId, changes }) => (
          <li key={id} className="px-4 py-2.5 text-[0.8125rem]">
            <p className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5">
              <span className="font-medium">{operation?.replaceAll("_", " ")}</span>
              <LineSubject projectId={projectId} entity={entity} recordId={recordId} />
              <span className="flex min-w-0 gap-1 text-ink-soft">
                by <Actor kind={actorKind} id={actorId} />
              </span>
              <Time at={at} className="text-ink-soft" />
              {requestId === null || requestId === ofRequest ? null : (
                <IdLink href={requestPath(projectId, requestId)} id={requestId}>
                  request
                </IdLink>
              )}
            </p>
            {isEmpty(changes) || wholeRecordOperations.has(operation ?? "") ? null : (
              <p className="mt-0.5 font-mono text-xs break-words text-ink-soft">{JSON.stringify(changes)}</p>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

type LineSubjectProps = Pick<AuditLinesProps, "projectId"> & Pick<AuditLine, "entity" | "recordId">;

/** The record of a line, with a link if there is a page for it. */
export function LineSubject({ projectId, entity, recordId }: LineSubjectProps) {
  if (recordId === null || entity === null || hiddenEntities.has(entity)) {
    return <span className="text-ink-soft">{entity}</span>;
  }
  return (
    <IdLink
      href={entity === "run" ? runPath(projectId, recordId) : recordPath(projectId, entity, recordId)}
      id={recordId}
    >
      {entity}
    </IdLink>
  );
}

function isEmpty(changes: unknown): boolean {
  return changes === null || changes === undefined || Object.keys(changes).length === 0;
}

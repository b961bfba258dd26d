// A project's changes in one list, newest first. In: a project, and a filter. Out: a page of changes, each with its state.
import type { ConsentKind } from "@plinth/blueprint";
import { type SelectQueryBuilder, sql } from "kysely";
import type { ControlDatabase } from "../database/tables.ts";
import type { Timeline, TimelineEntry, TimelineFilter } from "./api.ts";
import { changeState, latestDeployment } from "./change-state.ts";

const PAGE = 25;

export interface TimelineStore {
  page(projectId: string, filter: TimelineFilter): Promise<Timeline>;
}

export function createTimelineStore(db: ControlDatabase): TimelineStore {
  return {
    page: async (projectId, { states, search, before }) => {
      let query = entries(db).where("proposals.project_id", "=", projectId);
      if (before !== undefined) query = query.where("proposals.number", "<", before);
      if (states !== undefined) query = query.where(changeState, "in", [...states]);
      if (search !== undefined) query = query.where(matches(search));
      const rows = await query
        .orderBy("proposals.number", "desc")
        .limit(PAGE + 1)
        .execute();
      const shown = rows.slice(0, PAGE).map(entry);
      return { changes: shown, next: rows.length > PAGE ? (shown.at(-1)?.number ?? null) : null };
    },
  };
}

/** A number as `#12` or `12`, otherwise a part of the title. */
function matches(search: string) {
  const number = /^#?(\d{1,9})$/.exec(search)?.[1];
  const pattern = `%${search.replace(/[\\%_]/g, "\\$&")}%`;
  return sql<boolean>`(proposals.title ILIKE ${pattern} OR proposals.number = ${number ?? null}::int)`;
}

function entries(db: ControlDatabase) {
  return db
    .selectFrom("proposals")
    .innerJoin("projects", "projects.id", "proposals.project_id")
    .innerJoin("people", "people.id", "proposals.created_by")
    .leftJoinLateral(latestDeployment, (join) => join.onTrue())
    .select(["proposals.id", "proposals.version_id", "proposals.number", "proposals.title", "proposals.created_at"])
    .select(["proposals.promoted_from", "proposals.consents", "proposals.author"])
    .select(["people.id as person_id", "people.name as person_name", "people.email as person_email"])
    .select(["deployment.error", "deployment.waiting_since", "deployment.created_at as deployed_at"])
    .select(changeState.as("state"));
}

type Row = ReturnType<typeof entries> extends SelectQueryBuilder<infer _DB, infer _TB, infer O> ? O : never;

function entry(row: Row): TimelineEntry {
  return {
    id: row.id,
    versionId: row.version_id,
    number: row.number,
    title: row.title,
    risks: [...new Set(row.consents.map((consent) => consent.split(" ", 1)[0] as ConsentKind))],
    state: row.state,
    error: row.error,
    waitingSince: row.waiting_since?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    createdBy: { id: row.person_id, name: row.person_name, email: row.person_email },
    deployedAt: row.deployed_at?.toISOString() ?? null,
    author: row.author,
    promotedFrom: row.promoted_from === null ? null : { kind: row.promoted_from.kind, name: row.promoted_from.name },
  };
}

// Finds which records a batch will write, as far as its paths and bodies say it. In: the operations. Out: the writes of
// entities that lock, so that their parents can be locked first, in one order. A parent that an earlier operation
// returns is locked when its operation runs.
import { isUuid } from "@plinth/service";
import { findRoute } from "../../http/route-table.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import { findEntity } from "../../query/entity-view.ts";
import type { PlannedWrite } from "../../query/lock-parents.ts";
import type { Operation } from "./read-batch.ts";

export function plannedWrites(release: ActiveRelease, operations: readonly Operation[]): readonly PlannedWrite[] {
  return operations.flatMap(({ method, path, body }) => {
    const found = method === "GET" ? null : findRoute(release, method, path);
    if (found?.kind !== "found") return [];
    const { entity, recordId } = found.match;
    const lock = findEntity(release, entity)?.entity.lock;
    if (lock === undefined) return [];
    const given = (body as Readonly<Record<string, unknown>> | null | undefined)?.[lock];
    const values = new Map(typeof given === "string" && isUuid(given) ? [[lock, given.toLowerCase()]] : []);
    return [{ entity, recordId: recordId ?? "", isNew: recordId === null, values }];
  });
}

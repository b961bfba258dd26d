// The subscribers to one entity of a project in this process. In: changes up to a number. Out: each subscriber gets the
// changes that they may see. One statement judges a batch for all subscribers with the same roles and filters. A slow
// reader falls behind, and continues later.
import type { ActiveRelease } from "../../project/active-release.ts";
import type { Tenant } from "../../project/tenant.ts";
import { type ChangesStatement, changeColumns, changesStatement } from "../../query/changes-statement.ts";
import type { CursorCodec } from "../../query/cursor.ts";
import { callerIn, entityView, forProject } from "../../query/entity-view.ts";
import { SIGHT } from "../../query/kept-changes.ts";
import { filterShape } from "../../query/reading/filter.ts";
import type { Follower } from "./follower.ts";

/** Maximum changes, differing subscribers, and product of both that one statement judges. */
const CHANGES_MAX = 500;
const FOLLOWERS_MAX = 500;
const JUDGED_MAX = 20_000;
/** Maximum answer of one statement. The next one gets the rest. */
const ANSWER_BYTES_MAX = 2_000_000;

export class Channel {
  readonly followers: Set<Follower> = new Set();
  /** The number of the entity's last known change. */
  last = 0;
  /** The changes after this number are complete. */
  from: number;
  readonly entity: string;
  release: ActiveRelease;
  readonly #cursors: CursorCodec;
  readonly #statements = new Map<string, ChangesStatement>();
  /** Halved while statements fail. */
  #changesMax = CHANGES_MAX;
  #sealed: readonly [position: number, text: string] = [-1, ""];

  constructor(release: ActiveRelease, entity: string, from: number, cursors: CursorCodec) {
    this.release = release;
    this.entity = entity;
    this.from = from;
    this.#cursors = cursors;
  }

  /** The id of an event. It doesn't reveal how many changes there are. */
  readonly seal: (position: number) => string = (position) => {
    if (this.#sealed[0] !== position) {
      this.#sealed = [position, this.#cursors.seal([String(position)], streamName(this.release, this.entity))];
    }
    return this.#sealed[1];
  };

  /** Null if it doesn't belong to this release and entity. */
  open(id: string): number | null {
    const position = this.#cursors.open(id, streamName(this.release, this.entity))?.[0];
    return position == null ? null : Number(position);
  }

  /** Subscribers continue under another release, and read everything again, because its rules may differ. */
  moveTo(release: ActiveRelease, head: number): void {
    this.release = release;
    this.#statements.clear();
    this.#sealed = [-1, ""];
    for (const follower of this.followers) follower.resync(head);
  }

  /** Sends new changes to all subscribers who have room. @throws the errors of a statement. */
  async deliver(tenant: Tenant, head: number): Promise<void> {
    for (const follower of this.followers) {
      if (follower.position >= this.last) follower.position = Math.max(follower.position, head);
    }
    for (;;) {
      const group = this.#nextGroup();
      if (group === null) return;
      await this.#deliverTo(tenant, group, head);
    }
  }

  /**
   * The subscribers who are furthest behind at the same position and share a statement. Those with equal results are
   * judged together.
   */
  #nextGroup(): Group | null {
    let first: Follower | null = null;
    for (const follower of this.followers) {
      if (!isReady(follower) || follower.position >= this.last) continue;
      if (first === null || follower.position < first.position) first = follower;
    }
    if (first === null) return null;
    const key = this.#keyOf(first);
    const { likeness } = this.#statementFor(first);
    const group = new Map<string, Follower[]>();
    for (const follower of this.followers) {
      if (follower.position !== first.position || !isReady(follower) || this.#keyOf(follower) !== key) continue;
      const like = likeness(follower);
      const alike = group.get(like);
      if (alike !== undefined) alike.push(follower);
      else if (group.size < FOLLOWERS_MAX) group.set(like, [follower]);
    }
    return [...group.values()];
  }

  #keyOf({ principal, organization, filter }: Follower): string {
    const { roles, unscoped } = callerIn(principal, organization);
    return `${unscoped ? "!" : ""}${roles.join(",")} ${filterShape(filter)}`;
  }

  #statementFor(follower: Follower): ChangesStatement {
    const key = this.#keyOf(follower);
    let statement = this.#statements.get(key);
    if (statement === undefined) {
      const view = entityView(this.release, this.entity);
      const open = changesStatement(view, callerIn(follower.principal, follower.organization), follower.filter);
      statement = { ...open, text: forProject(open.text, this.release) };
      this.#statements.set(key, statement);
    }
    return statement;
  }

  async #deliverTo(tenant: Tenant, group: Group, head: number): Promise<void> {
    const judged = group.map(([one]) => one as Follower);
    const [first] = judged as [Follower, ...Follower[]];
    const after = first.position;
    const many = Math.max(1, Math.min(this.#changesMax, Math.floor(JUDGED_MAX / group.length)));
    const to = Math.min(this.last, after + many);
    const { text, writes, values } = this.#statementFor(first);
    const msMax = this.release.bundle.limits.statementMsMax;
    const bounds = writes ? { lane: "slow" as const } : { lane: "earned" as const, bytesMax: ANSWER_BYTES_MAX };
    const given = values(judged, after, to);
    const result = await tenant.run({ text, values: given, writes, keep: true, msMax, ...bounds }).catch((error) => {
      this.#changesMax = Math.max(1, Math.floor(many / 2));
      throw error;
    });
    this.#changesMax = Math.min(CHANGES_MAX, this.#changesMax * 2);
    const rows = result.rows.map((row) => ({
      follower: Number(row[changeColumns.follower]) - 1,
      seq: Number(row[changeColumns.seq]),
      kind: row[changeColumns.kind] ?? "",
      id: row[changeColumns.id] ?? null,
      record: row[changeColumns.record] ?? null,
    }));
    const end = rows.at(-1);
    const cut = result.cut === true && end !== undefined ? end : null;
    for (const { follower: at, seq, kind, id, record } of rows) {
      for (const follower of group[at] ?? []) {
        // The subscriber may have left meanwhile.
        if (this.followers.has(follower)) tell(follower, { seq, kind, id, record });
      }
    }
    for (const [at, alike] of group.entries()) {
      // If the answer was cut within a change, only the first subscribers have received that change.
      const reached = cut === null ? to : at <= cut.follower ? cut.seq : cut.seq - 1;
      const past = reached >= this.last ? Math.max(head, reached) : reached;
      for (const follower of alike) follower.position = Math.max(follower.position, past);
    }
  }
}

type Group = readonly (readonly Follower[])[];

function isReady({ stream, isJudged }: Follower): boolean {
  return isJudged && !stream.isFull && !stream.isOver;
}

function tell(
  follower: Follower,
  change: { readonly seq: number; readonly kind: string; readonly id: string | null; readonly record: string | null },
): void {
  const { seq, kind, id, record } = change;
  if (kind === SIGHT) {
    follower.tell("resync", "{}", seq);
    return;
  }
  const shown = record === null ? "" : `,"record":${record}`;
  follower.tell(kind, `{"id":"${id}"${shown}}`, seq);
}

/** Ends with the release: what was seen under the rules of another one is read again. */
function streamName({ projectId, releaseId }: ActiveRelease, entity: string): string {
  return JSON.stringify([projectId, releaseId, entity, "changes"]);
}

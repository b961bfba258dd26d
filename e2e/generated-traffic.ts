// Sends random requests, and compares each with its expected outcome. In: a served project, its world, callers. Out:
// disagreements. Requests run one after the other, because simultaneous ones have no certain outcome.
import type { Entity, Operation } from "@plinth/blueprint";
import type { ApiDocument, Random } from "@plinth/testkit";
import type pg from "pg";
import { auditLinesOf, differenceFrom, type Snapshot, sameAudits, sameJson, snapshotOf } from "./generated-database.ts";
import { Inputs, NOBODY } from "./generated-inputs.ts";
import { grantsFor } from "./generated-judgement.ts";
import { expectList, listRefusal, pageMaxOf } from "./generated-lists.ts";
import {
  expectCan,
  expectCreate,
  expectDelete,
  expectRead,
  expectRestore,
  expectTransition,
  expectUpdate,
  type Outcome,
} from "./generated-outcomes.ts";
import { Readings } from "./generated-reading.ts";
import { type Caller, recordsOf, type Values, type World } from "./generated-world.ts";

export interface Served {
  readonly origin: string;
  readonly schema: string;
  readonly client: pg.Client;
  readonly world: World;
  readonly callers: readonly Caller[];
  readonly api: ApiDocument;
  readonly random: Random;
}

export interface Counts {
  requests: number;
  readonly byOperation: Record<string, number>;
  readonly byStatus: Record<string, number>;
  readonly disagreements: string[];
}

export function newCounts(): Counts {
  return { requests: 0, byOperation: {}, byStatus: {}, disagreements: [] };
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly body: {
    readonly data?: unknown;
    readonly code?: string;
    readonly page?: { readonly next_cursor: string | null; readonly count?: number };
  } | null;
}

const KINDS = [
  "list",
  "list",
  "read",
  "create",
  "create",
  "create",
  "update",
  "update",
  "update",
  "delete",
  "restore",
  "transition",
  "transition",
  "can",
  "reading",
  "reading",
  "groups",
] as const;

export class Traffic {
  readonly #served: Served;
  readonly #counts: Counts;
  #before: Snapshot | null = null;
  readonly #inputs: Inputs;
  readonly #readings: Readings;
  #number = 0;
  /** The time when the request was created. Times that the service sets are later. */
  #since = 0;

  constructor(served: Served, counts: Counts) {
    this.#served = served;
    this.#inputs = new Inputs(served.world, served.random);
    this.#readings = new Readings(served.world, served.random);
    this.#counts = counts;
  }

  async request(): Promise<void> {
    this.#since = Date.now();
    const { random, world, callers } = this.#served;
    const entity = random.pick(world.model.entities);
    // Sometimes an admin, so that there are records that others can't access.
    const caller = random.chance(0.25) ? random.pick(callers.filter(isAdmin)) : random.pick(callers);
    const kind = recordsOf(world, entity.name).length < 4 && random.chance(0.7) ? "create" : random.pick(KINDS);
    if (kind === "list") return this.#list(caller, entity);
    if (kind === "can") return this.#can(caller, entity);
    if (kind === "reading" || kind === "groups") return this.#reading(kind, caller, entity);
    if (kind === "read") return this.#read(caller, entity);
    return this.#write(kind, caller, entity);
  }

  async #write(
    kind: "create" | "update" | "delete" | "restore" | "transition",
    caller: Caller,
    entity: Entity,
  ): Promise<void> {
    const { world, random } = this.#served;
    const path = `/api/${entity.plural}`;
    const { record, id } =
      kind === "create" ? { record: null, id: "" } : this.#inputs.record(entity, kind === "restore");
    const one = `${path}/${id}`;
    switch (kind) {
      case "create": {
        const sent = this.#inputs.body(entity, "create");
        const outcome = expectCreate(world, caller, entity, sent);
        return this.#compare("create", caller, "POST", path, path, sent.body, outcome);
      }
      case "update": {
        const sent = this.#inputs.body(entity, "update", record);
        const outcome = expectUpdate(world, caller, entity, record, sent);
        return this.#compare("update", caller, "PATCH", one, `${path}/{id}`, sent.body, outcome);
      }
      case "delete":
        return this.#compare(
          "delete",
          caller,
          "DELETE",
          one,
          `${path}/{id}`,
          undefined,
          expectDelete(world, caller, entity, record),
        );
      case "restore": {
        if (!entity.softDelete) return;
        const outcome = expectRestore(world, caller, entity, record);
        return this.#compare("restore", caller, "POST", `${one}/restore`, `${path}/{id}/restore`, undefined, outcome);
      }
      case "transition": {
        if (entity.stateMachine === null) return;
        const edge = random.pick(entity.stateMachine.edges);
        const named = entity.fields.filter((field) => edge.require.includes(field.name) || random.chance(0.02));
        const sent = random.chance(0.5) ? this.#inputs.values(named) : { body: {}, wrong: [] };
        const outcome = expectTransition(world, caller, entity, record, edge, sent);
        const action = `transitions/${edge.name}`;
        return this.#compare(
          "transition",
          caller,
          "POST",
          `${one}/${action}`,
          `${path}/{id}/${action}`,
          sent.body,
          outcome,
        );
      }
    }
  }

  async #read(caller: Caller, entity: Entity): Promise<void> {
    const { record, id } = this.#inputs.record(entity, false);
    const outcome = expectRead(this.#served.world, caller, entity, record);
    const path = `/v1/resources/${entity.plural}`;
    await this.#compare("read", caller, "GET", `${path}/${id}`, `${path}/{id}`, undefined, outcome);
  }

  /** Sends it, and compares the reply, the rows and the audit log with the expected ones. */
  async #compare(
    operation: string,
    caller: Caller,
    method: string,
    path: string,
    template: string,
    body: unknown,
    outcome: Outcome,
  ): Promise<void> {
    const { world, client, schema } = this.#served;
    const since = this.#since;
    const before = this.#before ?? (await snapshotOf(client, schema, world, ""));
    const { reply, requestId } = await this.#send(operation, caller, method, path, body);
    const request = `${method} ${path} ${body === undefined ? "" : JSON.stringify(body)} as ${caller.name}`;
    const wrong: string[] = [];
    const { status } = reply;
    // A text that is no UUID is no record, whatever the body contains.
    const named = !template.includes("{id}") || /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.test(path);
    if (!named && outcome.kind === "refused" && status === 404) return;
    if (outcome.kind === "refused") {
      if (!outcome.statuses.includes(status))
        wrong.push(`${status}, expected ${outcome.statuses} (${outcome.why}): ${reply.text}`);
      if (status === 404 && operation !== "create")
        wrong.push(...(await this.#tellsHidden(caller, method, path, body, reply)));
    } else {
      if (status !== outcome.status) wrong.push(`${status}, expected ${outcome.status}: ${reply.text}`);
      else {
        const data = (reply.body?.data ?? null) as Values | null;
        const id = operation === "create" ? String(data?.["id"]) : "";
        outcome.commit(id);
        const expected = operation === "create" && outcome.data !== null ? { ...outcome.data, id } : outcome.data;
        const difference = recordDifference(data, expected, since);
        if (difference !== null) wrong.push(`the reply: ${difference}`);
      }
    }
    const audits = outcome.kind === "done" && status === outcome.status ? outcome.audits : [];
    if (operation !== "read" || audits.length > 0) {
      const after = await snapshotOf(client, schema, world, requestId);
      this.#before = after;
      if (audits.length === 0 && after.text !== before.text) wrong.push("rows have changed");
      const difference = differenceFrom(world, after, since);
      if (difference !== null) wrong.push(`the table: ${difference}`);
      if (after.audits - before.audits !== audits.length) {
        wrong.push(`${after.audits - before.audits} audit rows, expected ${audits.length}`);
      }
      if (!sameAudits(after.own, audits))
        wrong.push(`audit ${JSON.stringify(after.own)}, expected ${JSON.stringify(audits)}`);
    }
    for (const each of wrong) this.#disagree(request, each);
  }

  /** A hidden record gets the same answer as a missing one. */
  async #tellsHidden(caller: Caller, method: string, path: string, body: unknown, reply: Reply): Promise<string[]> {
    const elsewhere = path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, NOBODY);
    const { reply: missing } = await this.#fetch(caller, method, elsewhere, body);
    const same = missing.status === reply.status && withoutId(missing.text) === withoutId(reply.text);
    return same ? [] : [`hidden: ${reply.text}, missing: ${missing.status} ${missing.text}`];
  }

  async #list(caller: Caller, entity: Entity): Promise<void> {
    const { world, random } = this.#served;
    const asked = this.#inputs.listAsked(entity);
    const most = pageMaxOf(entity, caller, world.model.api.pageMax);
    const limit = random.chance(0.4) ? null : random.whole(1, Math.min(8, most));
    const path = `/api/${entity.plural}`;
    const query = new URLSearchParams(Object.entries(asked.filters).map(([name, value]) => [name, String(value)]));
    if (asked.sort.length > 0)
      query.set("sort", asked.sort.map(({ name, descending }) => `${descending ? "-" : ""}${name}`).join(","));
    if (limit !== null) query.set("limit", String(limit));
    const refusal = listRefusal(entity, caller, asked);
    const since = this.#since;
    const found: Values[] = [];
    const expected = refusal === null ? expectList(world, caller, entity, asked) : [];
    const size = limit ?? Math.min(20, most);
    for (let page = 0; page < 4; page++) {
      const target = `${path}?${query}`;
      const { reply } = await this.#send("list", caller, "GET", target, undefined);
      if (entity.audit === "all") this.#before = null;
      const request = `GET ${target} as ${caller.name}`;
      if (reply.status !== (refusal ?? 200))
        return this.#disagree(request, `${reply.status}, expected ${refusal ?? 200}: ${reply.text}`);
      if (refusal !== null) return;
      const data = reply.body?.data as Values[];
      const wanted = expected.slice(page * size, page * size + size);
      const ids = data.map((each) => each["id"]);
      if (
        !sameJson(
          ids,
          wanted.map((each) => each.id),
        )
      ) {
        return this.#disagree(
          request,
          `ids ${JSON.stringify(ids)}, expected ${JSON.stringify(wanted.map((each) => each.id))}`,
        );
      }
      for (const [i, record] of wanted.entries()) {
        const outcome = expectRead(world, caller, entity, record);
        const difference =
          outcome.kind === "done" ? recordDifference(data[i] ?? null, outcome.data, since) : outcome.why;
        if (difference !== null) this.#disagree(request, difference);
      }
      found.push(...data);
      const cursor = reply.body?.page?.next_cursor ?? null;
      if ((cursor !== null) !== expected.length > found.length) return this.#disagree(request, `cursor ${cursor}`);
      if (cursor === null) return;
      query.set("cursor", cursor);
    }
  }

  async #reading(kind: "reading" | "groups", caller: Caller, entity: Entity): Promise<void> {
    const asked = kind === "reading" ? this.#readings.list(caller, entity) : this.#readings.groups(caller, entity);
    if (asked === null) return;
    const target = `/api/${entity.plural}${kind === "groups" ? "/aggregate" : ""}?${asked.query}`;
    const { reply, requestId } = await this.#fetch(caller, "GET", target, undefined);
    this.#counts.byOperation[kind] = (this.#counts.byOperation[kind] ?? 0) + 1;
    // The request may have read records whose reads are audited.
    this.#before = null;
    const request = `GET ${decodeURIComponent(target)} as ${caller.name}`;
    // Nested rules of this length exceed the limit of one statement.
    if (reply.status === 400 && reply.text.includes("too large for one statement")) return;
    if (reply.status !== (asked.refusal ?? 200)) {
      return this.#disagree(request, `${reply.status}, expected ${asked.refusal ?? 200}: ${reply.text}`);
    }
    if (asked.refusal !== null) return;
    const most = Math.min(100, pageMaxOf(entity, caller, this.#served.world.model.api.pageMax));
    const wanted = asked.expected.slice(0, most);
    const { data, page } = reply.body ?? {};
    const isCounted = kind === "groups" || page?.count === asked.expected.length;
    if (!isCounted || !sameJson(data, wanted))
      return this.#disagree(request, `${reply.text}, expected ${asked.expected.length}: ${JSON.stringify(wanted)}`);
    const [kept, mustBe] = [await auditLinesOf(this.#served, requestId), asked.audits(wanted)];
    if (!sameJson(kept, mustBe)) this.#disagree(request, `audited ${kept}, expected ${mustBe}`);
  }

  async #can(caller: Caller, entity: Entity): Promise<void> {
    const { world, random } = this.#served;
    const edges = (entity.stateMachine?.edges ?? []).map((edge) => `transition:${edge.name}`);
    const operations = ["read", "update", "delete", ...(entity.softDelete ? ["restore"] : []), ...edges];
    const questions = Array.from({ length: random.whole(1, 5) }, () => {
      const { record, id } = this.#inputs.record(entity, random.chance(0.2));
      return { op: random.pick(operations), record, id };
    });
    const body = [
      ...questions.map(({ op, id }) => ({ resource: entity.plural, op, id })),
      { resource: entity.name, op: "create" },
    ];
    const { reply } = await this.#send("can", caller, "POST", "/v1/can", body);
    const expected = [
      ...questions.map(({ op, record }) => expectCan(world, caller, entity, op as Operation, record)),
      grantsFor(entity, "create", caller).length > 0,
    ];
    const found = ((reply.body?.data ?? []) as { allowed: boolean }[]).map((each) => each.allowed);
    if (!sameJson(found, expected)) {
      this.#disagree(
        `POST /v1/can ${JSON.stringify(body)} as ${caller.name}`,
        `${JSON.stringify(found)}, expected ${JSON.stringify(expected)}: ${reply.status}`,
      );
    }
  }

  async #send(operation: string, caller: Caller, method: string, path: string, body: unknown) {
    const sent = await this.#fetch(caller, method, path, body);
    const { reply } = sent;
    this.#counts.byOperation[operation] = (this.#counts.byOperation[operation] ?? 0) + 1;
    const problem = this.#served.api.replyProblem({ method, target: path, isList: false }, reply);
    if (problem !== null)
      this.#disagree(`${method} ${path} as ${caller.name}`, `outside the document: ${problem} ${reply.text}`);
    return sent;
  }

  async #fetch(
    caller: Caller,
    method: string,
    path: string,
    body: unknown,
  ): Promise<{ reply: Reply; requestId: string }> {
    const requestId = `differential-${this.#served.schema}-${++this.#number}`;
    const response = await fetch(this.#served.origin + path, {
      method,
      headers: {
        ...caller.headers,
        "x-request-id": requestId,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status } = response;
    this.#counts.requests++;
    this.#counts.byStatus[status] = (this.#counts.byStatus[status] ?? 0) + 1;
    const parsed = text === "" ? null : JSON.parse(text);
    if (status >= 500)
      this.#disagree(`${method} ${path} ${JSON.stringify(body)} as ${caller.name}`, `${status} ${text}`);
    return {
      reply: { status, type: (response.headers.get("content-type") ?? "").split(";", 1)[0] ?? "", text, body: parsed },
      requestId,
    };
  }

  #disagree(request: string, what: string): void {
    this.#counts.disagreements.push(`${request}\n    ${what}`);
  }
}

function isAdmin({ user }: Caller): boolean {
  return user.roles.includes("admin");
}

function withoutId(text: string): string {
  return text.replace(/"request_id":"[^"]*"/, "").replace(/differential-[^"]*/, "");
}

/** Only the service knows the times that it has just set. */
function recordDifference(found: Values | null, expected: Values | null, since: number): string | null {
  if (found === null || expected === null)
    return found === expected ? null : `${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`;
  const names = [Object.keys(found).sort(), Object.keys(expected).sort()];
  if (!sameJson(names[0], names[1])) return `shows ${names[0]}, expected ${names[1]}`;
  for (const [name, value] of Object.entries(found)) {
    if (sameJson(value, expected[name])) continue;
    const times = [value, expected[name]].map((each) => (typeof each === "string" ? Date.parse(each) : Number.NaN));
    if (times.every((at) => at >= since - 50 && at <= Date.now() + 50)) continue;
    return `${name} is ${JSON.stringify(value)}, expected ${JSON.stringify(expected[name])}`;
  }
  return null;
}

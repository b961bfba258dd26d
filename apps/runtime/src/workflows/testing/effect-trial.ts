// Tries one side of generated changes. In: a stage, and the work of each pair. Out: for each pair everything that the
// work did and showed: writes of the service, values that a caller can read away from their own place, and values that
// left. After each approval it looks again, so that an approval that isn't needed any more shows.
import type { EffectPair } from "./effect-pairs.ts";
import type { EffectStage } from "./effect-stage.ts";
import type { Work } from "./effect-work.ts";

/** By pair: what was seen after each phase, all earlier ones included. */
export type Seen = ReadonlyMap<string, readonly ReadonlySet<string>[]>;

/** Those who cause something; the others only read and approve. */
const causers = ["u0", "s0", "l0"] as const;
/** In this order everybody approves what they can: causers themselves first, then others with the same roles. */
const approvers = ["u0", "s0", "l0", "u9", "s3", "l3"] as const;

/** @param side Which work of a pair is tried. */
export async function trySide(
  stage: EffectStage,
  pairs: readonly EffectPair[],
  side: (pair: EffectPair) => Work,
): Promise<Seen> {
  await stage.clear();
  const idle: Work = { workflows: {}, workers: {}, actions: {} };
  await stage.deploy(pairs.map(() => idle));
  const records = new Map<string, Made>();
  for (const pair of pairs)
    for (const who of causers) records.set(`${pair.name} ${who}`, await prepare(stage, pair, who));
  await stage.deploy(pairs.map(side));
  await stage.work.sql("TRUNCATE {schema}.audit_log");
  for (const cause of causes) {
    for (const pair of pairs)
      await Promise.all(causers.map((who) => cause(stage, pair, who, records.get(`${pair.name} ${who}`) as Made)));
    await settle(stage);
  }
  const seen = new Map(pairs.map(({ name }) => [name, [] as Set<string>[]]));
  await look(stage, pairs, seen, false);
  for (const [at, who] of approvers.entries()) {
    await approve(stage, who);
    await look(stage, pairs, seen, at === approvers.length - 1);
  }
  return seen;
}

/** The ids of a causer's records. */
interface Made {
  readonly gifts: readonly string[];
  readonly asked: string[];
}

/** A value that is found again wherever it is copied: its kind, its pair, its owner, and one of the owner's records. */
const token = (kind: string, { name }: EffectPair, who: string, fee = 0): string => `tok-${kind}-${name}-${who}f${fee}`;

async function prepare(stage: EffectStage, pair: EffectPair, who: string): Promise<Made> {
  const { name } = pair;
  const safe = { text: token("safe", pair, who), user_id: stage.idOf(who) };
  await made(stage, "admin", `/api/safe${name}s`, safe);
  const gifts = ["low", "high", "gone", "act"].map((label) =>
    made(stage, "l0", `/api/gift${name}s`, { label: `${label} ${who}` }),
  );
  return { gifts: await Promise.all(gifts), asked: [] };
}

async function made(stage: EffectStage, who: string, path: string, body: object): Promise<string> {
  const { status, json } = await stage.send(who, "POST", path, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
  return json.data.id;
}

const asks = [
  { fee: 1, isDeleted: true },
  { fee: 4, isDeleted: false },
  { fee: 5, isDeleted: true },
];

/** The requests that can start something: kinds of them, each for all causers, with the work of one done before the next. */
const causes: readonly ((stage: EffectStage, pair: EffectPair, who: string, made: Made) => Promise<void>)[] = [
  async (stage, pair, who, { gifts, asked: ids }) => {
    for (const [at, { fee }] of asks.entries()) {
      const [title, note] = [token("title", pair, who, fee), token("note", pair, who, fee)];
      const body = { title, note, fee, gift_id: gifts[at] };
      ids.push(await made(stage, who, `/api/ask${pair.name}s`, body));
    }
  },
  async (stage, pair, who, { asked: ids }) => {
    for (const [at, { fee }] of asks.entries())
      await stage.send(who, "PATCH", `/api/ask${pair.name}s/${ids[at]}`, { fee: fee + 1 });
  },
  async (stage, pair, who, { asked: ids }) => {
    for (const [at, { isDeleted }] of asks.entries())
      if (isDeleted) await stage.send(who, "DELETE", `/api/ask${pair.name}s/${ids[at]}`);
  },
  async (stage, pair, who, { gifts }) => {
    const hasAction = Object.keys({ ...pair.before.actions, ...pair.after.actions }).length > 0;
    for (const level of hasAction ? [0, 2, 5, 8] : [])
      await stage.send(who, "POST", `/v1/actions/act${pair.name}`, { gift: gifts.at(-1), level });
  },
];

async function settle({ work }: EffectStage): Promise<void> {
  await work.settled(120_000);
}

async function approve(stage: EffectStage, who: string): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const { json } = await stage.send(who, "GET", "/v1/runs/approvals?limit=100");
    const waiting: { run_id: string; step: string }[] = json?.data ?? [];
    if (waiting.length === 0) return;
    await Promise.all(
      waiting.map(({ run_id, step }) => stage.send(who, "POST", `/v1/runs/${run_id}/approve`, { step })),
    );
    await settle(stage);
  }
}

async function look(
  stage: EffectStage,
  pairs: readonly EffectPair[],
  seen: ReadonlyMap<string, Set<string>[]>,
  readsToo: boolean,
): Promise<void> {
  const writes = await stage.work.sql(
    `SELECT a.request_id, a.operation, a.entity, a.record_id::text AS id, a.changes::text AS changes
     FROM {schema}.audit_log a WHERE a.actor_kind = 'service' AND a.record_id IS NOT NULL`,
  );
  const left = stage.left();
  for (const pair of pairs) {
    const found = new Set<string>();
    for (const row of writes) {
      const { entity, request_id, operation } = row as Record<string, string>;
      // An emptied reference follows from the delete of its record, which counts itself.
      if (!entity?.endsWith(pair.name) || entity.startsWith("ask")) continue;
      const who = String(request_id).split("-")[0] ?? "";
      const changes = JSON.parse(String(row["changes"] ?? "{}")) as Record<string, unknown>;
      if (await couldDo(stage, pair, who, { entity, operation: operation ?? "", changes })) continue;
      found.add(`write ${who} ${operation} ${entity} ${written(changes)}`);
    }
    for (const { to, content } of left) {
      if (to.startsWith("call") && !to.startsWith(`call /${pair.name}/`)) continue;
      for (const value of tokensIn(content, pair)) found.add(`left ${to} ${value}`);
      if (to.startsWith("call")) found.add(`left ${to}`);
    }
    if (readsToo) for (const value of await readable(stage, pair)) found.add(value);
    seen.get(pair.name)?.push(found);
  }
}

/** The new values, without the ids of records that differ each time. */
function written(changes: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(Object.entries(changes).sort(([a], [b]) => (a < b ? -1 : 1)));
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id").replaceAll(/\d{4}-\d\d-\d\dT[^"]*/g, "time");
}

function tokensIn(text: string, { name }: EffectPair): readonly string[] {
  return [...text.matchAll(/tok-[a-z]+-x\d+(?:-\w+)?/g)]
    .map(([found]) => found)
    .filter((found) => found.split("-")[2] === name);
}

/** Values that a caller finds in `wall`, and can't read where they are stored. */
async function readable(stage: EffectStage, pair: EffectPair): Promise<readonly string[]> {
  const textAt = async (who: string, entity: string): Promise<string> => {
    const { json } = await stage.send(who, "GET", `/api/${entity}${pair.name}s?limit=100`);
    return JSON.stringify(json);
  };
  const each = await Promise.all(
    stage.callers.map(async (who) => {
      const copies = tokensIn(await textAt(who, "wall"), pair);
      const hidden = copies.filter((one) => !couldAlwaysRead(who, one));
      const places = hidden.length === 0 ? "" : `${await textAt(who, "ask")} ${await textAt(who, "safe")}`;
      return hidden.filter((one) => !places.includes(one)).map((one) => `read ${who} ${one}`);
    }),
  );
  return each.flat();
}

/** The record may be deleted by now: what its owner and others with rights could read in it follows from the rules. */
function couldAlwaysRead(who: string, found: string): boolean {
  const [, kind, , owner = ""] = found.split("-");
  if (kind === "cost") return isLead(who);
  if (kind === "note") return owner.startsWith(`${who}f`) || isLead(who);
  return kind === "title" && (owner.startsWith(`${who}f`) || isLead(who) || /^(s\d|both)$/.test(who));
}

function isLead(who: string): boolean {
  return who.startsWith("l") || who === "both";
}

/** Whether the causer could do the same by a request: the cell is asked, with a dry run. */
const asked = new Map<string, Promise<boolean>>();

function couldDo(
  stage: EffectStage,
  pair: EffectPair,
  who: string,
  { entity, operation, changes }: { entity: string; operation: string; changes: Readonly<Record<string, unknown>> },
): Promise<boolean> {
  const fields = Object.entries(changes)
    .filter(([name, value]) => ["level", "user_id", "text", "label"].includes(name) && value !== null)
    .map(([name]) => name);
  const kind = entity.slice(0, -pair.name.length);
  const key = `${who} ${operation} ${kind} ${fields.sort().join()}`;
  const known = asked.get(key) ?? askCell(stage, pair, who, { entity, operation, fields });
  asked.set(key, known);
  return known;
}

async function askCell(
  stage: EffectStage,
  pair: EffectPair,
  who: string,
  { entity, operation, fields }: { entity: string; operation: string; fields: readonly string[] },
): Promise<boolean> {
  if (!stage.callers.includes(who)) return false;
  const values: Readonly<Record<string, unknown>> = { level: 1, user_id: stage.idOf("u5"), text: "x", label: "x" };
  const body = Object.fromEntries(fields.map((name) => [name, values[name]]));
  const path = `/api/${entity}s`;
  if (operation === "create") return (await stage.send(who, "POST", `${path}?dry_run=true`, body)).status === 201;
  if (entity.startsWith("wall")) return false;
  const another = await made(stage, "l0", path, { label: `spare ${pair.name}` });
  const target = `${path}/${another}?dry_run=true`;
  const { status } =
    operation === "delete" ? await stage.send(who, "DELETE", target) : await stage.send(who, "PATCH", target, body);
  await stage.send("l0", "DELETE", `${path}/${another}`);
  return status < 300;
}

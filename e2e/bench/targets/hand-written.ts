// The targets F1 and F1*: what a good engineer writes by hand with Fastify and postgres.js. F1 has a pool of 8
// connections and writes the audit row as a second statement in a transaction. F1* is tuned: a pool of 2, and the audit
// row in a CTE. Both know one API key and one user, in memory, so they do less work for a caller than ours.
import { parseArgs } from "node:util";
import Fastify from "fastify";
import postgres from "postgres";

const { values: options } = parseArgs({
  options: {
    port: { type: "string" },
    database: { type: "string" },
    key: { type: "string" },
    user: { type: "string" },
    tuned: { type: "boolean", default: false },
  },
});
const { port, database, key, tuned } = options;
if (port === undefined || database === undefined || key === undefined || options.user === undefined) {
  throw new Error("usage: hand-written --port N --database URL --key KEY --user UUID [--tuned]");
}
const user: string = options.user;

interface Article {
  title: string;
  body: string;
  status?: string;
  score?: number;
}
type Changes = Partial<Article>;
type Field = keyof Article;

const sql = postgres(database, { max: tuned ? 2 : 8 });
const app = Fastify();

app.addHook("onRequest", async (request, reply) => {
  if (request.headers.authorization !== `Bearer ${key}`) await reply.code(401).send({ error: "unauthenticated" });
});

app.get<{ Params: { id: string } }>("/articles/:id", async (request, reply) => {
  const rows = await sql`
    select id, title, body, status, score, created_by, created_at, updated_at, version
    from hand.articles
    where id = ${request.params.id} and (status = 'active' or created_by = ${user})`;
  if (rows.length === 0) return reply.code(404).send({ error: "not found" });
  return { data: rows[0] };
});

const pageSize = 20;

app.get<{ Querystring: { status: string; cursor?: string } }>("/articles", async (request) => {
  const { status, cursor } = request.query;
  const rows = await sql`
    select id, title, body, status, score, created_by, created_at, updated_at, version
    from hand.articles
    where status = ${status} and (status = 'active' or created_by = ${user})
      ${cursor === undefined ? sql`` : sql`and (created_at, id) < (select created_at, id from hand.articles where id = ${cursor})`}
    order by created_at desc, id desc
    limit 21`;
  const page = rows.slice(0, pageSize);
  const more = rows.length > pageSize;
  return { data: page, page: { next_cursor: more ? page.at(-1)?.["id"] : null, has_more: more } };
});

app.get<{ Querystring: { topic_id: string } }>("/posts", async (request) => {
  const topicId = request.query.topic_id;
  const [posts, [{ count } = { count: 0 }]] = await Promise.all([
    sql`
      select p.id, p.topic_id, p.title, p.body, p.status, p.created_by, p.created_at, p.updated_at, p.version,
        to_json(t) as topic
      from hand.posts p join hand.topics t on t.id = p.topic_id
      where p.topic_id = ${topicId} and (p.status = 'active' or p.created_by = ${user})
      order by p.created_at desc, p.id desc
      limit 21`,
    sql`select count(*)::int from hand.posts where topic_id = ${topicId} and (status = 'active' or created_by = ${user})`,
  ]);
  const page = posts.slice(0, pageSize);
  const replies = await sql`
    select id, post_id, body, created_by, created_at, updated_at, version from hand.replies
    where post_id in ${sql(page.map((post) => post["id"]))}
    order by created_at desc, id desc`;
  const byPost = Map.groupBy(replies, (reply) => reply["post_id"]);
  const data = page.map((post) => ({ ...post, replies: byPost.get(post["id"]) ?? [] }));
  return { data, page: { has_more: posts.length > pageSize, count } };
});

const properties = {
  title: { type: "string", maxLength: 255 },
  body: { type: "string" },
  status: { enum: ["draft", "active", "archived"] },
  score: { type: "integer" },
};
const articleSchema = { type: "object", required: ["title", "body"], additionalProperties: false, properties };
const changesSchema = { type: "object", minProperties: 1, additionalProperties: false, properties };

app.post<{ Body: Article }>("/articles", { schema: { body: articleSchema } }, async (request, reply) => {
  const { title, body, status = "draft", score = 0 } = request.body;
  const record = tuned
    ? await createInOneStatement(title, body, status, score, request.id)
    : await createInTransaction(title, body, status, score, request.id);
  return reply.code(201).send({ data: record });
});

async function createInOneStatement(title: string, body: string, status: string, score: number, requestId: string) {
  const rows = await sql`
    with created as (
      insert into hand.articles (id, title, body, status, score, created_by)
      values (gen_random_uuid(), ${title}, ${body}, ${status}, ${score}, ${user})
      returning id, title, body, status, score, created_by, created_at, updated_at, version
    ), audited as (
      insert into hand.audit_log (request_id, actor_id, operation, entity, record_id, changes)
      select ${requestId}, ${user}, 'create', 'article', id, to_jsonb(created) from created
    )
    select * from created`;
  return rows[0];
}

async function createInTransaction(title: string, body: string, status: string, score: number, requestId: string) {
  return sql.begin(async (transaction) => {
    const [record] = await transaction`
      insert into hand.articles (id, title, body, status, score, created_by)
      values (gen_random_uuid(), ${title}, ${body}, ${status}, ${score}, ${user})
      returning id, title, body, status, score, created_by, created_at, updated_at, version`;
    await transaction`
      insert into hand.audit_log (request_id, actor_id, operation, entity, record_id, changes)
      values (${requestId}, ${user}, 'create', 'article', ${record?.["id"]}, ${transaction.json(record as never)})`;
    return record;
  });
}

app.patch<{ Params: { id: string }; Body: Changes }>(
  "/articles/:id",
  { schema: { body: changesSchema } },
  async (request, reply) => {
    const { body: changes, id: requestId } = request;
    const record = await (tuned ? updateInOneStatement : updateInTransaction)(request.params.id, changes, requestId);
    if (record === undefined) return reply.code(404).send({ error: "not found" });
    return { data: record };
  },
);

/** The audit row contains the old and new value of each changed field. */
async function updateInOneStatement(id: string, changes: Changes, requestId: string) {
  const fields = Object.keys(changes) as Field[];
  const list = (each: (field: Field) => postgres.PendingQuery<postgres.Row[]>) =>
    fields.map(each).reduce((all, one) => sql`${all}, ${one}`);
  // postgres.js misreads `${sql(changes)}` after `for update`.
  const assignments = list((field) => sql`${sql(field)} = ${changes[field] as string | number}`);
  const pairs = list(
    (field) => sql`${sql.unsafe(`'${field}'`)}, jsonb_build_array(before.${sql(field)}, changed.${sql(field)})`,
  );
  const rows = await sql`
    with before as (
      select * from hand.articles where id = ${id} and created_by = ${user} for update
    ), changed as (
      update hand.articles a
      set ${assignments}, updated_at = now(), version = a.version + 1
      from before where a.id = before.id
      returning a.id, a.title, a.body, a.status, a.score, a.created_by, a.created_at, a.updated_at, a.version
    ), audited as (
      insert into hand.audit_log (request_id, actor_id, operation, entity, record_id, changes)
      select ${requestId}, ${user}, 'update', 'article', changed.id, jsonb_build_object(${pairs}) from changed, before
    )
    select * from changed`;
  return rows[0];
}

async function updateInTransaction(id: string, changes: Changes, requestId: string) {
  const fields = Object.keys(changes) as Field[];
  return sql.begin(async (transaction) => {
    const [row] = await transaction`
      update hand.articles a set ${transaction(changes, ...fields)}, updated_at = now(), version = a.version + 1
      from (select * from hand.articles where id = ${id} and created_by = ${user} for update) before
      where a.id = before.id
      returning a.id, a.title, a.body, a.status, a.score, a.created_by, a.created_at, a.updated_at, a.version,
        to_jsonb(before) as before`;
    if (row === undefined) return undefined;
    const { before, ...record } = row;
    const pairs = Object.fromEntries(fields.map((field) => [field, [before[field], record[field]]]));
    await transaction`
      insert into hand.audit_log (request_id, actor_id, operation, entity, record_id, changes)
      values (${requestId}, ${user}, 'update', 'article', ${id}, ${transaction.json(pairs as never)})`;
    return record;
  });
}

await app.listen({ port: Number(port), host: "127.0.0.1" });
process.on("SIGTERM", () => process.exit(0));

// The yardsticks F1 and F1*: what a good engineer writes by hand with Fastify and postgres.js.
// F1 has a pool of 8 and writes its audit row as a second statement in a transaction; F1* is tuned: pool of 2, audit in a CTE.
// It knows one API key and one user, both in memory: less work than ours does for a caller.
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

const articleSchema = {
  type: "object",
  required: ["title", "body"],
  additionalProperties: false,
  properties: {
    title: { type: "string", maxLength: 255 },
    body: { type: "string" },
    status: { enum: ["draft", "active", "archived"] },
    score: { type: "integer" },
  },
};

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

await app.listen({ port: Number(port), host: "127.0.0.1" });
process.on("SIGTERM", () => process.exit(0));

// The Prisma target of W5, behind Fastify, as Prisma's documentation shows a page with relations and a count.
// In: --port, --database, --key, --user. `generated/` is made from schema.prisma before it starts.
import { parseArgs } from "node:util";
import { PrismaPg } from "@prisma/adapter-pg";
import Fastify from "fastify";
import { PrismaClient } from "./generated/client.ts";

const { values: options } = parseArgs({
  options: {
    port: { type: "string" },
    database: { type: "string" },
    key: { type: "string" },
    user: { type: "string" },
  },
});
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: options.database, max: 8 }) });
const app = Fastify();

app.addHook("onRequest", async (request, reply) => {
  if (request.headers.authorization !== `Bearer ${options.key}`)
    await reply.code(401).send({ error: "unauthenticated" });
});

app.get("/posts", async (request) => {
  const where = { topicId: request.query.topic_id, OR: [{ status: "active" }, { createdBy: options.user }] };
  const [posts, count] = await Promise.all([
    prisma.post.findMany({
      where,
      include: { topic: true, replies: { orderBy: [{ createdAt: "desc" }, { id: "desc" }], take: 20 } },
      orderBy: [{ createdAt: "desc" }, { id: "desc" }],
      take: 21,
    }),
    prisma.post.count({ where }),
  ]);
  return { data: posts.slice(0, 20), page: { has_more: posts.length > 20, count } };
});

await app.listen({ port: Number(options.port), host: "127.0.0.1" });
process.on("SIGTERM", () => process.exit(0));

// Predicates on a real Postgres grant the same as the in-memory evaluator.
import { fillTemplate } from "@plinth/bundle";
import { allows, type Expression, type Row, type Value } from "@plinth/expression";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import { catalogOf } from "../sql/catalog.ts";
import { list, literal, modelOf, operation, path, userEmail, userId, userRoles } from "../testing/sample-model.ts";
import { apply, firstPlan, provision, thing } from "../testing/sample-schema.ts";
import { holds } from "./lower.ts";

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

describe("predicates", () => {
  const model = modelOf(thing);
  const catalog = catalogOf(model);
  const people = ["0190b3c2-0000-7000-8000-000000000001", "0190b3c2-0000-7000-8000-000000000002"] as const;
  const values = {
    title: [null, "", "a", "B", "b", "ä", "😀", "｡", "it's {row} \\"],
    price: [null, -1, 0, 1, 2147483647],
    status: [null, "draft", "active"],
    visible: [null, true, false],
    due_at: [null, "2026-01-31T09:30:00.000001Z", "2026-01-31T11:30:00.000000+02:00", "2027-01-01T00:00:00Z"],
    owner_id: [null, ...people],
  } as const;
  const rows: Row[] = [];

  beforeAll(async () => {
    const names = await provision(client, "rules");
    await apply(client, firstPlan(compileModel(model).tables), names);
    for (const [at, id] of people.entries())
      await client.query("insert into rules.users (id, email) values ($1, $2)", [id, `${at}@example.com`]);
    // Every value together with every kind of other value, in an order that rarely repeats.
    for (let at = 0; at < 60; at++) {
      const pick = (name: keyof typeof values, step: number): Value =>
        values[name][Math.floor(at * step) % values[name].length] ?? null;
      const id = `0190b3c2-1111-7000-8000-0000000000${String(at).padStart(2, "0")}`;
      const parent = at % 4 === 0 ? undefined : rows[Math.floor(at / 2)];
      const row = {
        id,
        title: pick("title", 1),
        price: pick("price", 1.7),
        status: pick("status", 0.7),
        visible: pick("visible", 1.3),
        due_at: pick("due_at", 0.9),
        owner_id: pick("owner_id", 0.6),
        parent_id: parent?.values.id ?? null,
      };
      rows.push({ values: row, ...(parent === undefined ? {} : { related: { parent_id: parent } }) });
      const columns = Object.keys(row);
      await client.query(
        `insert into rules.things (${columns.join(", ")}) values (${columns.map((_, index) => `$${index + 1}`).join(", ")})`,
        Object.values(row),
      );
    }
  });

  const caller = fc.constantFrom(
    { id: null, email: null, roles: [] },
    { id: people[0], email: "a", roles: ["user", "admin"] },
    { id: people[1], email: "😀", roles: ["user"] },
  );

  /** A field and literals of one type; the field is sometimes one or two references away. */
  const operands = fc.constantFrom("title", "price", "status", "due_at", "owner_id").chain((name) => {
    const kinds = { title: "text", price: "int", due_at: "datetime", owner_id: "uuid" } as const;
    const type = name === "status" ? ({ kind: "enum", values: ["draft", "active"] } as const) : { kind: kinds[name] };
    const leaf = fc.integer({ min: 0, max: 2 }).map((hops) => path(type, ...Array(hops).fill("parent_id"), name));
    const constants = values[name].filter((value) => value !== null).map((value) => literal(value, type));
    const constant: fc.Arbitrary<Expression> = fc.constantFrom(...constants);
    const special = name === "title" ? [userEmail] : name === "owner_id" ? [userId] : [];
    return fc.record({ leaf, constant, other: fc.oneof(leaf, constant, ...special.map((one) => fc.constant(one))) });
  });

  const comparison: fc.Arbitrary<Expression> = operands.chain(({ leaf, constant, other }) =>
    fc.constantFrom(
      operation("==", leaf, other),
      operation("!=", other, leaf),
      operation("<", leaf, other),
      operation("<=", leaf, other),
      operation(">", leaf, other),
      operation(">=", leaf, other),
      operation("==", leaf, literal(null)),
      operation("!=", literal(null), leaf),
      operation("in", leaf, list(constant, constant)),
      operation("in", literal("admin"), userRoles),
      path({ kind: "bool" }, "visible"),
      path({ kind: "bool" }, "parent_id", "visible"),
    ),
  );

  const { rule } = fc.letrec<{ rule: Expression }>((tie) => ({
    rule: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      comparison,
      tie("rule").map((one) => operation("!", one)),
      fc.array(tie("rule"), { minLength: 2, maxLength: 3 }).map((args) => operation("&&", ...args)),
      fc.array(tie("rule"), { minLength: 2, maxLength: 3 }).map((args) => operation("||", ...args)),
    ),
  }));

  test("grant in Postgres exactly what the evaluator grants, and are never null", async () => {
    let granted = 0;
    await fc.assert(
      fc.asyncProperty(rule, caller, async (one, user) => {
        const parameters: Record<string, string> = { "user.id": "$1", "user.email": "$2", "user.roles": "$3" };
        const sql = fillTemplate(holds(one, { entity: "thing", catalog }), (hole) =>
          hole === "schema" ? '"rules"' : hole === "record" ? "r" : parameters[hole],
        );
        const result = await client.query<{ id: string; allowed: boolean | null }>(
          `select r.id, ${sql} as allowed from rules.things r
           where $1::uuid is null or $2::text is null or $3::text[] is null or true order by r.id`,
          [user.id, user.email, user.roles],
        );
        const wanted = rows.map((row) => ({
          id: row.values.id,
          allowed: allows(one, { rows: { record: row }, user }),
        }));
        granted += wanted.filter((row) => row.allowed).length;
        expect(result.rows).toEqual(wanted);
      }),
      { numRuns: 400 },
    );
    expect(granted).toBeGreaterThan(1000);
  });

  test("never fail in arithmetic of whole numbers", async () => {
    const int = { kind: "int" } as const;
    const price = path(int, "price");
    const chosen: Expression = {
      ...operation("?:", path({ kind: "bool" }, "visible"), price, literal(2147483647)),
      type: int,
    };
    const size: Expression = { ...operation("size", path({ kind: "text" }, "title")), type: int };
    const decimal = { kind: "decimal" } as const;
    const large = literal("9000000000", decimal);
    for (const [operator, left, right, type] of [
      ["+", chosen, chosen, int],
      ["-", chosen, size, int],
      ["*", chosen, size, int],
      ["*", chosen, chosen, int],
      ["/", large, price, decimal],
      ["*", large, large, decimal],
      ["/", { ...chosen, type: decimal }, large, decimal],
    ] as const) {
      const made: Expression = { ...operation(operator, left, right), type };
      const rule = operation(">", made, literal(0));
      const sql = fillTemplate(holds(rule, { entity: "thing", catalog }), (hole) => (hole === "record" ? "r" : ""));
      const { rows: found } = await client.query(`select r.id, ${sql} as allowed from rules.things r order by r.id`);
      const user = { id: null, email: null, roles: [] };
      expect(found).toEqual(
        rows.map((row) => ({ id: row.values.id, allowed: allows(rule, { rows: { record: row }, user }) })),
      );
    }
  });

  test("can use an index for a rule about the caller's own rows", async () => {
    const sql = fillTemplate(
      holds(operation("==", path({ kind: "uuid" }, "owner_id"), userId), { entity: "thing", catalog }),
      (hole) => (hole === "record" ? "r" : `'${people[0]}'`),
    );
    await client.query("set enable_seqscan = off");
    const { rows: plan } = await client.query<{ "QUERY PLAN": string }>(
      `explain select * from rules.things r where ${sql}`,
    );
    await client.query("reset enable_seqscan");
    expect(plan.map((line) => line["QUERY PLAN"]).join("\n")).toContain("things__owner_id__idx");
  });
});

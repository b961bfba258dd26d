// Inserts rows for the attacks. In: the projects' schemas. Out: filled, analyzed tables. It uses SQL, because the API
// would take too long.
import type { Stage } from "./attack.ts";
import type { Size } from "./target.ts";

interface Seed {
  readonly victim: string;
  readonly hostile: readonly string[];
  readonly size: Size;
}

export async function seed(query: Stage["query"], { victim, hostile, size }: Seed): Promise<void> {
  await query(
    `insert into "${victim}".articles (id, title, body, status, score, created_by)
     select lpad(to_hex(n), 32, '0')::uuid, 'Title ' || n, repeat('A body of some length. ', 10), 'active', n % 100,
       (select id from "${victim}".users order by email limit 1)
     from generate_series(1, ${size.victimRows}) n`,
  );
  for (const schema of hostile) {
    await query(`insert into "${schema}".shops (id, name) select ${idOf("n")}, 'Shop' from generate_series(1, 10) n`);
    await query(
      `insert into "${schema}".offers (id, shop_id, amount)
       select ${idOf("n")}, ${idOf("1 + n % 10")}, n from generate_series(1, ${size.offers}) n`,
    );
    await query(
      `insert into "${schema}".listings (id, title, note, price, stock, colour, shop_id)
       select ${idOf("n")}, 'Title ' || n, repeat('Words about a thing that somebody sells. ', 8), n % 1000, n % 17,
         'colour ' || n % 7, ${idOf("1 + n % 10")}
       from generate_series(1, ${size.listings}) n`,
    );
    // The text compresses well, so Postgres reads little and the runtime has the work.
    await query(
      `insert into "${schema}".pages (id, text)
       select ${idOf("n")}, repeat('Words on a very long page. ', 38000)
       from generate_series(1, ${size.largeRecords}) n`,
    );
  }
  for (const schema of [victim, ...hostile]) {
    const tables = await query(`select tablename as name from pg_tables where schemaname = '${schema}'`);
    for (const { name } of tables) await query(`analyze "${schema}"."${name}"`);
  }
}

function idOf(number: string): string {
  return `lpad(to_hex(${number}), 32, '0')::uuid`;
}

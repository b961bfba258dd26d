// The target of the attacks. In: the databases and the sizes. Out: a runtime as shipped, with five projects (a
// neighbour and four hostile customers), and a control plane. It never raises their limits.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type BareCell, type PublishedProject, startBareCell, until } from "../published-cell.ts";
import type { Stage } from "./attack.ts";
import { type AttackedControl, startAttackedControl } from "./control.ts";
import { type People, signUpPeople } from "./people.ts";
import { seed } from "./seed.ts";
import type { HostileProject, Size, Target } from "./target.ts";
import { wideBlueprint } from "./wide-blueprint.ts";

export interface AttackedCell {
  /** Contains tokens that are valid for the next ten minutes. */
  readonly stage: () => Promise<Stage>;
  readonly runtimePid: number;
  readonly controlPid: number;
  /** The longest delay of the runtime's event loop since the last call, in ms. */
  readonly eventLoopStallMs: () => Promise<number>;
  /** Resolves when no statement is running and the service answers. @throws Error after a minute and a half. */
  readonly quiet: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const greedyLimits = "\napi:\n  statement_timeout: 30s\n  body_max: 16MiB\n  page_max: 1000\n";

export async function startAttackedCell(
  urls: { readonly cell: string; readonly control: string; readonly admin: string },
  size: Size,
): Promise<AttackedCell> {
  const cell = await startBareCell(urls.cell, {
    PLINTH_API_HOST: "127.0.0.1",
    PLINTH_PARENT_PID: String(process.pid),
  });
  const database = new pg.Client({ connectionString: urls.admin });
  await database.connect();
  let control: AttackedControl | null = null;
  const stop = async (): Promise<void> => {
    control?.stop();
    cell.process.kill("SIGTERM");
    await database.end();
  };
  try {
    const victim = await publish(cell, "neighbour", blueprint("victim"));
    const key = await victim.makeKey("publishable");
    const victims = await signUpPeople(cell.origin, key, 4);
    const plain = await hostile(cell, "plain", "", size.users);
    const first = await hostile(cell, "greedy-a", greedyLimits, 2);
    const second = await hostile(cell, "greedy-b", greedyLimits, 2);
    const wide = await (await publish(cell, "wide", wideBlueprint(size.wideEntities))).makeKey("publishable");
    const query = async (sql: string): Promise<Readonly<Record<string, unknown>>[]> => (await database.query(sql)).rows;
    await seed(query, { victim: victim.schema, hostile: [plain, first, second].map(({ schema }) => schema), size });
    const started = await startAttackedControl(urls.control, cell, size);
    control = started;
    const target = async (): Promise<Target> => ({
      origin: cell.origin,
      victim: { key, tokens: await victims.tokens(), rows: size.victimRows },
      plain: await plain.now(),
      greedy: [await first.now(), await second.now()],
      wide,
      console: started.target,
      size,
    });
    return {
      stage: async () => ({ target: await target(), freshKey: () => plain.makeKey("publishable"), query }),
      runtimePid: cell.process.pid as number,
      controlPid: started.pid,
      eventLoopStallMs: async () =>
        ((await cell.call("GET", "/load")) as { eventLoopMs: { max: number } | null }).eventLoopMs?.max ?? 0,
      quiet: () =>
        until(async () => {
          if (!(await idle(query))) return false;
          const ready = await Promise.all([cell.origin, started.target.origin].map((url) => fetch(`${url}/readyz`)));
          return ready.every(({ ok }) => ok);
        }, 90),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function idle(query: Stage["query"]): Promise<boolean> {
  const [row] = await query(
    `select count(*)::int as busy from pg_stat_activity
     where datname = current_database() and state = 'active' and application_name like 'plinth %'`,
  );
  return row?.["busy"] === 0;
}

interface Hostile extends PublishedProject {
  readonly now: () => Promise<HostileProject>;
}

async function hostile(cell: BareCell, slug: string, limits: string, users: number): Promise<Hostile> {
  const project = await publish(cell, slug, blueprint("hostile") + limits);
  const publishable = await project.makeKey("publishable");
  const secret = await project.makeKey("secret");
  const people: People = await signUpPeople(cell.origin, publishable, users);
  return {
    ...project,
    now: async () => ({ schema: project.schema, publishable, secret, tokens: await people.tokens() }),
  };
}

async function publish(cell: BareCell, slug: string, text: string): Promise<PublishedProject> {
  const project = await cell.addProject(slug);
  await project.publish(text.replace(/^project: .*$/m, `project: ${slug}`));
  return project;
}

function blueprint(name: string): string {
  return readFileSync(join(import.meta.dirname, `${name}.blueprint.yaml`), "utf8");
}

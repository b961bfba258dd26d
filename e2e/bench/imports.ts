// Imports a long table with `plinth import data`: ten columns, two references, one unique column. In: a database server
// and a number of rows. Out: the time of the command, the CPU time of each process, and whether counts and checksums
// agree.
import pg from "pg";
import { type DataInstallation, startDataInstallation } from "../data-installation.ts";
import { cpuOfFamilyUs, cpuOfProcessUs, residentPeakMb } from "./cpu.ts";

export interface ImportFigure {
  readonly rows: number;
  readonly seconds: number;
  readonly rowsPerSecond: number;
  /** Seconds of one processor. */
  readonly cpu: {
    readonly postgres: number;
    readonly cell: number;
    readonly control: number;
    readonly command: number;
  };
  readonly peakMb: { readonly cell: number; readonly control: number };
  readonly isWhole: boolean;
}

const SCHEMA = `
  CREATE SCHEMA ledger;
  CREATE TABLE ledger.account (id bigserial PRIMARY KEY, name text NOT NULL);
  CREATE TABLE ledger.product (id bigserial PRIMARY KEY, name text NOT NULL);
  CREATE TABLE ledger.booking (
    id bigserial PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES ledger.account,
    product_id bigint NOT NULL REFERENCES ledger.product,
    number varchar(20) NOT NULL UNIQUE,
    amount numeric(12, 2) NOT NULL,
    quantity int NOT NULL,
    is_paid boolean NOT NULL,
    booked_on date NOT NULL,
    changed_at timestamptz NOT NULL,
    note text
  );
`;

const fill = (rows: number): string => `
  INSERT INTO ledger.account (name) SELECT 'Account ' || n FROM generate_series(1, ${Math.ceil(rows / 100)}) n;
  INSERT INTO ledger.product (name) SELECT 'Product ' || n FROM generate_series(1, 1000) n;
  INSERT INTO ledger.booking (account_id, product_id, number, amount, quantity, is_paid, booked_on, changed_at, note)
    SELECT 1 + n::bigint * 7919 % ${Math.ceil(rows / 100)}, 1 + n % 1000, 'B-' || lpad(n::text, 9, '0'), n % 100000 / 100.0, n % 50, n % 3 = 0,
      '2020-01-01'::date + n % 2000, '2020-01-01'::timestamptz + n * interval '1 second', 'What was said about booking ' || n
    FROM generate_series(1, ${rows}) n;
  ANALYZE ledger.account, ledger.product, ledger.booking;
`;

export async function measureImport(
  server: {
    readonly urls: { readonly admin: string; readonly control: string; readonly cell: string };
    readonly pid: number;
  },
  rows: number,
): Promise<ImportFigure> {
  const sourceUrl = await makeSource(server.urls.admin, rows);
  const { urls, pid } = server;
  const own = (url: string): { url: string; adminUrl: string } => ({ url, adminUrl: url });
  const installation = await startDataInstallation({ control: own(urls.control), cell: own(urls.cell) });
  try {
    const words = [sourceUrl, "--schema", "ledger", "--project", "ledger", "--json"];
    const { stdout } = await installation.plinth("import", "postgres", ...words);
    await installation.deploy("ledger", JSON.parse(stdout).blueprint);
    const before = cpuOf(installation, pid);
    const startedAt = performance.now();
    const { stdout: told, stderr } = await installation.plinth("import", "data", ...words, "--yes");
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = cpuOf(installation, pid);
    if (told === "") throw new Error(stderr);
    const { results } = JSON.parse(told) as { results: { accepted: number; isWhole: boolean }[] };
    const imported = results.reduce((sum, { accepted }) => sum + accepted, 0);
    const cpu = (part: keyof typeof after): number => (after[part] - before[part]) / 1e6;
    return {
      rows: imported,
      seconds,
      rowsPerSecond: imported / seconds,
      cpu: { postgres: cpu("postgres"), cell: cpu("cell"), control: cpu("control"), command: cpu("command") },
      peakMb: {
        cell: residentPeakMb(installation.pidOf("cell")),
        control: residentPeakMb(installation.pidOf("control")),
      },
      isWhole: results.every((one) => one.isWhole),
    };
  } finally {
    await installation.stop();
  }
}

/** The command is a child of this process, and its CPU time is known after it has ended. */
function cpuOf(installation: DataInstallation, postgres: number): Record<keyof ImportFigure["cpu"], number> {
  return {
    postgres: cpuOfFamilyUs(postgres),
    cell: cpuOfProcessUs(installation.pidOf("cell")),
    control: cpuOfProcessUs(installation.pidOf("control")),
    command: cpuOfProcessUs(process.pid) - (process.cpuUsage().user + process.cpuUsage().system),
  };
}

async function makeSource(adminUrl: string, rows: number): Promise<string> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query("CREATE DATABASE import_source");
  await admin.end();
  const url = new URL(adminUrl);
  url.pathname = "/import_source";
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(SCHEMA);
    await client.query(fill(rows));
  } finally {
    await client.end();
  }
  return url.href;
}

export function importTable({ rows, seconds, rowsPerSecond, cpu, peakMb, isWhole }: ImportFigure): string {
  const line = (what: string, value: string): string => `| ${what} | ${value} |`;
  return [
    "`plinth import data` from a database on the same machine: a table with ten columns, two references and one unique column. The command compares counts and checksums at the end.",
    "",
    line("", ""),
    line("---", "---"),
    line("rows", rows.toLocaleString("en-US")),
    line("time, including the dry run", `${seconds.toFixed(1)} s`),
    line("rows a second", Math.round(rowsPerSecond).toLocaleString("en-US")),
    line("processor: Postgres, both sides", `${cpu.postgres.toFixed(1)} s`),
    line(
      "processor: cell / control / command",
      `${cpu.cell.toFixed(1)} / ${cpu.control.toFixed(1)} / ${cpu.command.toFixed(1)} s`,
    ),
    line("peak memory: cell / control", `${Math.round(peakMb.cell)} / ${Math.round(peakMb.control)} MB`),
    line("counts and checksums agree", isWhole ? "yes" : "no"),
  ].join("\n");
}

// The size of the SDK in an app: bundled and minified as apps do it, it is under 8 kB gzipped, and needs no dependency and no module of
// Node. The limit does not have to include sign-in and streams, but the measurement does, since every client imports them.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

const bytesMax = 8 * 1024;
/** An app that creates, reads, updates and deletes records. */
const app = `import { Conflict, createClient } from "@plinth/sdk";
const db = createClient({ project: "desk", apiKey: "plk_pub_x" });
const tasks = db.entity("task");
try {
  const { id } = await tasks.create({ title: "x" });
  await tasks.update(id, { title: "y" });
  for await (const task of tasks.iterate({ where: { title: "y" } })) await tasks.delete(task.id);
} catch (error) {
  if (!(error instanceof Conflict)) throw error;
}
`;
const withLists = `${app}import { live } from "@plinth/sdk/live";
live(tasks).subscribe(() => {});
`;

interface Bundle {
  readonly bytes: number;
  readonly gzipped: number;
  readonly text: string;
  readonly imports: readonly string[];
}

async function bundle(program: string): Promise<Bundle> {
  const entry = join(import.meta.dirname, "app.ts");
  const built = await rolldown({
    input: entry,
    platform: "neutral",
    plugins: [
      { name: "app", load: (id) => (id === entry ? program : null), resolveId: (id) => (id === entry ? id : null) },
    ],
  });
  const { output } = await built.generate({ format: "esm", minify: true });
  await built.close();
  expect(output).toHaveLength(1);
  const [{ code: text, imports, dynamicImports }] = output;
  return {
    bytes: text.length,
    gzipped: gzipSync(text).length,
    text,
    imports: [...imports, ...dynamicImports],
  };
}

test("an app that reads and writes records downloads less than 8 kB", async () => {
  const { bytes, gzipped, imports, text } = await bundle(app);
  expect(imports).toEqual([]);
  expect(gzipped).toBeLessThan(bytesMax);
  // The bundle contains the client, and is minified.
  expect(text).toContain("/v1/resources/");
  expect(bytes).toBeGreaterThan(gzipped * 2);
  expect(text.split("\n").length).toBeLessThan(20);
});

test("further code counts", async () => {
  const small = await bundle(app);
  // Hashes do not compress.
  const ballast = Array.from({ length: 64 }, (_, i) => createHash("sha256").update(String(i)).digest("base64url")).join(
    "",
  );
  const large = await bundle(`${app}console.log("${ballast}");\n`);
  expect(large.gzipped - small.gzipped).toBeGreaterThan(2000);
});

test("live lists are within it, too, and only apps that import them download them", async () => {
  const [small, large] = [await bundle(app), await bundle(withLists)];
  expect(large.imports).toEqual([]);
  expect(large.gzipped).toBeLessThan(bytesMax);
  expect(large.gzipped).toBeGreaterThan(small.gzipped + 500);
});

test("nothing in it needs Node", async () => {
  const { text } = await bundle(withLists);
  expect(text).not.toMatch(/node:|\bprocess\b|\bBuffer\b|\brequire\b|\b__dirname\b|\bglobal\b|\bsetImmediate\b/);
});

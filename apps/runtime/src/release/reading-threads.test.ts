// A publication that is read in a thread is read as in this one, and takes this thread a fraction of the work.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { expect, it } from "vitest";
import { publicationOf } from "../modes/testing/cell.ts";
import { readPublication } from "./read-publication.ts";
import { createPublicationReader } from "./reading-threads.ts";

const entities = Array.from({ length: 60 }, (_, n) => {
  const fields = Array.from({ length: 20 }, (_, f) => `      f${f}: string?`).join("\n");
  return `  thing_${n}:\n    fields:\n${fields}\n    permissions:\n      admin: { all: true }\n`;
});
const { model } = checkBlueprint(`project: large\nmodules: [auth, users, roles]\nentities:\n${entities.join("")}`);
if (model === null) throw new Error("the blueprint is wrong");
const bytes = Buffer.from(JSON.stringify(publicationOf("prj_00000000000000000000", compileModel(model), null)));
const read = createPublicationReader();

/** Milliseconds of processor time, however busy the machine is. */
async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

it("has the same content, as bytes that Postgres's client sends", async () => {
  const [here, there] = [readPublication(bytes), await read(bytes)];
  expect(there).toEqual(here);
  if (there.kind !== "read") throw new Error("it was not read");
  const { publication, description } = there;
  const parts = [publication.bundle, publication.plan, description.openapi, description.sdkTypes];
  expect(parts.every((part) => Buffer.isBuffer(part))).toBe(true);
});

it("costs this thread a fraction", async () => {
  readPublication(bytes);
  const here = await cpuMsOf(() => readPublication(bytes));
  expect(await cpuMsOf(() => read(bytes))).toBeLessThan(here / 2);
}, 60_000);

it("that is no JSON, or no publication, is reported as such", async () => {
  expect(await read(Buffer.from("{"))).toMatchObject({ kind: "malformed" });
  expect(await read(Buffer.from("{}"))).toMatchObject({ kind: "undecodable" });
});

it("several at once are read one after another", async () => {
  const all = await Promise.all([read(bytes), read(Buffer.from("{")), read(bytes)]);
  expect(all.map(({ kind }) => kind)).toEqual(["read", "malformed", "read"]);
}, 60_000);

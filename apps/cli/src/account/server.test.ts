// The server for commands, and the message if there is no sign-in for it.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Environment, readLocalSettings } from "../local/settings.ts";
import { credentialsFile, forgetCredential, keepCredential, readCredentials } from "./credentials.ts";
import { addressOf, chosenServer, usesServer } from "./server.ts";

const [one, two] = ["https://one.example", "https://two.example/plinth"];
const credential = (url: string) => ({ control: `${url}/control`, email: "ana@example.com", token: `plt_${url}` });

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-server-"));
  file = credentialsFile({ XDG_CONFIG_HOME: folder });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const choose = (env: Environment = {}) => chosenServer(readLocalSettings({ XDG_CONFIG_HOME: folder, ...env }));

test("the server of the last sign-in, unless PLINTH_URL names another; after a sign-out, the previous one", async () => {
  expect(await choose()).toBeNull();
  keepCredential(file, two, credential(two));
  keepCredential(file, one, credential(one));
  expect(await choose()).toEqual({ url: one, control: `${one}/control`, token: `plt_${one}`, from: "login" });
  expect(await choose({ PLINTH_URL: `${two}/` })).toMatchObject({ url: two });
  expect(await choose({ PLINTH_URL: "local" })).toBeNull();
  expect(usesServer(readLocalSettings({ XDG_CONFIG_HOME: folder, PLINTH_URL: "local" }))).toBe(false);
  await expect(choose({ PLINTH_URL: "https://three.example" })).rejects.toThrow(
    "you are not signed in to https://three.example: run `plinth login --url https://three.example`",
  );
  forgetCredential(file, one);
  expect(await choose()).toMatchObject({ url: two });
  forgetCredential(file, two);
  expect(await choose()).toBeNull();
});

test("an address is http or https, without a query or a slash at the end", () => {
  expect(addressOf("https://one.example/?a=1#b")).toBe(one);
  for (const wrong of ["one.example", "ftp://one.example", ""])
    expect(() => addressOf(wrong)).toThrow("is not an address");
});

test("tokens are readable only by their owner, and a broken file is not overwritten", () => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '{ "current": null, "servers": {} }');
  chmodSync(file, 0o644);
  keepCredential(file, one, credential(one));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, "{");
  expect(() => readCredentials(file)).toThrow("is broken: remove it");
  expect(() => keepCredential(file, two, credential(two))).toThrow("is broken");
});

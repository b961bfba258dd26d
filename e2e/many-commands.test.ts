// Several commands share a session, because sign-ins are limited. They continue when the session is lost.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openControl } from "../apps/cli/src/local/open-control.ts";
import { type LocalSettings, readLocalSettings } from "../apps/cli/src/local/settings.ts";
import { type DevStack, startDev } from "./stack.ts";

let stack: DevStack;
let settings: LocalSettings;
const portOf = (url: string): string => new URL(url).port;

beforeAll(async () => {
  stack = await startDev("docs/examples/conduit.yaml");
  settings = readLocalSettings({
    PLINTH_HOME: stack.home,
    PLINTH_API_PORT: portOf(stack.apiUrl),
    PLINTH_INTERNAL_PORT: portOf(stack.internalUrl),
    PLINTH_CONTROL_PORT: portOf(stack.controlUrl),
    PLINTH_CONSOLE_PORT: portOf(stack.consoleUrl),
  });
}, 180_000);
afterAll(() => stack?.stop());

const whoAmI = (): Promise<string> =>
  openControl(settings, async (control) => (await control.me.get.query()).person.email);

test("thirty commands work at once, and one after another", async () => {
  const who = await Promise.all(Array.from({ length: 30 }, whoAmI));
  for (let count = 0; count < 30; count++) who.push(await whoAmI());
  expect(new Set(who)).toEqual(new Set(["developer@plinth.local"]));
});

test("a broken session, or one from another database, is replaced", async () => {
  for (const cookie of ["", "plinth.session_token=nobody.knows%20it"]) {
    writeFileSync(join(stack.home, "session.json"), JSON.stringify({ cookie }));
    expect(await whoAmI()).toBe("developer@plinth.local");
  }
  rmSync(join(stack.home, "session.json"));
  expect(await whoAmI()).toBe("developer@plinth.local");
});

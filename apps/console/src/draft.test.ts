// Unsaved text in the browser belongs to one person: the next person in the same browser never gets it.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearUnsaved, keepUnsaved, readUnsaved } from "./draft.ts";

const unsaved = { text: "project: mine", after: 3, baseVersionId: null };
const ana = { personId: "per_ana", projectId: "prj_1" };
let stored: Map<string, string>;

beforeEach(() => {
  stored = new Map();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
});

afterEach(() => vi.unstubAllGlobals());

test("it is found again by its person only", () => {
  keepUnsaved(ana, unsaved);
  expect(readUnsaved(ana)).toEqual(unsaved);
  expect(readUnsaved({ ...ana, personId: "per_ben" })).toBeNull();
  expect(readUnsaved({ ...ana, projectId: "prj_2" })).toBeNull();
  clearUnsaved(ana, "another text");
  expect(readUnsaved(ana)).toEqual(unsaved);
  clearUnsaved(ana, unsaved.text);
  expect(stored.size).toBe(0);
});

test("a text of an earlier version, which names no person, is removed", () => {
  stored.set("plinth.unsaved.prj_1", JSON.stringify(unsaved));
  expect(readUnsaved(ana)).toBeNull();
  expect(stored.size).toBe(0);
});

test("nothing is stored before the person is known", () => {
  keepUnsaved({ ...ana, personId: null }, unsaved);
  expect(stored.size).toBe(0);
});

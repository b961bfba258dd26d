// A template or file gets the name of the new project, and nothing else changes.
import { describe, expect, test } from "vitest";
import { isProjectName, nameForFile, projectNameIn, withProjectName } from "./project-name.ts";

describe("projectNameIn", () => {
  test.each([
    ["project: parcel-desk\n", "parcel-desk"],
    ["# a comment\nproject:   'parcel-desk' # why\nentities: {}\n", "parcel-desk"],
    ["entities:\n  project: x\n", null],
    ["project:\n", null],
  ])("%j", (text, name) => {
    expect(projectNameIn(text)).toBe(name);
  });
});

describe("nameForFile", () => {
  const [shop, hire] = ["project: bike-shop\n", "project: bike-hire\n"];

  test("takes the name of the file, also of another file afterwards", () => {
    expect(nameForFile(shop, "", null)).toBe("bike-shop");
    expect(nameForFile(hire, "bike-shop", shop)).toBe("bike-hire");
    expect(nameForFile("entities: {}\n", "bike-shop", shop)).toBe("bike-shop");
  });

  test("leaves a name that was typed", () => {
    expect(nameForFile(shop, "mine", null)).toBe("mine");
    expect(nameForFile(hire, "mine", shop)).toBe("mine");
  });
});

describe("withProjectName", () => {
  test("changes the name and keeps the comment behind it", () => {
    expect(withProjectName("project: a # why\nroles: {}\n", "b")).toBe("project: b # why\nroles: {}\n");
  });

  test("adds a first line if there is none", () => {
    expect(withProjectName("entities: {}\n", "b")).toBe("project: b\nentities: {}\n");
  });

  test("leaves an entity that is called project alone", () => {
    expect(withProjectName("project: a\nentities:\n  project:\n    name: string\n", "b")).toBe(
      "project: b\nentities:\n  project:\n    name: string\n",
    );
  });
});

test.each([
  ["parcel-desk", true],
  ["a1-2b", true],
  ["Parcel", false],
  ["-a", false],
  ["a--b", false],
  ["a_b", false],
  ["", false],
])("isProjectName(%j) is %s", (name, expected) => {
  expect(isProjectName(name)).toBe(expected);
});

import { describe, expect, test } from "vitest";
import { indentationAfter } from "./yaml-indent.ts";

describe("a new line begins", () => {
  test.each([
    ["      tracking_number: string?", 6],
    ["    fields:", 6],
    ["entities:", 2],
    ["        read: |", 10],
    ["        read: >-", 10],
    ["", 0],
    ["  - a", 2],
  ])("after %j at column %i", (line, column) => {
    expect(indentationAfter(line)).toBe(column);
  });
});

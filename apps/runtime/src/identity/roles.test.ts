// The roles of a caller, for any given and declared roles.
import type { Model } from "@plinth/blueprint";
import { newId } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import { describe, expect, it } from "vitest";
import { modelOf } from "../modes/testing/cell.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { nothingKept } from "../project/derived.ts";
import { expandRoles } from "./roles.ts";

describe("roles", () => {
  const releaseOf = (model: Model): ActiveRelease => ({
    projectId: newId("prj"),
    slug: "notes",
    releaseId: newId("rel"),
    bundle: compileModel(model),
    schema: '"t"',
    plans: nothingKept((bytes) => {
      grown += bytes;
    }),
    own: nothingKept(),
  });
  let grown = 0;
  const release = releaseOf(modelOf(["title"]));

  it.each([
    [[], ["public"]],
    [["chief"], ["chief", "editor", "public"]],
    [
      ["editor", "editor"],
      ["editor", "public"],
    ],
    [
      ["user", "owner", "chief"],
      ["chief", "editor", "owner", "public", "user"],
    ],
    [["gone", "__proto__", ""], ["public"]],
  ])("%j become %j", (given, roles) => {
    expect(expandRoles(release, given)).toEqual(roles);
    expect(expandRoles(release, given)).toBe(expandRoles(release, given));
  });

  it("are those of the release: without one, everybody is only public", () => {
    expect(expandRoles(null, ["admin"])).toEqual(["public"]);
    const later = releaseOf({ ...modelOf(["title"]), roles: modelOf([]).roles.filter((role) => role.builtin) });
    expect(expandRoles(later, ["chief"])).toEqual(["public"]);
  });

  it("count toward the memory of their release, up to their limit", () => {
    const other = releaseOf(modelOf(["title"]));
    grown = 0;
    for (let i = 0; i < 2_000; i++) expandRoles(other, [`role ${i} ${"x".repeat(1_000)}`]);
    expect(grown).toBeGreaterThan(400_000);
    expect(grown).toBeLessThanOrEqual(500_000);
  });
});

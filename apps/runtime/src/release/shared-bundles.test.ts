// Equal bundles are one in memory, unused ones are removed, and the registry keeps within its bytes.
import { newId } from "@plinth/bundle";
import { expect, test } from "vitest";
import { testBlueprint } from "../http/testing/blueprint.ts";
import { bundleOf } from "../http/testing/test-cell.ts";
import { createSharedBundles } from "./shared-bundles.ts";

const bundle = bundleOf(testBlueprint);

test("projects that only differ in their name share one bundle, which is removed with the last of them", () => {
  let bytes = 0;
  const shared = createSharedBundles((more) => {
    bytes += more;
  });
  const one = shared.add("a", bundle);
  const alone = bytes;
  const other = shared.add("b", { ...structuredClone(bundle), project: "another", sdkTypes: newId("rel") });
  expect(other.bundle).toBe(one.bundle);
  expect(other.plans).toBe(one.plans);
  expect(bytes).toBe(alone);
  expect(shared.use("b")).toBe(one);
  one.plans.grow(100);
  expect(bytes).toBe(alone + 100);
  shared.leave(one);
  shared.leave(one);
  expect(shared.use("a")).toBe(one);
  shared.leave(one);
  shared.leave(one);
  expect(bytes).toBe(0);
  // A request that is still being served keeps nothing alive by what it adds.
  one.plans.grow(50);
  expect(bytes).toBe(0);
  expect(shared.use("a")).toBeNull();
});

test("projects whose rules differ share nothing", () => {
  const shared = createSharedBundles(() => {});
  const limits = { ...bundle.limits, pageMax: bundle.limits.pageMax + 1 };
  expect(shared.add("a", bundle).bundle).not.toBe(shared.add("b", { ...bundle, limits }).bundle);
});

// Diagnostics of the tests inside a blueprint.
import { type DiagnosticKind, error, listing, warning } from "./kind.ts";

export type TestCode = "invalid_test" | "unknown_test_name" | "test_failed" | "public_rule_untested";

/** A listing that `public` can read if it is active, with tests. */
function tested(expectations: readonly string[], row = "{ status: active }"): string {
  const expect = expectations.map((one) => `    - ${one}\n`).join("");
  return [
    `${listing("status: enum[draft, active] = draft")}    permissions:\n      public:\n        read: status == active\n`,
    "tests:\n  users:\n    ana: { roles: [user] }\n",
    `  rows:\n    listing:\n      a: ${row}\n      d: { status: draft }\n  expect:\n${expect}`,
  ].join("");
}

const sees = "{ as: public, list: listing, sees: [a] }";

export const testDiagnostics: Readonly<Record<TestCode, DiagnosticKind>> = {
  invalid_test: error(
    "An expectation without an operation, or with several",
    tested([sees, "{ as: ana, read: listing, allow: true }"]),
    tested([sees, "{ as: ana, read: listing.a, allow: true }"]),
  ),
  unknown_test_name: error(
    "A user or row that the tests do not have",
    tested([sees, "{ as: anna, read: listing.a, allow: true }"]),
    tested([sees, "{ as: ana, read: listing.a, allow: true }"]),
  ),
  test_failed: error(
    "An expectation that fails",
    tested([sees, "{ as: ana, read: listing.d, allow: true }"]),
    tested([sees, "{ as: ana, read: listing.d, allow: false }"]),
  ),
  public_rule_untested: warning(
    "A rule of `public` that the tests don't fully cover",
    tested(["{ as: public, read: listing.a, allow: true }"]),
    tested([sees]),
  ),
};

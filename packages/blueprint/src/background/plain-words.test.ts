// The diagnostics for a mistake in background work: one, at its cause, with a correction.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";

const notServed = ["module_not_served", "section_not_served", "event_never_comes", "work_never_starts"];
const head = `project: demo
modules: [auth, users, roles, workers, audit_logs]
entities:
  loan:
    fields: { title: string, days: int, parts: list<string> }
events:
  pay.done: { payload: { loan_id: string } }
workers:
  pack: { on: manual, steps: [audit.write] }
`;

/** Code, message and hint of each diagnostic, in one text. */
function told(sections: string): string[] {
  return checkBlueprint(`${head}${sections}\n`)
    .diagnostics.filter((one) => !notServed.includes(one.code))
    .map(({ code, message, hint }) => `${code}: ${message} ${hint ?? ""}`.trim());
}

const flow = (step: string, on = "loan.created"): string =>
  `workflows:\n  flow:\n    on: ${on}\n    steps:\n      - ${step}`;

test.each([
  ["{ action: pack, retry: { attempts: 2 } }", "Put `retry` in the worker `pack`."],
  ["{ action: worker.run, with: { worker: pack }, retry: 2 }", "Put `retry` in the worker `pack`."],
  ["{ delay: 5m, retry: 2 }", "A step that only waits is not retried."],
  ["{ action: audit.write, retry: { delay: 2000 } }", "Write `2s` for 2000 milliseconds."],
  ["{ action: audit.write, timeout: 5 }", "Write `5s`."],
  ['{ action: audit.write, for_each: "${{ record.days }}" }', "`record.days` has the type `int`."],
  ["{ action: audit.write, for_each: record.parts }", 'Write `"${{ record.parts }}"`.'],
  ["{ action: audit.write, compensate: { audit.write: { id: undo } } }", "Write `- ` before `audit.write:`"],
  ["record.create: { with: { entity: loan, days: 5, parts: [] } }", "Add it under `with`: `title: ...`."],
  ["event.emit: { with: { name: pay.done } }", "Write it under `with`: `payload: { loan_id: ... }`."],
  ['record.update: { with: { title: "${{ record.days }}" } }', 'inside a text, write `"... ${{ record.days }}"`.'],
  ['{ action: audit.write, if: record.days == "5" }', "Write `5` without quotes."],
  ["wait_for: { event: pay.done, if: event.data.loan_id == record.id }", "write `run.record.id`."],
  ["record.update: { with: { title: {{ record.title }} } }", 'in quotes: `"${{ record.title }}"`.'],
])("`%s`", (step, said) => {
  const [only, ...others] = told(flow(step));
  expect(only).toContain(said);
  expect(others).toEqual([]);
});

test("the retention of work needs a unit", () => {
  expect(told("work: { retention: 7days }")).toEqual([
    "invalid_option: `retention` must be a number of days or weeks. Write `7d`.",
  ]);
});

const steps = `when: record.days > 1
    ordered: record
    steps:
      - record.update: { with: { title: "\${{ record.title }}" } }
      - { action: audit.write, if: old.days > 1, with: { note: "\${{ event.record_id }}" } }
      - wait_for: { event: pay.done, if: event.data.loan_id == run.record.title }
      - record.delete`;

test.each([
  ["loan.create", "unknown_event"],
  ["lone.created", "unknown_event"],
  [null, "missing_key"],
])("consequences of the wrong trigger `%s` are not reported", (on, code) => {
  const found = told(`workflows:\n  flow:\n    ${on === null ? "" : `on: ${on}\n    `}${steps}`);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(new RegExp(`^${code}:`));
});

test("a plural instead of an entity's name is reported once", () => {
  const plural = head.replace("loan:", "loans:").replace("parts:", "other: ref(loan), parts:");
  const { diagnostics } = checkBlueprint(`${plural}${flow("record.find: { with: { entity: loan } }")}\n`);
  expect(diagnostics.map(({ code }) => code).filter((code) => !notServed.includes(code))).toEqual([
    "entity_not_singular",
    "unknown_entity",
  ]);
});

test("other mistakes next to an unknown trigger are reported, too", () => {
  const found = told(flow("record.update: { with: { titel: a } }", "loan.create"));
  expect(found.map((one) => one.split(":")[0])).toEqual(["unknown_event", "unknown_field"]);
});

// Random workflows, with processes that die or are delayed at random moments, against a model that doesn't know how the
// engine works: the same end, every effect once, no ended step again. `RUNS=1000` generates a thousand of them.
import { sampleOf } from "@plinth/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FickleService, startFickleService } from "./testing/fickle-service.ts";
import { type Actual, openStage, type Stage } from "./testing/generated-run.ts";
import { definitionsOf, type Plan, planOf } from "./testing/generated-workflow.ts";
import { openWorkCell, type WorkCell, workflowOf } from "./testing/work-cell.ts";
import * as model from "./testing/workflow-model.ts";

const BLUEPRINT = `project: proof
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields:
      title: string
      mark: string?
    permissions:
      admin: { all: true }
  note:
    fields:
      owner: string
      text: text
    permissions:
      admin: { all: true }
  signal:
    fields:
      key: string
    permissions:
      admin: { all: true }
`;

const { runs: COUNT, seed } = sampleOf(30, 300);
/** Each plan has a seed of its own; the samples of two days have none in common. */
const FIRST = seed * 1_000;
const AT_ONCE = 6;

let service: FickleService;
let work: WorkCell;
let stage: Stage;
let plans: readonly Plan[];

beforeAll(async () => {
  service = await startFickleService();
  plans = Array.from({ length: COUNT }, (_, at) => planOf(`p${at}`, FIRST + at));
  const heard = workflowOf({
    name: "hear",
    on: ["ping.sent"],
    when: { kind: "literal", type: { kind: "bool" }, value: false },
    steps: [],
  });
  work = await openWorkCell(
    BLUEPRINT,
    {
      workflows: [heard, ...plans.flatMap((plan) => definitionsOf(plan, service.url))],
    },
    { works: false },
  );
  stage = await openStage(work, service);
}, 120_000);

afterAll(async () => {
  await stage?.close();
  await work?.close();
  service?.stop();
});

it(`${COUNT} generated workflows end as the model says, whoever dies meanwhile`, async () => {
  const wrong: unknown[] = [];
  const ends = new Map<string, number>();
  let deaths = 0;
  let next = 0;
  const walk = async (): Promise<void> => {
    for (let at = next++; at < plans.length; at = next++) {
      const plan = plans[at] as Plan;
      const actual = await stage.run(plan, FIRST + at).catch((error: unknown) => error as Error);
      if (actual instanceof Error) wrong.push({ seed: FIRST + at, error: actual.message });
      else {
        deaths += actual.deaths;
        ends.set(actual.status, (ends.get(actual.status) ?? 0) + 1);
        const difference = differenceOf(plan, actual);
        if (difference !== null) wrong.push({ seed: FIRST + at, ...difference });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, walk));
  console.log(`${plans.length} workflows, ${deaths} deaths:`, Object.fromEntries(ends));
  expect(JSON.stringify(wrong.slice(0, 3), null, 1)).toBe("[]");
  expect(wrong.length).toBe(0);
  expect(deaths).toBeGreaterThan(plans.length / 2);
  expect([...ends.keys()].sort()).toEqual(["cancelled", "completed", "failed", "needs_attention"]);
}, 1_200_000);

/** Null if everything is as expected. */
function differenceOf(plan: Plan, actual: Actual): object | null {
  const { unknown, broken } = actual;
  if (broken.length > 0) return { broken };
  for (const label of unknown) {
    // It is unknown whether such a call was made; it is made once at most.
    if (actual.left.effects.filter((each) => each === label).length > 1) return { broken: `${label} twice` };
  }
  const came = toldOf(actual, unknown);
  const due = toldOf(model.expect(plan, unknown), unknown);
  const differing = Object.keys(due).filter((name) => JSON.stringify(came[name]) !== JSON.stringify(due[name]));
  if (differing.length === 0) return null;
  return Object.fromEntries(differing.map((name) => [name, { came: came[name], due: due[name] }]));
}

function toldOf(
  { status, code, output, left, steps }: model.Expected,
  unknown: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  return {
    status,
    code,
    output,
    ...left,
    effects: left.effects.filter((label) => !unknown.has(label)),
    steps: [...steps].map(([path, is]) => `${path} ${is}`).sort(),
  };
}

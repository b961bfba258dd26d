// States of a deployment that are hard to reach in a browser: live but unfinished, and partly filled.
import type { Deployment, DeploymentStep, PlanMeasures, Proposal, ProposedPlan } from "@plinth/control/router";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { DeploymentNotice } from "./deployment-notice.tsx";
import { PlanCard } from "./plan-card.tsx";
import { PlanSteps } from "./plan-steps.tsx";
import { ProposalActions } from "./proposal-actions.tsx";

function text(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&#x27;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll(/\s+/g, " ");
}

const fill: ProposedPlan["steps"][number] = {
  id: "001-fill",
  kind: "backfill",
  summary: "Fill `slug`.",
  class: "backfill",
  phase: "before",
  table: "bikes",
  lock: "row exclusive",
  rewrites: true,
  scans: true,
  undo: "Nothing to undo.",
  sql: 'update {schema}."bikes" set x = 1',
};

function step(change: Partial<DeploymentStep>): DeploymentStep {
  const none = { startedAt: null, finishedAt: null, error: null, rows: null };
  return { id: fill.id, summary: fill.summary, status: "pending", ...none, ...change };
}

const measures: PlanMeasures = {
  measuredAt: "2026-11-21T05:00:00Z",
  rates: "",
  steps: [{ stepId: fill.id, rows: 40_000, rowsExact: false, bytes: null, violators: null, expectedMs: null }],
};

function steps(progress: DeploymentStep): string {
  return text(
    renderToStaticMarkup(<PlanSteps plan={{ steps: [fill], refused: [] }} measures={measures} progress={[progress]} />),
  );
}

test("a running backfill shows its progress; an estimate is marked as one", () => {
  const running = steps(step({ status: "running", rows: 12_000 }));
  expect(running).toContain("12,000 of about 40,000 rows written");
  expect(running).toContain("Rows about 40,000");
  expect(running).toContain('update "bikes" set');
  expect(steps(step({ status: "done", rows: 1 }))).toContain("1 row written");
  expect(steps(step({ status: "pending" }))).not.toContain("written");
});

test("records that deletes would newly destroy are counted, also if the plan has no steps", () => {
  const counted = { ...measures, steps: [], destroyed: [{ path: "page.book_id", records: 1_200 }] };
  const proposal = {
    status: "open",
    baseText: "",
    plan: { steps: [], refused: [] },
    diff: [],
    measures: counted,
  } as unknown as Proposal;
  const card = text(
    renderToStaticMarkup(<PlanCard proposal={proposal} deployment={undefined} measuring={false} onMeasure={null} />),
  );
  expect(card).toContain("1,200 records would be deleted together with the records that they refer to.");
});

const unfinished: Deployment = {
  id: "dep_1",
  projectId: "prj_1",
  proposalId: "prp_1",
  releaseId: "rel_1",
  status: "active",
  error: "The index on `name` could not be built.",
  waitingSince: null,
  createdAt: "2026-11-21T05:00:00Z",
  finishedAt: "2026-11-21T05:00:00Z",
  steps: [step({ status: "failed", error: "no room" })],
};

function head(proposal: Partial<Proposal>, deployment: Deployment, isLive: boolean): string {
  const given = { baseText: null, ...proposal } as Proposal;
  const press = () => {};
  return text(
    renderToStaticMarkup(
      <>
        <DeploymentNotice
          root="/projects/prj_1"
          proposal={given}
          deployment={deployment}
          isLive={isLive}
          onEdit={press}
        />
        <ProposalActions
          proposal={given}
          deployment={deployment}
          isLive={isLive}
          missingConsents={0}
          mayConsent
          approving={false}
          rejecting={false}
          deploying={false}
          resuming={false}
          onApprove={press}
          onShowMissing={press}
          onReject={press}
          onDeploy={press}
          onResume={press}
        />
      </>,
    ),
  );
}

test("live, but its last steps failed: the page says so, and offers to resume while the version serves", () => {
  const shown = head({ status: "deployed" }, unfinished, true);
  expect(shown).toContain("This version is live, but its last steps failed");
  expect(shown).toContain("The index on name could not be built.");
  expect(shown).toContain("Resume");
  expect(shown).not.toContain("Reject");
  expect(head({ status: "deployed" }, unfinished, false).trim()).toBe("");
});

test("failed before it was live: it can be resumed or rejected, and is never called live", () => {
  const failed: Deployment = { ...unfinished, status: "failed" };
  const shown = head({ status: "approved" }, failed, false);
  expect(shown).toContain("The deployment failed");
  expect(shown).toContain("Nothing is live yet.");
  expect(head({ status: "approved", baseText: "" }, failed, false)).toContain("The previous version still serves");
  expect(shown).toMatch(/Edit blueprint .*Reject .*Resume/);
  expect(head({ status: "rejected" }, failed, false)).not.toMatch(/Reject |Resume /);
});

test("a deployment without a runtime says that it waits, and that the live version stays live", () => {
  const waiting: Deployment = {
    ...unfinished,
    status: "queued",
    error: null,
    waitingSince: "2026-11-21T05:00:00Z",
    finishedAt: null,
  };
  expect(head({ status: "approved" }, waiting, false)).toMatch(/waits for the runtime .* The live version stays live/);
});

// The changes of generated background work. In: a draft of the work, which each change edits. Out: false if the draft has
// nothing that can be changed in this way. A neutral change can't let anybody do more, whatever the work does.
import type { Random } from "@plinth/testkit";
import { type Action, MAILS, read, type Step, VALUES, type Work, type Workflow } from "./effect-work.ts";

export interface Draft {
  readonly name: string;
  /** The address of a service on this machine. */
  readonly receiver: string;
  readonly random: Random;
  readonly after: Work;
  /** One of the workflows, all their steps, and one of these. */
  readonly flow: Workflow;
  readonly steps: readonly Step[];
  readonly aStep: Step;
  readonly step: () => Step[];
  readonly workflow: () => Workflow;
  readonly nextId: () => string;
}

interface WorkChange {
  readonly words: string;
  readonly isNeutral: boolean;
  readonly apply: (draft: Draft) => boolean;
}

const level = (max: number): unknown => ({ type: "int", min: 0, max });

const widening: Readonly<Record<string, WorkChange["apply"]>> = {
  "a new step": ({ flow, step }) => flow.steps.push(...step()) > 0,
  "a new workflow": ({ after, name, workflow }) => {
    after.workflows[`new${name}`] = workflow();
    return true;
  },
  "no `when`": ({ flow }) => (flow.when === undefined ? false : delete flow.when),
  "another `when`": ({ flow, random }) => {
    if (flow.when === undefined) return false;
    flow.when = `record.fee > ${random.whole(0, 5)}`;
    return true;
  },
  "no `if`": ({ steps }) => takeAway(steps, "if"),
  "another `if`": ({ aStep, random }) => {
    aStep.if = `record.fee > ${random.whole(0, 5)}`;
    return true;
  },
  "no approval": ({ steps }) => takeAway(steps, "approval"),
  "other approvers": ({ steps, random }) =>
    onApproval(steps, (one) => {
      one.roles = random.pick([["user"], ["lead", "support"], ["lead"]]);
    }),
  "an approval by oneself": ({ steps }) =>
    onApproval(steps, (one) => {
      one.by_self = true;
    }),
  "another event": ({ flow, name, random }) => {
    flow.on = `ask${name}.${random.pick(["created", "updated", "deleted"])}`;
    return true;
  },
  "another value": ({ steps, random }) => changeValue(steps, random),
  "another receiver": ({ steps, receiver, name, random }) => changeReceiver(steps, `${receiver}/${name}`, random),
  "more callers of an action": ({ after }) =>
    onAction(after, (one) => {
      one.permissions = { user: true };
    }),
  "an action as the service": ({ after }) =>
    onAction(after, ({ steps: [first] }) => {
      if (first !== undefined) first.as = "service";
    }),
  "a wider input": ({ after }) =>
    onAction(after, ({ input }) => {
      input["level"] = level(9);
    }),
  "no body": ({ after }) => {
    const [worker] = Object.values(after.workers);
    return worker === undefined ? false : delete worker.http.body;
  },
};

const neutral: Readonly<Record<string, WorkChange["apply"]>> = {
  "another name of a step": ({ flow, nextId }) => rename(flow, nextId()),
  "another name of a workflow": ({ after, name }) => renameFlow(after, name),
  "a retry": ({ aStep }) => {
    aStep.retry = { attempts: 2 };
    return true;
  },
  "a removed step": ({ flow }) => removeStep(flow),
  "a condition more": ({ flow }) => {
    flow.when = flow.when === undefined ? "record.fee > 2" : `${flow.when} && record.fee > 3`;
    return true;
  },
  "an approval more": ({ flow }) => addApproval(flow),
  "an action with a narrower input": ({ after }) =>
    onAction(after, ({ input }) => {
      input["level"] = level(2);
    }),
};

const all = (changes: Readonly<Record<string, WorkChange["apply"]>>, isNeutral: boolean): WorkChange[] =>
  Object.entries(changes).map(([words, apply]) => ({ words, isNeutral, apply }));

export const workChanges: readonly WorkChange[] = [...all(widening, false), ...all(neutral, true)];

function onAction({ actions }: Work, change: (action: Action) => void): boolean {
  const [first] = Object.values(actions);
  if (first === undefined) return false;
  change(first);
  return true;
}

function takeAway(steps: readonly Step[], key: "if" | "approval"): boolean {
  const found = steps.find((one) => one[key] !== undefined);
  return found === undefined ? false : delete found[key];
}

function onApproval(steps: readonly Step[], change: (approval: NonNullable<Step["approval"]>) => void): boolean {
  const found = steps.find((one) => one.approval !== undefined)?.approval;
  if (found === undefined) return false;
  change(found);
  return true;
}

function changeValue(steps: readonly Step[], random: Random): boolean {
  const found = steps.find(
    (one) => typeof one.with?.["text"] === "string" && String(one.with["text"]).includes("record."),
  );
  if (found?.with === undefined) return false;
  found.with["text"] = `${String(found.with["text"])} and ${read(random.pick(VALUES))}`;
  return true;
}

function changeReceiver(steps: readonly Step[], service: string, random: Random): boolean {
  const found = steps.find(({ action }) => action === "email.send" || action === "http.request");
  if (found?.with === undefined) return false;
  if (found.action === "email.send") found.with["to"] = random.pick(["new@other.example", ...MAILS]);
  else found.with["url"] = `${service}/${random.pick(["a", "b", "c"])}`;
  return true;
}

function rename(flow: Workflow, id: string): boolean {
  const found = flow.steps.find((one) => one.action !== "record.find");
  if (found === undefined) return false;
  found.id = id;
  return true;
}

function renameFlow({ workflows }: Work, name: string): boolean {
  const [first] = Object.keys(workflows);
  const flow = first === undefined ? undefined : workflows[first];
  if (first === undefined || flow === undefined) return false;
  delete workflows[first];
  workflows[`renamed${name}`] = flow;
  return true;
}

/** An approval of the step stays with the next one, because it guards everything after it. */
function removeStep(flow: Workflow): boolean {
  const at = flow.steps.findIndex((one) => one.action !== "record.find" && one.approval === undefined);
  if (at === -1 || flow.steps.length < 2) return false;
  flow.steps.splice(at, 1);
  return true;
}

function addApproval(flow: Workflow): boolean {
  const [first] = flow.steps;
  if (first === undefined || first.approval !== undefined) return false;
  first.approval = { roles: ["lead"] };
  return true;
}

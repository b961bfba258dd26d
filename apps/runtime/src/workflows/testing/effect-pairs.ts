// Generates changes of background work. In: a seed. Out: the background of a small project before and after one change
// that may let it do more, or that changes nothing. What the change means is not decided here: a real cell shows it.
import { Random } from "@plinth/testkit";
import { type Draft, workChanges } from "./effect-changes.ts";
import { type Action, MAILS, read, type Step, VALUES, type Work, type Workflow } from "./effect-work.ts";

export interface EffectPair {
  readonly name: string;
  readonly seed: number;
  /** What the change does, in a few words. */
  readonly change: string;
  /** Whether the change can't let anybody do more, however it meets the work. */
  readonly isNeutral: boolean;
  readonly before: Work;
  readonly after: Work;
}

/** @param receiver The address of a service on this machine. */
export function pairOf(seed: number, receiver: string): EffectPair {
  const random = new Random(seed);
  const name = `x${seed}`;
  let ids = 0;
  const nextId = (): string => `s${++ids}`;

  /** A step that fails isn't tried again, so that a trial ends soon. */
  const step = (): Step[] => plainStep().map((one) => ({ ...one, retry: { attempts: 1 } }));

  function plainStep(): Step[] {
    const id = nextId();
    const guard = random.chance(0.3) ? { if: `record.fee > ${random.whole(1, 4)}` } : {};
    switch (random.whole(0, 7)) {
      case 0:
        return [
          {
            id,
            action: "record.update",
            ...guard,
            with: { entity: `gift${name}`, id: read("gift_id"), user_id: read("user_id") },
          },
        ];
      case 1:
        return [
          {
            id,
            action: "record.update",
            ...guard,
            with: { entity: `gift${name}`, id: read("gift_id"), level: random.whole(1, 3) },
          },
        ];
      case 2:
        return [{ id, action: "record.delete", ...guard, with: { entity: `gift${name}`, id: read("gift_id") } }];
      case 3:
        return [
          {
            id,
            action: "record.create",
            ...guard,
            with: { entity: `wall${name}`, text: `copy ${read(random.pick(VALUES))}` },
          },
        ];
      case 4: {
        const found: Step = {
          id,
          action: "record.find",
          with: { entity: `safe${name}`, where: { user_id: read("user_id") } },
        };
        return [
          found,
          {
            id: nextId(),
            action: "record.create",
            ...guard,
            with: { entity: `wall${name}`, text: `found \${{ steps.${id}.text }}` },
          },
        ];
      }
      case 5:
        return [
          {
            id,
            action: "email.send",
            ...guard,
            with: { to: random.pick(MAILS), subject: "news", text: `of ${read(random.pick(VALUES))}` },
          },
        ];
      case 6:
        return [
          {
            id,
            action: "http.request",
            ...guard,
            with: { url: `${receiver}/${name}/${random.pick(["a", "b"])}`, body: { value: read(random.pick(VALUES)) } },
          },
        ];
      default:
        return [
          {
            id,
            action: "record.create",
            ...guard,
            with: { entity: `wall${name}`, text: "a plain text" },
          },
        ];
    }
  }

  function approved(steps: Step[]): Step[] {
    const [first, ...rest] = steps;
    if (first === undefined || !random.chance(0.35)) return steps;
    return [{ ...first, approval: { roles: [random.pick(["support", "lead"])] } }, ...rest];
  }

  function workflow(): Workflow {
    const when = random.chance(0.4) ? { when: `record.fee > ${random.whole(1, 4)}` } : {};
    const steps = Array.from({ length: random.whole(1, 2) }, () => approved(step())).flat();
    return { on: `ask${name}.${random.pick(["created", "created", "updated", "deleted"])}`, ...when, steps };
  }

  function action(): Action {
    const update: Step = {
      id: nextId(),
      action: "record.update",
      as: random.pick(["service", "caller"]),
      with: { entity: `gift${name}`, id: "${{ input.gift }}", level: "${{ input.level }}" },
    };
    return {
      input: { gift: "uuid", level: { type: "int", min: 0, max: random.whole(3, 6) } },
      permissions: random.chance(0.5) ? { support: true } : { user: `input.level < ${random.whole(1, 3)}` },
      steps: [update],
    };
  }

  const work: Work = { workflows: { [`flow${name}`]: workflow() }, workers: {}, actions: {} };
  if (random.chance(0.3)) work.workflows[`other${name}`] = workflow();
  if (random.chance(0.3)) {
    const body = random.chance(0.6) ? { body: { value: read("title") } } : {};
    work.workers[`send${name}`] = { on: `ask${name}.created`, http: { url: `${receiver}/${name}/w`, ...body } };
  }
  if (random.chance(0.5)) work.actions[`act${name}`] = action();

  const after = structuredClone(work);
  const flows = Object.values(after.workflows);
  const flow = random.pick(flows);
  const steps = flows.flatMap((one) => one.steps);
  const draft: Draft = {
    name,
    receiver,
    random,
    after,
    flow,
    steps,
    aStep: random.pick(steps),
    step,
    workflow,
    nextId,
  };
  const isNeutral = random.chance(0.25);
  const possible = workChanges.filter((one) => one.isNeutral === isNeutral);
  for (let attempt = 0; attempt < 100; attempt++) {
    const { words, apply } = random.pick(possible);
    if (apply(draft) && JSON.stringify(after) !== JSON.stringify(work))
      return { name, seed, change: words, isNeutral, before: work, after };
  }
  throw new Error("no change fits");
}

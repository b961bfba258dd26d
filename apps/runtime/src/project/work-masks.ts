// Finds out which of a run's values are personal or secret, for people who look at it. In: workflows, and the names of
// masked fields. Out: the masks for each step, input, output and event. A value is followed through the expressions in
// templates, whatever its name is there. Answers of other services, and records that a personal value was copied into,
// are only masked by the names of their members, and by values that are masked elsewhere (`masked-values.ts`).
import type { BundleBackground, BundleEntity, BundleStep, JsonValue, StepAction, Template } from "@plinth/bundle";
import type { Expression } from "@plinth/expression";
import { MASK } from "./mask.ts";

/** The masked parts of a value; null for none. */
export type Mask = "all" | { readonly members: Readonly<Record<string, Mask>> } | { readonly items: Mask } | null;

export interface StepMasks {
  readonly input: Mask;
  readonly output: Mask;
}

export interface WorkMasks {
  /** @param path As in the step's row. */
  step(of: WorkName, path: string): StepMasks;
  input(of: WorkName): Mask;
  output(of: WorkName): Mask;
  /** For an event's `data`. */
  event(name: string): Mask;
  /** The value with its masked parts replaced, including all members with the name of a masked field. */
  apply(value: unknown, mask: Mask): unknown;
}

export interface WorkName {
  readonly kind: string;
  readonly workflow: string;
}

/** Names of the fields that are `pii`, `internal` or secret, in any entity. */
export function maskedNames(entities: readonly BundleEntity[]): ReadonlySet<string> {
  return new Set(
    entities.flatMap(({ fields }) =>
      fields.filter((field) => field.masked || field.secret || field.hidden).map((field) => field.name),
    ),
  );
}

export function masksOf(background: BundleBackground, names: ReadonlySet<string>): WorkMasks {
  const analysis = new Analysis(names);
  // Values pass from run to run. Each pass follows them one run further.
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const before = JSON.stringify([...analysis.known]);
    analysis.visit(background);
    if (JSON.stringify([...analysis.known]) === before) break;
  }
  const of = (key: string): Mask => analysis.known.get(key) ?? null;
  return {
    step: (work, path) => {
      const segments = path.split("/");
      const plain = segments.filter((segment) => !/^\d+$/.test(segment)).join("/");
      const isMember = /^\d+$/.test(segments.at(-1) ?? "");
      const key = `${keyOf(work)}#${plain}`;
      const output = of(`${key} output`);
      const isList = analysis.lists.has(key) && !isMember;
      return { input: of(`${key} input`), output: isList && output !== null ? { items: output } : output };
    },
    input: (work) => of(`${keyOf(work)} input`),
    output: (work) => of(`${keyOf(work)} output`),
    event: (name) => of(`event ${name}`),
    apply: (value, mask) => apply(value, mask, names),
  };
}

/** As many runs as can start one another, see `DEPTH_MAX`. */
const PASSES_MAX = 13;

const keyOf = ({ kind, workflow }: WorkName): string => `${kind}/${workflow}`;

/** The masks of names, in addition to the names of masked fields. */
type Roots = Readonly<Record<string, Mask>>;

class Analysis {
  readonly known = new Map<string, Mask>();
  /** Steps with `for_each`: each member has its own output. */
  readonly lists = new Set<string>();
  readonly #names: ReadonlySet<string>;

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  visit({ workflows, actions }: BundleBackground): void {
    for (const { kind, name, on, steps } of workflows) {
      const key = keyOf({ kind, workflow: name });
      const data = on.map((event) => this.#get(`event ${event}`)).reduce(union, null);
      const roots = { event: membersOf({ data }), input: this.#get(`${key} input`) };
      const outputs = this.#steps(key, steps, "", roots, {});
      this.#add(`${key} output`, outputs[steps.at(-1)?.id ?? ""] ?? null);
    }
    for (const { name, input: fields, steps, output } of actions) {
      const key = keyOf({ kind: "action", workflow: name });
      const personal = fields.filter((field) => field.masked || field.secret);
      const input = membersOf(Object.fromEntries(personal.map((field) => [field.name, "all" as const])));
      this.#add(`${key} input`, input);
      const outputs = this.#steps(key, steps, "", { input }, {});
      const mask = output === null ? null : this.#template(output, { input, steps: membersOf(outputs) });
      this.#add(`${key} output`, mask);
    }
  }

  /** Returns the masks of `steps.<id>` for the steps that follow. */
  #steps(key: string, steps: readonly BundleStep[], prefix: string, roots: Roots, before: Roots): Roots {
    const outputs: Record<string, Mask> = { ...before };
    for (const step of steps) {
      const at = `${key}#${prefix}${step.id}`;
      const env = { ...roots, steps: membersOf(outputs) };
      const items = step.forEach === null ? null : this.#template(step.forEach.items, env);
      const each = items !== null && items !== "all" && "items" in items ? items.items : items;
      const within = step.forEach === null ? env : { ...env, each };
      const { input, output } = this.#action(step.action, within);
      this.#add(`${at} input`, input);
      this.#add(`${at} output`, output);
      const message = this.#message(step.action, input);
      this.#add(`${key} message`, message);
      if (step.forEach !== null) this.lists.add(at);
      outputs[step.id] = step.forEach === null || output === null ? output : { items: output };
      if (step.onError.kind === "steps") {
        const seen = {
          ...roots,
          ...(step.forEach === null ? {} : { each }),
          error: membersOf({ message, body: message }),
        };
        Object.assign(outputs, this.#steps(key, step.onError.steps, `${prefix}${step.id}/on_error/`, seen, outputs));
      }
    }
    for (const step of steps) this.#steps(key, step.compensate, `${prefix}${step.id}/compensate/`, roots, outputs);
    return outputs;
  }

  /** The error of a step may quote its input; that of a worker, the input of one of its steps. */
  #message(action: StepAction, input: Mask): Mask {
    const called = action.kind === "worker.run" ? keyOf({ kind: "worker", workflow: action.worker }) : null;
    return input !== null || (called !== null && this.#get(`${called} message`) !== null) ? "all" : null;
  }

  #action(action: StepAction, env: Roots): StepMasks {
    const of = (template: Template): Mask => this.#template(template, env);
    const all = (values: Readonly<Record<string, Template>>): Mask =>
      membersOf(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, of(value)])));
    switch (action.kind) {
      case "record.create":
      case "record.update":
      case "record.transition": {
        // The record has the written values, under the same names.
        const values = all(action.values);
        return { input: values, output: values };
      }
      case "record.find":
        return { input: all(action.where), output: null };
      case "event.emit": {
        const data = of(action.data);
        this.#add(`event ${action.event}`, data);
        return { input: data, output: data };
      }
      case "audit.write":
        return { input: of(action.note), output: null };
      case "email.send":
        return {
          input: all({
            ...(action.to === null ? {} : { to: action.to }),
            ...(action.subject === null ? {} : { subject: action.subject }),
            ...(action.values === null ? {} : { values: action.values }),
          }),
          output: null,
        };
      case "http.request":
        return {
          input: all({ url: action.url, ...(action.body === null ? {} : { body: action.body }) }),
          output: null,
        };
      case "worker.run": {
        const worker = keyOf({ kind: "worker", workflow: action.worker });
        const input = of(action.input);
        this.#add(`${worker} input`, input);
        return { input, output: this.#get(`${worker} output`) };
      }
      case "wait_for":
        return { input: null, output: membersOf({ data: this.#get(`event ${action.event}`) }) };
      case "approve":
        return { input: action.message == null ? null : all({ message: action.message }), output: null };
      case "record.delete":
      case "wait":
      case "webhook.emit":
        return { input: null, output: null };
    }
  }

  #template(template: Template, env: Roots): Mask {
    switch (template.kind) {
      case "literal":
        return null;
      case "value":
        return this.#expression(template.expression, env);
      case "text":
        return template.parts.some((part) => typeof part !== "string" && this.#reveals(part, env)) ? "all" : null;
      case "list": {
        const items = template.items.map((item) => this.#template(item, env)).reduce(union, null);
        return items === null ? null : { items };
      }
      case "object":
        return membersOf(
          Object.fromEntries(
            Object.entries(template.members).map(([name, value]) => [name, this.#template(value, env)]),
          ),
        );
    }
  }

  #expression(expression: Expression, env: Roots): Mask {
    switch (expression.kind) {
      case "field":
        return expression.path.some((name) => this.#names.has(name)) ? "all" : null;
      case "user":
        return this.#names.has(expression.name) ? "all" : null;
      case "value": {
        const { root, path } = expression;
        if (path.some((name) => this.#names.has(name))) return "all";
        return path.reduce<Mask>((mask, name) => memberOf(mask, name), env[root] ?? null);
      }
      case "list": {
        const items = expression.items.map((item) => this.#expression(item, env)).reduce(union, null);
        return items === null ? null : { items };
      }
      case "operation":
        return this.#operation(expression, env);
      // Only whether, and how many.
      case "literal":
      case "sent":
      case "context":
      case "each":
      case "member":
        return null;
    }
  }

  #operation({ operator, args }: Extract<Expression, { kind: "operation" }>, env: Roots): Mask {
    switch (operator) {
      case "?:":
        return args
          .slice(1)
          .map((arg) => this.#expression(arg, env))
          .reduce(union, null);
      case ".": {
        const [object, ...members] = args;
        const names = members.map((one) => (one.kind === "literal" ? String(one.value) : ""));
        if (object === undefined || names.some((name) => this.#names.has(name))) return "all";
        return names.reduce<Mask>((mask, name) => memberOf(mask, name), this.#expression(object, env));
      }
      case "+":
      case "-":
      case "*":
      case "/":
      case "abs":
      case "ceil":
      case "date":
      case "day":
      case "floor":
      case "hour":
      case "minute":
      case "month":
      case "round":
      case "weekday":
      case "year":
        return args.some((arg) => this.#reveals(arg, env)) ? "all" : null;
      // A comparison reveals one bit, `size` a number.
      default:
        return null;
    }
  }

  /**
   * Whether a text that contains the expression reveals something masked. A whole record in a text has lost its
   * members' names.
   */
  #reveals(expression: Expression, env: Roots): boolean {
    if (this.#expression(expression, env) !== null) return true;
    if (expression.kind !== "value" || this.#names.size === 0) return false;
    const { root, path, type } = expression;
    const isWhole = type.kind === "opaque" || type.kind === "list";
    return isWhole && path.length <= (root === "steps" || root === "event" ? 1 : 0);
  }

  #get(key: string): Mask {
    return this.known.get(key) ?? null;
  }

  #add(key: string, mask: Mask): void {
    if (mask !== null) this.known.set(key, union(this.#get(key), mask));
  }
}

function membersOf(members: Readonly<Record<string, Mask>>): Mask {
  const masked = Object.entries(members).filter(([, mask]) => mask !== null);
  return masked.length === 0 ? null : { members: Object.fromEntries(masked) };
}

function memberOf(mask: Mask, name: string): Mask {
  if (mask === null || mask === "all") return mask;
  return "items" in mask ? mask.items : (mask.members[name] ?? null);
}

function union(one: Mask, other: Mask): Mask {
  if (one === null || other === null) return one ?? other;
  if (one === "all" || other === "all") return "all";
  if ("items" in one && "items" in other) return { items: union(one.items, other.items) };
  if ("items" in one || "items" in other) return "all";
  const names = new Set([...Object.keys(one.members), ...Object.keys(other.members)]);
  return membersOf(
    Object.fromEntries([...names].map((name) => [name, union(one.members[name] ?? null, other.members[name] ?? null)])),
  );
}

function apply(value: unknown, mask: Mask, names: ReadonlySet<string>): unknown {
  if (value === null || value === undefined) return value;
  if (mask === "all") return MASK;
  if (Array.isArray(value)) {
    const items = mask !== null && "items" in mask ? mask.items : null;
    return value.map((item) => apply(item, items, names));
  }
  if (typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      names.has(name) && member !== null ? MASK : apply(member, memberOf(mask, name), names),
    ]),
  ) as JsonValue;
}

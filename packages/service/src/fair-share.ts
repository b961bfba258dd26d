// Chooses the next of several waiting projects. In: waiting items, and what each project has used. Out: the next item,
// of the project that has used least recently. It runs nothing and never loses an item.

/** Usage counts half after this time: an old burst is no lasting disadvantage. */
const HALF_LIFE_MS = 2_000;
const ACCOUNTS_MAX = 10_000;

interface Account<Item> {
  used: number;
  atMs: number;
  readonly waiting: Item[];
}

export class FairShare<Item> {
  readonly #accounts = new Map<string, Account<Item>>();
  readonly #waiting = new Map<string, Account<Item>>();
  readonly #clock: () => number;
  #size = 0;

  /** @param clock Monotonic milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Items that wait, of all projects. */
  get size(): number {
    return this.#size;
  }

  waitingOf(project: string): number {
    return this.#waiting.get(project)?.waiting.length ?? 0;
  }

  push(project: string, item: Item): void {
    const account = this.#accountOf(project);
    account.waiting.push(item);
    this.#waiting.set(project, account);
    this.#size++;
  }

  /** The first item of the project that has used least among those that can go on; null if none can. */
  next(mayGoOn: (project: string, first: Item) => boolean): Item | null {
    const now = this.#clock();
    let chosen: string | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const [project, account] of this.#waiting) {
      const used = decayed(account, now);
      if (used < least && mayGoOn(project, account.waiting[0] as Item)) {
        chosen = project;
        least = used;
      }
    }
    return chosen === null ? null : this.#shift(chosen);
  }

  /** Removes an item from its queue, wherever it is. */
  remove(project: string, item: Item): void {
    const account = this.#waiting.get(project);
    const at = account?.waiting.indexOf(item) ?? -1;
    if (account === undefined || at === -1) return;
    account.waiting.splice(at, 1);
    this.#size--;
    if (account.waiting.length === 0) this.#waiting.delete(project);
  }

  /** Adds to a project's usage, in the caller's unit. */
  charge(project: string, cost: number): void {
    this.#accountOf(project).used += cost;
  }

  #shift(project: string): Item {
    const account = this.#waiting.get(project) as Account<Item>;
    const item = account.waiting.shift() as Item;
    this.#size--;
    if (account.waiting.length === 0) this.#waiting.delete(project);
    return item;
  }

  #accountOf(project: string): Account<Item> {
    const now = this.#clock();
    let account = this.#accounts.get(project);
    if (account === undefined) {
      if (this.#accounts.size >= ACCOUNTS_MAX) this.#forgetOldest();
      account = { used: 0, atMs: now, waiting: [] };
      this.#accounts.set(project, account);
    }
    account.used = decayed(account, now);
    account.atMs = now;
    return account;
  }

  #forgetOldest(): void {
    for (const [project, account] of this.#accounts) {
      if (account.waiting.length > 0) continue;
      this.#accounts.delete(project);
      return;
    }
  }
}

function decayed<Item>({ used, atMs }: Account<Item>, now: number): number {
  return used === 0 ? 0 : used * 2 ** ((atMs - now) / HALF_LIFE_MS);
}

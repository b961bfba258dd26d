// Joins simultaneous calls into one statement. In: items. Out: the result that each would get alone. While a statement
// is running, new items wait for the next one. So a quiet process waits for nothing, and a busy one has few statements.

/**
 * @param run Returns results in the order of its items. It must change nothing if it fails. @param most Items of one
 * statement.
 */
export function together<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  most: number,
): (item: Item) => Promise<Result> {
  interface Waiting {
    readonly item: Item;
    readonly resolve: (result: Result) => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let isUnderWay = false;

  async function runOne({ item, resolve, reject }: Waiting): Promise<void> {
    try {
      const [result] = await run([item]);
      resolve(result as Result);
    } catch (error) {
      reject(error);
    }
  }

  async function runAll(batch: readonly Waiting[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    if (batch.length === 1) return runOne(first);
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Result);
    } catch {
      // One of them may be the cause, so each runs separately.
      for (const one of batch) await runOne(one);
    }
  }

  async function work(): Promise<void> {
    isUnderWay = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      await runAll(batch);
    }
    isUnderWay = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // Items of the same turn of the event loop go together, such as answers that arrived at once.
      if (!isUnderWay) {
        isUnderWay = true;
        setImmediate(() => void work());
      }
    });
}

// Compares the events that a subscriber received with those that it should receive. In: the history of each record,
// which triggers in the database wrote, and the received events. Out: events that were missed, repeated, out of order,
// or not allowed. The history is written in the transaction of each change, so a rolled-back change leaves none.

/** A row as the database has it; null after it was deleted permanently. */
export type Row = Readonly<Record<string, unknown>> | null;

/** The states of each record, oldest first. */
export type History = ReadonlyMap<string, readonly Row[]>;

/** A received event: `gone`, or the version of the record in it. */
export type Told = "gone" | number;

export interface Verdict {
  readonly expected: number;
  readonly missed: number;
  /** Repeated, out of order, or never allowed. */
  readonly unexpected: number;
  /** Descriptions of a few of them. */
  readonly examples: readonly string[];
}

/**
 * A subscriber receives each change that it can see, once and in order. One kind of change can be left out: a record
 * that was visible when it was written, and hidden before the event was sent. @param sees The read rule and the filters
 * of the subscriber.
 */
export function judgeTold(
  history: History,
  told: ReadonlyMap<string, readonly Told[]>,
  sees: (row: NonNullable<Row>) => boolean,
): Verdict {
  let expected = 0;
  let missed = 0;
  let unexpected = 0;
  const examples: string[] = [];
  for (const id of new Set([...history.keys(), ...told.keys()])) {
    const due = dueOf(history.get(id) ?? [], sees);
    const got = told.get(id) ?? [];
    expected += due.filter(({ isOwed }) => isOwed).length;
    const left = knownOnce(got, due);
    const odd = got.length - left.length;
    let lost = 0;
    for (const { what, isOwed } of due) {
      if (left[0] === what) left.shift();
      else if (isOwed) lost++;
    }
    missed += lost;
    unexpected += left.length + odd;
    if (lost + left.length + odd > 0 && examples.length < 5) {
      const wanted = due.map(({ what, isOwed }) => (isOwed ? what : `(${what})`)).join(" ");
      examples.push(`${id}: due ${wanted}; told ${got.join(" ")}`);
    }
  }
  return { expected, missed, unexpected, examples };
}

/** Without repeated versions and those that were never due. Otherwise, all later ones would seem to be missed. */
function knownOnce(told: readonly Told[], due: readonly Due[]): Told[] {
  const left = new Set(due.map(({ what }) => what));
  return told.filter((what) => what === "gone" || left.delete(what));
}

interface Due {
  readonly what: Told;
  readonly isOwed: boolean;
}

function dueOf(states: readonly Row[], sees: (row: NonNullable<Row>) => boolean): readonly Due[] {
  const visible = states.map((row) => row !== null && sees(row));
  const lastHidden = visible.lastIndexOf(false);
  return states.flatMap((row, at): readonly Due[] => {
    if (visible[at]) return [{ what: Number(row?.["version"]), isOwed: at > lastHidden }];
    return visible[at - 1] === true ? [{ what: "gone", isOwed: true }] : [];
  });
}

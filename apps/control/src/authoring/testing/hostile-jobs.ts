// Jobs that a worker thread must survive, or end by. In: nothing. Out: nothing, or too much. For tests alone.

export function greet({ name }: { readonly name: string }): string {
  return `hello ${name}`;
}

export function spin(): never {
  for (;;);
}

export function hoard(): number {
  const kept: unknown[] = [];
  for (;;) kept.push({ more: Array.from({ length: 1_000 }, () => ({})) });
}

export function propose(): never {
  return spin();
}

/** The workshop's first job. */
export function validate(): null {
  return null;
}

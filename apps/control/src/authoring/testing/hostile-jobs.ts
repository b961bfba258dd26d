// Jobs that a worker thread must survive, or that must end it. In: nothing. Out: nothing, or too much. For tests only.

export function greet({ name }: { readonly name: string }): string {
  return `hello ${name}`;
}

export function spin(): never {
  for (;;);
}

/** Takes time without computing, like an honest job on a busy machine. */
export function idle({ ms }: { readonly ms: number }): string {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return "done";
}

/** Computes for this number of milliseconds. */
export function compute({ ms }: { readonly ms: number }): string {
  const spent = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  for (const began = spent(); spent() - began < ms; );
  return "done";
}

export function hoard(): number {
  const kept: unknown[] = [];
  for (;;) kept.push({ more: Array.from({ length: 1_000 }, () => ({})) });
}

export function propose(): never {
  return spin();
}

/** The first job of the workshop. */
export function validate(): null {
  return null;
}

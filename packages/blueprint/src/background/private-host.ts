// Recognizes private hosts. In: the host of a URL, in the form of the URL standard. Out: whether it clearly leads to no
// public address. It never resolves a name, and knows only the networks that authors write, not all that a cell
// refuses.

/** `[::1]`, and the blocks of local and link-local addresses. */
const private6 = /^\[(?:::1?|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*|::ffff:.*)\]$/;
const privateNames = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa)$/;

export function isPrivateHost(host: string): boolean {
  const four = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host);
  if (four !== null) return isPrivate4(Number(four[1]), Number(four[2]));
  return private6.test(host) || privateNames.test(host);
}

function isPrivate4(first: number, second: number): boolean {
  if ([0, 10, 127].includes(first) || first >= 224) return true;
  if (first === 100) return second >= 64 && second < 128;
  if (first === 169) return second === 254;
  if (first === 172) return second >= 16 && second < 32;
  return first === 192 && second === 168;
}

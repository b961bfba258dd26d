// Guesses what an author meant. In: the text of an invalid expression. Out: the same in our language, if the text
// follows SQL, JavaScript, Firebase, Supabase or Hasura; null otherwise. It guesses: the caller checks the result.

/** The maximum length of a text to guess, in UTF-16 code units, so that the result fits into a hint. */
const LENGTH_MAX = 160;

type Habit = readonly [pattern: RegExp, ours: string];

/** The signed-in user's id in other systems. */
const userId =
  /@?\brequest\.auth\.(?:uid|id)\b|\bauth\.(?:uid\(\)|uid\b|user\(\)\.id\b|user\.id\b|user_id\b|id\b)|\bX-Hasura-User-Id\b|\$?\bcurrent_?user_?id\b(?:\(\))?|\$(?:current_?)?user\.id\b|\b(?:session|req|request|ctx|context)\.user(?:\.id|_id|Id)\b/gi;

/** Habits with texts inside them, or around the whole expression. */
const habitsAround: readonly Habit[] = [
  [/^\s*return\s+/, ""],
  [/;\s*$/, ""],
  [/^\s*\(\s*\)\s*=>\s*/, ""],
  [/`\$\{\s*([\w.]+)\s*\}`/g, "$1"],
  [/\$?\{\{\s*([^{}]*?)\s*\}\}/g, "$1"],
  [/([\w.]+)\s+I?LIKE\s+(["'])%([^%_"']+)%\2/gi, "$1.contains($2$3$2)"],
  [/([\w.]+)\s+I?LIKE\s+(["'])([^%_"']+)%\2/gi, "$1.startsWith($2$3$2)"],
  [/([\w.]+)\s+I?LIKE\s+(["'])%([^%_"']+)\2/gi, "$1.endsWith($2$3$2)"],
  [/([\w.]+)\s+IN\s*\(((?:"[^"]*"|'[^']*'|[\w.-]+)(?:\s*,\s*(?:"[^"]*"|'[^']*'|[\w.-]+))*)\s*\)/gi, "$1 in [$2]"],
  [/([\w.]+)\s+BETWEEN\s+(\S+)\s+AND\s+(\S+)/gi, "$1 >= $2 && $1 <= $3"],
  [/\binterval\s+(["'])(\d+)\s*hours?\1/gi, 'duration("$2h")'],
  [/\binterval\s+(["'])(\d+)\s*minutes?\1/gi, 'duration("$2m")'],
  [/\bauth\.role\(\)\s*={1,3}\s*(["'])authenticated\1/g, "current_user.id != null"],
  [
    /(?:current_?user|auth|\$user|user|request\.auth(?:\.token)?)\.roles?\s*={2,3}\s*["'](\w+)["']/gi,
    "current_user.is($1)",
  ],
  [
    /(?:current_?user|auth|\$user|user|request\.auth(?:\.token)?)\.roles\.\w+\(\s*["'](\w+)["']\s*\)/gi,
    "current_user.is($1)",
  ],
  [/["'](\w+)["']\s+in\s+current_user\.roles\b/g, "current_user.is($1)"],
  [/([=!]=\s*)["'](true|false)["']/gi, "$1$2"],
];

/** Habits outside of quoted texts. */
const habits: readonly Habit[] = [
  [/\(\s*select\s+([\w.]+\(\))\s*\)/gi, "$1"],
  [userId, "current_user.id"],
  [/\bauth\.email\(\)|\brequest\.auth\.(?:token\.)?email\b|\bauth\.email\b/g, "current_user.email"],
  [
    /(?:current_?user|\$user|user|request\.auth\.token)\.(?:is_?)?admin\b(?:\s*={2,3}\s*true)?/gi,
    "current_user.is(admin)",
  ],
  [/^\s*(?:request\.)?auth\s*!==?\s*(?:null|nil|undefined)\s*$/g, "current_user.id != null"],
  [/\b(?:request\.)?resource\.data\./g, ""],
  [/\bthis\.|\bself\.|\brow\.|\bdoc\./g, ""],
  [/\bcurrent_user\s*(?===|!=)/g, "current_user.id "],
  [/([=!]=)\s*current_user\s*$/g, "$1 current_user.id"],
  [/(^|[=!]=\s*)me\b(?!\.)/g, "$1current_user.id"],
  [/\$?\bcurrentUser\b|\$user\b/g, "current_user"],
  [/\brequest\.time\b|\b(?:Date\.)?now\(\)|\bnew\s+Date\(\)|\bCURRENT_TIMESTAMP\b/gi, "now"],
  [/===/g, "=="],
  [/!==/g, "!="],
  [/<>/g, "!="],
  [/(?<![=!<>])=(?![=>])/g, "=="],
  [/\bIS\s+NOT\s+(?:NULL|None)\b/gi, "!= null"],
  [/\bIS\s+(?:NULL|None)\b/gi, "== null"],
  [/\b(?:nil|undefined|None|NULL|Null)\b/g, "null"],
  [/\bTrue\b|\bTRUE\b/g, "true"],
  [/\bFalse\b|\bFALSE\b/g, "false"],
  [/\bAND\b/gi, "&&"],
  [/\bOR\b/gi, "||"],
  [/\bNOT\s+/gi, "!"],
  [/\?\./g, "."],
  [/\.length\b(?:\(\))?/g, ".size()"],
  [/\b(?:length|len|char_length)\(/g, "size("],
  [/\.(?:includes|has)\(/g, ".contains("],
  [/\.starts_?with\(/gi, ".startsWith("],
  [/\.ends_?with\(/gi, ".endsWith("],
  [/\.some\(/g, ".exists("],
  [/\.every\(/g, ".all("],
];

/** The text in our language; null if it is the same, or too long. */
export function meantBy(text: string): string | null {
  if (text.length > LENGTH_MAX) return null;
  let around = withDays(text);
  const named = /^\s*\(?\s*(\w+)\s*\)?\s*=>\s*(.*)$/s.exec(around);
  if (named !== null) around = (named[2] ?? "").replaceAll(new RegExp(`\\b${named[1]}\\b`, "g"), "current_user");
  for (const [pattern, ours] of habitsAround) around = around.replaceAll(globalOf(pattern), ours);
  const meant = outsideQuotes(around, (part) =>
    habits.reduce((written, [pattern, ours]) => written.replaceAll(globalOf(pattern), ours), part),
  );
  const tidy = outsideQuotes(meant, snakeCase).trim();
  return tidy === text.trim() || tidy === "" || tidy.length > LENGTH_MAX ? null : tidy;
}

/** `interval '2 days'` in hours, because our durations have hours. */
function withDays(text: string): string {
  return text.replaceAll(
    /\binterval\s+(["'])(\d{1,4})\s*days?\1/gi,
    (_, _quote: string, days: string) => `duration("${Number(days) * 24}h")`,
  );
}

function globalOf(pattern: RegExp): RegExp {
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`);
}

/** `userId` as `user_id`, unless it is a function of ours. */
function snakeCase(part: string): string {
  return part.replaceAll(/\b[a-z]+(?:[A-Z][a-z0-9]*)+\b(?!\()/g, (word) =>
    word.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
}

/** Changes the text outside of quoted texts. */
function outsideQuotes(text: string, change: (part: string) => string): string {
  return text
    .split(/("[^"]*"|'[^']*')/)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}

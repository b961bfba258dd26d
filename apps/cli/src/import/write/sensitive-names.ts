// Names of fields that ordinary users must not read or write. In: nothing. Out: patterns for names in snake_case.

/** Credentials. */
export const secretName: RegExp =
  /pass(?:word|wd|code|_?hash|_?crypt|phrase)|(?:^|_)(?:salt|token|otp|totp|mfa|pin|secret|credential)s?(?:$|_)|(?:api|private|secret|access|signing|encryption|recovery|service)_?keys?(?:$|_)|(?:backup|recovery)_?codes?/;

/** Rights, payments, events, and what others decide about a person or a record. */
export const powerName: RegExp =
  /role|admin|moderator|staff|superuser|permission|member|scope|grant|access|bann?ed|muted?|suspend|block|locked|disabled|enabled|activ|verif|confirm|approv|trust|flag|tier|level|rank|status|state(?:$|_)|karma|reputation|score|quota|limit|credit|balance|price|discount|stripe|billing|payment|invoice|payout|subscription|plan(?:$|_)|trial|premium|audit|(?:^|_)log(?:$|_)/;

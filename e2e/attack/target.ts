// What attackers and victims know about the cell. In: nothing. Out: plain data that is sent to their processes as JSON.
// It never contains the cell's secrets: an attacker only has what a customer, an end user or a stranger has.

export interface Target {
  readonly origin: string;
  readonly victim: VictimProject;
  /**
   * Three hostile customers: `plain` has default limits, the two `greedy` ones the highest limits that a blueprint can
   * set.
   */
  readonly plain: HostileProject;
  readonly greedy: readonly [HostileProject, HostileProject];
  /** The publishable key of a project with a large description. */
  readonly wide: string;
  readonly console: ConsoleTarget;
  readonly size: Size;
}

/** The address of the control API, and the headers of two people's browsers. */
export interface ConsoleTarget {
  readonly origin: string;
  /** The author's project; edition 0 of the intricate blueprint is live in it. */
  readonly projectId: string;
  /** Another project of the author's, for large deployments. */
  readonly largeProjectId: string;
  readonly author: Readonly<Record<string, string>>;
  readonly other: Readonly<Record<string, string>>;
}

export interface VictimProject {
  readonly key: string;
  /** Access tokens of signed-in users, at most some minutes old. */
  readonly tokens: readonly string[];
  /** Rows 1 to this number have ids from `idOfRow`. */
  readonly rows: number;
}

export interface HostileProject {
  readonly schema: string;
  readonly publishable: string;
  readonly secret: string;
  /** Access tokens of signed-in users, at most some minutes old. */
  readonly tokens: readonly string[];
}

/** The size of the attacks; `npm test` uses a small one. */
export interface Size {
  readonly victimRows: number;
  readonly listings: number;
  /** The number of offers of ten shops; a user's rule reads all of them for each listing. */
  readonly offers: number;
  readonly users: number;
  readonly slowSockets: number;
  readonly bodySockets: number;
  /** Records of 1 MB in a list of `large-replies`, and the number of simultaneous lists. */
  readonly largeRecords: number;
  readonly largeLists: number;
  /** The number of entities of the project with the large description. */
  readonly wideEntities: number;
  /** The number of cases in each rule of the intricate blueprint. */
  readonly casesPerRule: number;
  /** The number of entities of the deployed blueprint: 72 have 95 kB of text. */
  readonly deployedEntities: number;
  /** The number of unknown keys that are tried. */
  readonly unknownKeys: number;
  /** How long slow sockets are watched. */
  readonly patienceSeconds: number;
}

export const wholeSize: Size = {
  victimRows: 50_000,
  listings: 200_000,
  offers: 20_000,
  users: 200,
  slowSockets: 500,
  bodySockets: 80,
  largeRecords: 100,
  largeLists: 20,
  wideEntities: 100,
  casesPerRule: 12,
  deployedEntities: 72,
  unknownKeys: 90_000,
  patienceSeconds: 20,
};

export const testSize: Size = {
  victimRows: 2_000,
  listings: 20_000,
  offers: 100,
  users: 8,
  slowSockets: 50,
  bodySockets: 10,
  largeRecords: 10,
  largeLists: 4,
  wideEntities: 20,
  casesPerRule: 2,
  deployedEntities: 4,
  unknownKeys: 1_000,
  patienceSeconds: 1.5,
};

/** An app of another customer, or another person at the console. */
export type Neighbour = "app" | "person";

/** The neighbour's requests per second. */
export const neighbourPerSecond: Readonly<Record<Neighbour, number>> = { app: 150, person: 20 };

/** The victim has its own address, so that limits by address don't affect it. */
export const victimAddress = "127.0.0.10";
export const attackerAddress = "127.0.0.66";

/** Row n has the id 0...n in hexadecimal, so that a load generator can name one without a look-up. */
export function idOfRow(n: number): string {
  const hex = n.toString(16).padStart(32, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function bearer(key: string, token?: string): Record<string, string> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return token === undefined ? headers : { ...headers, "plinth-user-token": token };
}

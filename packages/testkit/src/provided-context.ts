// What the global setup provides to test processes. In: nothing. Out: the key, and its type for Vitest. It never
// contains a value.

declare module "vitest" {
  export interface ProvidedContext {
    /** Path of the socket that answers with the test server's address. */
    plinthTestServer: string;
  }
}

export const testServerKey = "plinthTestServer" as const;

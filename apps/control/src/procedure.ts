// The type of one procedure: what goes in, what comes out. In: two types. Out: tRPC's own procedure types.
// Types alone: a client imports these without loading any of the server.
import type { TRPCMutationProcedure, TRPCQueryProcedure } from "@trpc/server";

export type Query<Input, Output> = TRPCQueryProcedure<{ input: Input; output: Output; meta: unknown }>;
export type Mutation<Input, Output> = TRPCMutationProcedure<{ input: Input; output: Output; meta: unknown }>;

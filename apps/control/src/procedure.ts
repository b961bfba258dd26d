// The type of one procedure. In: the types of its input and output. Out: tRPC's own procedure types. This file has types only: a
// client imports them without loading the server.
import type { TRPCMutationProcedure, TRPCQueryProcedure } from "@trpc/server";

export type Query<Input, Output> = TRPCQueryProcedure<{ input: Input; output: Output; meta: unknown }>;
export type Mutation<Input, Output> = TRPCMutationProcedure<{ input: Input; output: Output; meta: unknown }>;

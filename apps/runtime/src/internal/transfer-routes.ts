// Imports and exports of a project's records, on the internal listener. In: batches and questions of a person whom
// control vouches for. Out: their results. Each call needs an assertion for an operator of exactly this project.
import { ASSERTION_HEADER, type BatchBody, batchBody, type TransferShape, transferCalls } from "@plinth/bundle/cell";
import { type BulkScope, orUnavailable } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ReleaseRegistry } from "../project/active-release.ts";
import type { ExportSessions } from "../transfers/export-sessions.ts";
import { abandonImport, closeImport, findImport, openImport } from "../transfers/import-ledger.ts";
import { takeBatch } from "../transfers/take-batch.ts";
import { transferShape } from "../transfers/transfer-shape.ts";
import { type AssertionTrust, acceptAssertion } from "./assertion.ts";
import { callOf, found, paramOf, projectOf, releaseOf, serve } from "./serve.ts";

export interface TransferRouteOptions extends AssertionTrust {
  readonly registry: ReleaseRegistry;
  readonly bulk: BulkScope;
  readonly exports: ExportSessions;
}

export function transferRoutes(app: FastifyInstance, options: TransferRouteOptions): void {
  const { pool, bulk, exports } = options;
  const operator = async (request: FastifyRequest): Promise<string> => {
    const signed = await acceptAssertion(request.headers[ASSERTION_HEADER], options, callOf(request));
    if (signed.role !== "operator" || signed.projectId !== projectOf(request)) {
      throw new Fault("unauthenticated", { detail: "Plinth-Assertion is for another call." });
    }
    return signed.subject;
  };

  serve(app, transferCalls.shape, async (request): Promise<TransferShape> => {
    await operator(request);
    return transferShape(await releaseOf(options.registry, projectOf(request)));
  });

  serve(app, transferCalls.openImport, async (request, body) => {
    const by = await operator(request);
    const { projectId } = await releaseOf(options.registry, projectOf(request));
    return orUnavailable(openImport(pool, projectId, body(), by));
  });

  serve(app, transferCalls.findImport, async (request) => {
    await operator(request);
    const name = { projectId: projectOf(request), source: paramOf(request, "source") };
    return found(await orUnavailable(findImport(pool, name)));
  });

  serve(app, transferCalls.takeBatch, async (request) => {
    const email = await operator(request);
    const release = await releaseOf(options.registry, projectOf(request));
    return orUnavailable(takeBatch(bulk, release, batchOf(request), { email, requestId: request.id }));
  });

  serve(app, transferCalls.closeImport, async (request, body) => {
    await operator(request);
    const projectId = projectOf(request);
    const { source } = body();
    const closed = await orUnavailable(
      bulk.transaction(projectId, ({ asCell }) =>
        asCell((client) =>
          source === null ? abandonImport(client, projectId) : closeImport(client, { projectId, source }),
        ),
      ),
    );
    return found(closed);
  });

  serve(app, transferCalls.openExport, async (request) => {
    const by = await operator(request);
    const release = await releaseOf(options.registry, projectOf(request));
    return orUnavailable(exports.open(release, request.id, by));
  });

  serve(app, transferCalls.readPage, async (request, body) => {
    await operator(request);
    const { part, after } = body();
    return orUnavailable(exports.page(projectOf(request), paramOf(request, "exportId"), part, after));
  });

  serve(app, transferCalls.closeExport, async (request) => {
    await operator(request);
    await exports.close(projectOf(request), paramOf(request, "exportId"));
    return null;
  });
}

/**
 * Plain JSON.parse: the strict reader would take most of the time of this call, and control has written the body. COPY
 * checks the texts.
 */
function batchOf({ body }: FastifyRequest): BatchBody {
  try {
    return batchBody.parse(JSON.parse(String(body)));
  } catch (cause) {
    throw new Fault("bad_request", { detail: "The batch can't be read.", cause });
  }
}

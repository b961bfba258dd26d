// A subscriber to the changes of one entity, in this process. In: a request. Out: the position, and the events that
// they get.
import type { CallerPrincipal } from "../../project/principal.ts";
import type { FollowerValues } from "../../query/changes-statement.ts";
import type { EntityView } from "../../query/entity-view.ts";
import { type Filter, operandsOf } from "../../query/reading/filter.ts";
import { EventStream } from "./event-stream.ts";

export interface FollowerRequest extends Omit<FollowerValues, "operands"> {
  readonly filter: Filter;
  readonly principal: CallerPrincipal;
  readonly entity: string;
  /** Reads the request's filter for a release's version of the entity. @throws Fault */
  readonly readFilter: (view: EntityView, roles: readonly string[]) => Filter;
  /** The organization that the request names; undefined if it names none. */
  readonly named: string | undefined;
  /** When the access token or the assertion expires, in milliseconds since 1970; null without one. */
  readonly tokenEndsAt: number | null;
}

export class Follower implements FollowerValues {
  principal: CallerPrincipal;
  organization: string | null;
  /** The number of the last change that they have received. */
  position: number;
  beatAt = 0;
  /**
   * False until they were judged again after they came, because their credentials may have changed since the request.
   */
  isJudged = false;
  filter: Filter;
  readonly stream: EventStream;
  readonly entity: string;
  readonly named: string | undefined;
  readonly tokenEndsAt: number | null;
  readonly ip: string;
  readonly requestId: string;
  readonly readFilter: FollowerRequest["readFilter"];
  /** The account whose share of the project's streams it uses. */
  readonly account: string;
  readonly #sealed: (position: number) => string;
  #sentPosition: number;

  constructor(
    request: FollowerRequest,
    account: string,
    position: number,
    sealed: (position: number) => string,
    onRoom: () => void,
  ) {
    this.principal = request.principal;
    this.organization = request.organization;
    this.entity = request.entity;
    this.named = request.named;
    this.tokenEndsAt = request.tokenEndsAt;
    this.ip = request.ip;
    this.requestId = request.requestId;
    this.readFilter = request.readFilter;
    this.filter = request.filter;
    this.account = account;
    this.position = position;
    this.#sentPosition = position;
    this.#sealed = sealed;
    this.stream = new EventStream(onRoom);
  }

  get operands(): readonly (string | null)[] {
    return operandsOf(this.filter);
  }

  /** Whether the access token or the assertion has expired. */
  get hasEnded(): boolean {
    return this.tokenEndsAt !== null && this.tokenEndsAt <= Date.now();
  }

  /** @param at The number of the change. */
  tell(event: string, data: string, at: number): void {
    this.#sentPosition = at;
    this.stream.send({ id: this.#sealed(at), event, data });
  }

  /** They may see other records now. */
  resync(at: number): void {
    this.position = at;
    this.tell("resync", "{}", at);
  }

  beat(): void {
    const hasMoved = this.position > this.#sentPosition;
    this.#sentPosition = this.position;
    this.stream.beat(hasMoved ? this.#sealed(this.position) : null);
  }

  /** @param code From the catalogue of faults. */
  close(code: string, title: string): void {
    this.stream.send({ event: "closed", data: JSON.stringify({ code, title }) });
    this.stream.finish(RETRY_MS * (1 + Math.random()));
  }

  /** The process stops, but the client can continue with another one. */
  leave(): void {
    this.stream.finish(RETRY_MS * (0.5 + Math.random()));
  }
}

const RETRY_MS = 1_000;

import { eventPrincipal } from '../auth/event-principal.ts'
import type { Clock } from '../clock/clock.ts'
import type { Dialect } from '../contracts/dialect.ts'
import type { Draft } from '../contracts/draft.ts'
import type { BeginEvent } from '../contracts/events.ts'
import type { TargetName } from '../contracts/host.ts'
import type { Operation } from '../contracts/outline.ts'
import type { Principal } from '../contracts/principal.ts'
import type { Caller } from '../contracts/target-health.ts'
import { type AuthFailure, authFailureOf, checkedAuthFailure, moreSpecific } from '../errors/auth-failure.ts'
import type { RequestHooks } from '../hooks/hooks.ts'
import type { Lifetime } from '../http/lifetime.ts'
import { endUser } from '../primitives/end-user.ts'
import { RoutingTrace } from '../routing/routing-trace.ts'
import type { CallContext } from '../upstream/call-context.ts'
import { callerOf } from '../upstream/health/principal-caller.ts'

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

/** The identity of a request, its clock and its lifetime. The pipeline fills it in, stage by stage; others read it. */
export class RequestContext implements CallContext {
  readonly requestId: string
  readonly clock: Clock
  readonly lifetime: Lifetime
  readonly routing: RoutingTrace
  /** When the request arrived, in monotonic milliseconds. */
  readonly startedAt: number
  /** When the request arrived, in milliseconds since 1970. */
  readonly receivedAt: number
  /** The client's own id of the request. Nothing is looked up by it. */
  clientRequestId: string | undefined
  /** The protocol of the endpoint; `undefined` for a request other than one to a model, such as `GET /models`. */
  dialect: Dialect | undefined
  operation: Operation = 'generate'
  /** Set once the body is read. */
  draft: Draft | undefined
  principal: Principal | undefined
  /** The one target that may be called; `undefined` if the route decides. */
  onlyTarget: TargetName | undefined
  /** The hooks that apply; `undefined` if none does. */
  hooks: RequestHooks | undefined
  /** Set once the model is routed. */
  model: string | undefined
  /** Whether the route does not list the model, so that the caller may have made it up. */
  unlisted = false
  stream = false
  committed = false
  headAt = Number.POSITIVE_INFINITY
  #caller: Caller | undefined
  #user: string | undefined
  #authFailure: AuthFailure | undefined

  /** `random` returns a number from 0 up to, but not including, 1. `seed`: default drawn from it. */
  constructor(requestId: string, clock: Clock, lifetime: Lifetime, random: () => number, seed?: number) {
    this.requestId = requestId
    this.clock = clock
    this.lifetime = lifetime
    this.routing = new RoutingTrace(random, seed)
    this.startedAt = clock.monotonic()
    this.receivedAt = clock.now()
  }

  /** The name of the dialect. Errors before an endpoint is found are those of `chat`. */
  get dialectName(): string {
    return this.dialect?.name ?? 'chat'
  }

  /** The end user, as the caller names it, in at most 256 characters. */
  get user(): string | undefined {
    this.#user ??= endUser(this.draft?.outline.user)
    return this.#user
  }

  get caller(): Caller {
    this.#caller ??= callerOf(this.principal)
    return this.#caller
  }

  /** A copy of the principal, with the members that events may have. */
  get eventPrincipal(): Principal | undefined {
    return this.principal && eventPrincipal(this.principal)
  }

  random(): number {
    return this.routing.random()
  }

  /** Records why the principal is unknown. Throws `TypeError` for an invalid failure. */
  reportAuthFailure(failure: AuthFailure): void {
    this.#authFailure = moreSpecific(this.#authFailure, checkedAuthFailure(failure))
  }

  /** Returns why the principal is unknown, given the request's error; `undefined` where the principal is known. */
  authFailureOf(error: unknown): AuthFailure | undefined {
    return this.principal === undefined ? authFailureOf(error, this.#authFailure) : undefined
  }

  /** Returns the `begin` event of a request whose principal may use its model. */
  beginEvent({ id, source, tags }: Principal, model: string): BeginEvent {
    const { requestId, clientRequestId, receivedAt: at, operation, dialectName: dialect, stream } = this
    const principal: Writable<BeginEvent['principal']> = { id }
    if (source !== undefined) principal.source = source
    if (tags !== undefined) principal.tags = { ...tags }
    const event: BeginEvent = {
      type: 'begin',
      requestId,
      clientRequestId,
      at,
      operation,
      dialect,
      principal,
      model,
      stream,
    }
    return this.unlisted ? { ...event, unlisted: true } : event
  }
}

import type { Clock } from '../clock/clock.ts'
import type { Dialect, DialectState, FinishedResponse, StoredTurn } from '../contracts/dialect.ts'
import type { Draft } from '../contracts/draft.ts'
import type { Observer } from '../contracts/events.ts'
import type { Principal, PrincipalId } from '../contracts/principal.ts'
import type { Target } from '../contracts/provider.ts'
import type { ResponseStore } from '../contracts/response-store.ts'
import { GatewayError } from '../errors/errors.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { memberOf } from '../primitives/own-members.ts'
import { principalKey } from '../primitives/principal-key.ts'
import { utf8Length } from '../primitives/utf8-length.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { shorten } from '../protocol/error-messages.ts'
import { jsonMember } from '../protocol/json-members.ts'
import { targetNameOf } from '../routing/last-target.ts'
import { type StoreCallResult, StoreClient } from '../stores/store-client.ts'

/** The timeout of an operation, in milliseconds: a request waits for it. */
const timeoutMs = 1_000

/** Maximum number of responses that one continues, one after the other. */
const maxDepth = 1_000

/** What the gateway stores of responses, for the requests that continue them. Every read is by the owner. */
export class ResponseState {
  readonly #store: ResponseStore
  readonly #calls: StoreClient
  readonly #maxBytes: number

  /** @param maxBytes - the maximum size of a restored conversation. */
  constructor(store: ResponseStore, maxBytes: number, observe: Observer, clock: Clock) {
    this.#store = store
    this.#maxBytes = maxBytes
    this.#calls = new StoreClient({
      name: 'store of responses',
      timeoutMs,
      clock,
      changed: (state, error) => observe({ type: 'store', store: 'responses', state, error }),
      failsFast: true,
    })
  }

  /**
   * Returns the draft with the conversation that it refers to.
   *
   * Rejects with `GatewayError` 400 for what is not stored for the principal, or is too long; 503 if the store fails.
   */
  async restore(draft: Draft, principal: Principal, state: DialectState): Promise<Draft> {
    const { previousId, itemIds } = state.references(draft.body)
    const owner = ownerOf(principal)
    const chain = previousId === undefined ? [] : await this.#chain(owner, previousId)
    const items = new Map<string, JsonObject>()
    let lastTarget = chain.at(-1)?.target
    for (const id of new Set(itemIds)) {
      const turn = chain.find(({ output }) => output.some(each => each.id === id))
      const { output, target } = turn ?? (await this.#turnOfItem(owner, id))
      items.set(id, output.find(each => each.id === id)!)
      if (chain.length === 0) lastTarget = target
    }
    return { ...state.restore(draft, chain, items), lastTarget }
  }

  /** Returns the stored turn of a principal; `undefined` if there is none. Rejects with `GatewayError` 503. */
  async find(principal: Principal, id: string): Promise<StoredTurn | undefined> {
    const { turn } = (await this.#read(ownerOf(principal), id)) ?? {}
    return turn?.deleted === true ? undefined : turn
  }

  /**
   * Deletes a response of a principal. What continued it can still read its items, until they expire. Returns whether there was
   * one. Rejects with `GatewayError` 503.
   */
  async delete(principal: Principal, id: string): Promise<boolean> {
    const turn = await this.find(principal, id)
    if (turn === undefined) return false
    const owner = ownerOf(principal)
    const text = JSON.stringify({ ...turn, response: {}, deleted: true })
    resultOf(await this.#calls.call(() => this.#store.put({ id, owner, itemIds: [], text })))
    return true
  }

  /** Stores a response of a target before it is sent. Returns whether it is stored; a store that fails is reported. */
  save(
    finished: FinishedResponse,
    input: readonly JsonObject[],
    principal: Principal,
    target: Target | undefined,
  ): boolean | Promise<boolean> {
    const response = finished.response(true)
    const id = String(response.id)
    const previousId = response.previous_response_id
    const turn: StoredTurn = {
      id,
      previousId: typeof previousId === 'string' ? previousId : null,
      input,
      output: finished.items,
      response,
      target: target && targetNameOf(target),
    }
    const itemIds = finished.items.flatMap(({ id }) => (isId(id) ? [id] : []))
    const text = JSON.stringify(turn)
    if (utf8Length(text) > this.#maxBytes) return false
    const putting = this.#calls.call(() => this.#store.put({ id, owner: ownerOf(principal), itemIds, text }))
    return isPromise(putting) ? putting.then(({ ok }) => ok) : putting.ok
  }

  /** Returns the turns up to a response, the oldest first. */
  async #chain(owner: string, id: string): Promise<readonly StoredTurn[]> {
    const chain: StoredTurn[] = []
    let bytes = 0
    for (let next: string | null = id; next !== null; ) {
      const found = await this.#read(owner, next)
      const isFirst = chain.length === 0
      if (found === undefined || (isFirst && found.turn.deleted === true)) throw previousNotFound(id)
      bytes += found.bytes
      if (chain.length === maxDepth || bytes > this.#maxBytes) throw tooLong()
      chain.push(found.turn)
      next = found.turn.previousId
    }
    return chain.reverse()
  }

  /** Returns the turn whose response has an item. */
  async #turnOfItem(owner: string, id: string): Promise<StoredTurn> {
    const text = isId(id)
      ? resultOf(await this.#calls.call(() => this.#store.findItem(owner, id)))
      : undefined
    const turn = text === undefined ? undefined : turnOf(text)
    if (turn?.output.some(each => each.id === id) === true) return turn
    const message = `Item with id '${shorten(id)}' not found.`
    throw new GatewayError('invalid_request', { message, param: 'input' })
  }

  async #read(
    owner: string,
    id: string,
  ): Promise<{ readonly turn: StoredTurn; readonly bytes: number } | undefined> {
    const text = isId(id) ? resultOf(await this.#calls.call(() => this.#store.get(owner, id))) : undefined
    return text === undefined ? undefined : { turn: turnOf(text), bytes: utf8Length(text) }
  }
}

/** Whether a request refers to what is stored. */
export function refersToState({ state }: Dialect, { body }: Draft): boolean {
  if (state === undefined) return false
  const { previousId, itemIds } = state.references(body)
  return previousId !== undefined || itemIds.length > 0
}

/** Whether responses of a principal may be stored. Any other value than `true` forbids it. */
export function allowsStored(principal: Principal): boolean {
  const allowed: unknown = memberOf(principal, 'storeResponses')
  return allowed === undefined || allowed === null || allowed === true
}

/** Whether a text can be an id. No other is looked up. */
function isId(id: unknown): id is string {
  return typeof id === 'string' && /^[\x21-\x7e]{1,256}$/.test(id)
}

/** The owner of what is stored for a principal. */
export function ownerOf(principal: PrincipalId): string {
  return `responses ${principalKey(principal)}`
}

function resultOf<T>(result: StoreCallResult<T>): T {
  if (result.ok) return result.value
  throw new GatewayError('response_store_unavailable', { cause: result.error })
}

/** Throws `GatewayError` 503 for a text that no gateway stored. */
function turnOf(text: unknown): StoredTurn {
  try {
    const turn = JSON.parse(text as string) as StoredTurn
    const isTurn = Array.isArray(turn.input) && Array.isArray(turn.output)
    if (isTurn && typeof jsonMember(turn as unknown as JsonObject, 'response') === 'object') return turn
  } catch {}
  const cause = new TypeError('The store of responses returned a text that is not the one that was stored.')
  throw new GatewayError('response_store_unavailable', { cause })
}

function previousNotFound(id: string): GatewayError {
  return new GatewayError('previous_response_not_found', {
    message: `Previous response with id '${shorten(id)}' not found.`,
    param: 'previous_response_id',
  })
}

function tooLong(): GatewayError {
  return new GatewayError('invalid_request', {
    message: 'The conversation of the previous response is too long to be continued. Send its items instead.',
    param: 'previous_response_id',
  })
}

import type { Clock } from '../clock/clock.ts'
import type { Dialect, DialectState, FinishedResponse, StoredTurn } from '../contracts/dialect.ts'
import type { Draft } from '../contracts/draft.ts'
import type { Principal, PrincipalId } from '../contracts/principal.ts'
import type { Target } from '../contracts/provider.ts'
import type { ResponseStore } from '../contracts/response-store.ts'
import { GatewayError } from '../errors/errors.ts'
import type { Lifetime } from '../http/lifetime.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { memberOf } from '../primitives/own-members.ts'
import { principalKey } from '../primitives/principal-key.ts'
import { utf8Length } from '../primitives/utf8-length.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { shorten } from '../protocol/error-messages.ts'
import { jsonMember } from '../protocol/json-members.ts'
import { targetNameOf } from '../routing/last-target.ts'
import { followedResponseStore, isMemoryStore } from '../stores/process-stores.ts'
import type { UsedBreakers } from '../stores/store-breakers.ts'
import { type StoreCallResult, StoreClient } from '../stores/store-client.ts'
import { BackgroundEntries, type RunKey, type RunLease } from './background-entries.ts'
import type { BackgroundRuns } from './background-runs.ts'
import type { EventSource } from './followed-events.ts'
import type { StoredReads } from './stored-reads.ts'

/** The least timeout of an operation, in milliseconds: a request waits for it, and a response can be large. */
const minTimeoutMs = 1_000
/** That of the memory of the primary of workers: a busy machine delays both processes, and only one of them counts. */
const minProcessTimeoutMs = 5_000

/** How often another process is looked at, in milliseconds, and how long one has to cancel a response. */
const pollMs = 250
const cancelMs = 10_000

const processEnded = 'The process that ran the response has ended.'
const deletedMeanwhile = 'The response was deleted.'

/** Maximum number of responses that one continues, one after the other. */
const maxDepth = 1_000

/** How much was read, in bytes. */
interface Reading {
  bytes: number
}

/** What the gateway stores of responses, for the requests that continue them. Every read is by the owner. */
export class ResponseState {
  readonly #store: ResponseStore
  readonly #calls: StoreClient
  readonly #maxBytes: number
  readonly #clock: Clock
  readonly #reads: StoredReads
  readonly #runs: BackgroundRuns
  /** What is stored beside responses in the background. */
  readonly entries: BackgroundEntries

  /**
   * @param maxBytes - the maximum size of a restored conversation.
   * @param storeTimeoutMs - how long an operation may take, in milliseconds, if that is more than a second.
   * @param reads - when a principal may read.
   * @param runs - the responses that run in the background in this process.
   */
  constructor(
    store: ResponseStore,
    maxBytes: number,
    storeTimeoutMs: number | undefined,
    breakers: UsedBreakers,
    clock: Clock,
    reads: StoredReads,
    runs: BackgroundRuns,
  ) {
    this.#store = followedResponseStore(store)
    this.#maxBytes = maxBytes
    this.#clock = clock
    this.#reads = reads
    this.#runs = runs
    const timeoutMs = Math.max(isMemoryStore(store) ? minProcessTimeoutMs : minTimeoutMs, storeTimeoutMs ?? 0)
    this.#calls = new StoreClient({
      name: 'store of responses',
      timeoutMs,
      timeoutOption: 'storeTimeoutMs',
      clock,
      breaker: breakers.breakerOf('responses', store, timeoutMs),
      failsFast: true,
    })
    this.entries = new BackgroundEntries(this.#store, this.#calls)
  }

  /**
   * Returns the draft with the conversation that it refers to.
   *
   * Rejects with `GatewayError` 400 for what is not stored for the principal, or is too long; 429 if too many reads of the principal
   * wait; 503 if the store fails.
   */
  async restore(draft: Draft, principal: Principal, state: DialectState, lifetime: Lifetime): Promise<Draft> {
    const owner = ownerOf(principal)
    return this.#paced(owner, lifetime, async reading => {
      const { previousId, itemIds } = state.references(draft.body)
      const chain = previousId === undefined ? [] : await this.#chain(owner, previousId, state, reading)
      const turns = [...chain]
      const items = new Map<string, JsonObject>()
      let lastTarget = chain.at(-1)?.target
      for (const id of new Set(itemIds)) {
        let turn = turns.find(({ output }) => output.some(each => each.id === id))
        if (turn === undefined) {
          turn = await this.#turnOfItem(owner, id, reading)
          turns.push(turn)
        }
        items.set(id, turn.output.find(each => each.id === id)!)
        if (chain.length === 0) lastTarget = turn.target
      }
      this.#checkReferences(draft, itemIds, items)
      return { ...state.restore(draft, chain, items), lastTarget }
    })
  }

  /** Throws `GatewayError` 400 where a request would be too long with the items that it refers to, each as often as it does. */
  #checkReferences(draft: Draft, ids: readonly string[], items: ReadonlyMap<string, JsonObject>): void {
    const sizes = new Map([...items].map(([id, item]) => [id, utf8Length(JSON.stringify(item))]))
    const bytes = ids.reduce((sum, id) => sum + sizes.get(id)!, draft.bytes)
    if (bytes > this.#maxBytes) throw itemsTooLong()
  }

  /** Reads what is stored for an owner when it is its turn. */
  async #paced<T>(owner: string, lifetime: Lifetime, read: (reading: Reading) => Promise<T>): Promise<T> {
    const begun = this.#reads.begin(owner, lifetime)
    const turn = isPromise(begun) ? await begun : begun
    const reading = { bytes: 0 }
    try {
      return await read(reading)
    } finally {
      turn.end(reading.bytes)
    }
  }

  /**
   * Returns the stored turn of an owner, as it is now if it runs in the background; `undefined` if there is none. Rejects with
   * `GatewayError` 503.
   */
  async find(
    owner: string,
    id: string,
    state: DialectState,
    lifetime: Lifetime,
  ): Promise<StoredTurn | undefined> {
    return this.#paced(owner, lifetime, async reading => {
      const { turn } = (await this.#read(owner, id, reading)) ?? {}
      return turn === undefined || turn.deleted === true
        ? undefined
        : this.#current(owner, turn, state, reading)
    })
  }

  /**
   * Returns a response in the background as it is now. If it runs in another process, that has to be alive. Otherwise it has
   * failed.
   */
  async #current(
    owner: string,
    turn: StoredTurn,
    { background }: DialectState,
    reading: Reading,
  ): Promise<StoredTurn | undefined> {
    const { id, background: run, response } = turn
    if (run?.state !== 'running' || background === undefined) return turn
    const here = this.#runs.find(owner, id)
    if (here !== undefined) return here.turn
    const lease = resultOf(await this.entries.lease({ owner, id }))
    if (lease !== undefined && lease.aliveUntil > this.#clock.now()) {
      return { ...turn, response: background.start(response), background: { ...run, parts: lease.parts } }
    }
    // It may have ended since it was read, and then its lease with it.
    const { turn: again } = (await this.#read(owner, id, reading)) ?? {}
    if (again?.background?.state !== 'running') return again?.deleted === true ? undefined : again
    const lost = background.fail(response, new GatewayError('server_error', { message: processEnded }))
    const parts = lease?.parts ?? run.parts
    return { ...turn, response: lost, background: { ...run, state: 'failed', parts } }
  }

  /**
   * Cancels a response in the background, and resolves when it has ended. One of another process may not have ended in time: then
   * it still runs. Returns it as it is then; `undefined` if it was deleted. Rejects with `GatewayError` 503.
   */
  async cancel(
    owner: string,
    turn: StoredTurn,
    state: DialectState,
    lifetime: Lifetime,
  ): Promise<StoredTurn | undefined> {
    const { id } = turn
    const here = this.#runs.find(owner, id)
    if (here !== undefined) {
      await here.cancel()
      return here.turn
    }
    if (!(await this.entries.putStop({ owner, id }, 'cancel'))) {
      throw new GatewayError('response_store_unavailable')
    }
    const until = this.#clock.monotonic() + cancelMs
    while (this.#clock.monotonic() < until && (await this.#liveLease({ owner, id })) !== undefined) {
      await this.sleep(pollMs)
    }
    return this.find(owner, id, state, lifetime)
  }

  /**
   * Returns what the process reports that runs a response in the background; `undefined` if none does any more. It is read again and
   * again, as it is short: a response may be as long as its conversation.
   */
  async #liveLease(key: RunKey): Promise<RunLease | undefined> {
    const lease = resultOf(await this.entries.lease(key))
    return lease !== undefined && lease.aliveUntil > this.#clock.now() ? lease : undefined
  }

  /** Returns the events of a response in the background, which this process may run. */
  events(owner: string, turn: StoredTurn, state: DialectState, lifetime: Lifetime): EventSource {
    const { id } = turn
    const here = this.#runs.find(owner, id)
    if (here?.events !== undefined) return here.events
    let { parts, state: at } = turn.background!
    const refresh = async () => {
      await this.sleep(pollMs)
      if (at !== 'running') return
      const lease = await this.#liveLease({ owner, id })
      if (lease !== undefined) {
        parts = lease.parts
        return
      }
      const now = await this.find(owner, id, state, lifetime)
      if (now?.background === undefined) throw new GatewayError('server_error', { message: deletedMeanwhile })
      parts = now.background.parts
      at = now.background.state
    }
    return {
      read: async part => resultOf(await this.entries.part({ owner, id }, part)),
      get run() {
        return { parts, ended: at !== 'running' }
      },
      watch: () => refresh,
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise(resolve => {
      this.#clock.setTimer(ms, resolve)
    })
  }

  /**
   * Deletes a response of an owner. What continued it can still read its items, until they expire. One that runs in the background
   * ends, without being stored. Returns whether there was one. Rejects with `GatewayError` 503.
   */
  async delete(owner: string, id: string, state: DialectState, lifetime: Lifetime): Promise<boolean> {
    const turn = await this.find(owner, id, state, lifetime)
    if (turn === undefined) return false
    if (turn.background !== undefined) {
      // Marked first: the process that runs it looks for the mark after it has stored the end.
      await this.#runs.find(owner, id)?.discard()
      if (!(await this.entries.putStop({ owner, id }, 'delete'))) {
        throw new GatewayError('response_store_unavailable')
      }
      await this.entries.deleteAll({ owner, id }, turn.background.parts.length)
      // Nothing continues one that has not ended well.
      if (turn.background.state !== 'ended') {
        resultOf(await this.#calls.call(() => this.#store.delete(owner, id)))
        return true
      }
    }
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
    const putting = this.#put(ownerOf(principal), turn)
    return isPromise(putting) ? putting.then(stored => stored === true) : putting === true
  }

  /** Stores a turn. Returns whether it is stored; `too_large`: it never will be. */
  async tryPut(owner: string, turn: StoredTurn): Promise<boolean | 'too_large'> {
    return this.#put(owner, turn)
  }

  /** Removes a response that was deleted while its end was stored. */
  async remove({ owner, id }: RunKey): Promise<void> {
    await this.#calls.call(() => this.#store.delete(owner, id))
  }

  #put(owner: string, turn: StoredTurn): boolean | 'too_large' | Promise<boolean | 'too_large'> {
    const { id, output } = turn
    const itemIds = output.flatMap(({ id }) => (isId(id) ? [id] : []))
    const text = JSON.stringify(turn)
    if (utf8Length(text) > this.#maxBytes) return 'too_large'
    const putting = this.#calls.call(() => this.#store.put({ id, owner, itemIds, text }))
    return isPromise(putting) ? putting.then(putResult) : putResult(putting)
  }

  /** Returns the turns up to a response, the oldest first. */
  async #chain(
    owner: string,
    id: string,
    state: DialectState,
    reading: Reading,
  ): Promise<readonly StoredTurn[]> {
    const chain: StoredTurn[] = []
    let bytes = 0
    for (let next: string | null = id; next !== null; ) {
      let found = await this.#read(owner, next, reading)
      const isFirst = chain.length === 0
      if (found === undefined || (isFirst && found.turn.deleted === true)) throw previousNotFound(id)
      if (isFirst && found.turn.background !== undefined) {
        const now = await this.#current(owner, found.turn, state, reading)
        if (now === undefined) throw previousNotFound(id)
        if (now.background?.state !== 'ended') throw notContinuable(now)
        if (now !== found.turn) found = (await this.#read(owner, next, reading)) ?? found
      }
      bytes += found.bytes
      if (chain.length === maxDepth || bytes > this.#maxBytes) throw tooLong()
      chain.push(found.turn)
      next = found.turn.previousId
    }
    return chain.reverse()
  }

  /** Returns the turn whose response has an item. */
  async #turnOfItem(owner: string, id: string, reading: Reading): Promise<StoredTurn> {
    const text = isId(id)
      ? resultOf(await this.#calls.call(() => this.#store.findItem(owner, id)))
      : undefined
    if (text !== undefined) reading.bytes += utf8Length(text)
    const turn = text === undefined ? undefined : turnOf(text)
    if (turn?.output.some(each => each.id === id) === true) return turn
    const message = `Item with id '${shorten(id)}' not found.`
    throw new GatewayError('invalid_request', { message, param: 'input' })
  }

  async #read(
    owner: string,
    id: string,
    reading: Reading,
  ): Promise<{ readonly turn: StoredTurn; readonly bytes: number } | undefined> {
    const text = isId(id) ? resultOf(await this.#calls.call(() => this.#store.get(owner, id))) : undefined
    if (text === undefined) return undefined
    const bytes = utf8Length(text)
    reading.bytes += bytes
    return { turn: turnOf(text), bytes }
  }
}

function putResult(result: StoreCallResult<boolean>): boolean | 'too_large' {
  return result.ok && result.value === false ? 'too_large' : result.ok
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

function notContinuable({ id, background }: StoredTurn): GatewayError {
  const why = background?.state === 'running' ? 'has not ended yet' : 'failed or was cancelled'
  return new GatewayError('invalid_request', {
    message: `Previous response with id '${shorten(id)}' ${why}: it cannot be continued.`,
    param: 'previous_response_id',
  })
}

function itemsTooLong(): GatewayError {
  return new GatewayError('invalid_request', {
    message:
      'The request is too long with the items that it refers to. Refer to fewer items, or to each of them once.',
    param: 'input',
  })
}

function tooLong(): GatewayError {
  return new GatewayError('invalid_request', {
    message: 'The conversation of the previous response is too long to be continued. Send its items instead.',
    param: 'previous_response_id',
  })
}

import type { StoredTurn } from '../contracts/dialect.ts'
import { ConcurrentCounts } from '../http/concurrent-counts.ts'
import type { RunKey } from './background-entries.ts'
import type { BackgroundOptions } from './background-options.ts'
import type { EventSource } from './followed-events.ts'

/** Maximum number of requests that follow the events of responses in the background. */
const maxFollowers = { ofPrincipal: 100, total: 1_000 }

/** A response that runs in the background in this process. */
export interface RunningResponse {
  readonly key: RunKey
  /** The response as it is now. */
  readonly turn: StoredTurn
  /** Its events, for requests in this process; `undefined` if the caller did not ask for them. */
  readonly events: EventSource | undefined
  /** Cancels it, unless it has ended. Resolves when its end is stored. */
  cancel(): Promise<void>
  /** Ends it without storing anything. Resolves when nothing more will be stored. */
  discard(): Promise<void>
}

/** The responses that run in the background in this process. */
export class BackgroundRuns {
  readonly #runs = new Map<string, RunningResponse>()
  readonly #counts = new ConcurrentCounts({
    caller: (own, maximum) =>
      `You are running ${own} responses in the background at once, expected at most ${maximum}. Please try again when others have ended.`,
    operator: total => `${total} responses are running in the background, which is the maximum.`,
  })
  readonly #followers = new ConcurrentCounts({
    caller: (own, maximum) =>
      `You are following ${own} responses in the background at once, expected at most ${maximum}. Please try again when others have ended.`,
    operator: total => `${total} responses in the background are being followed, which is the maximum.`,
  })

  /**
   * Counts a response that begins to run, and returns a function that counts it as ended. Throws `GatewayError` (429 or 503) if
   * that exceeds a bound.
   */
  start(
    owner: string,
    { maxRunning, maxRunningPerPrincipal }: BackgroundOptions,
    random: () => number,
  ): () => void {
    return this.#counts.start(owner, random, { ofPrincipal: maxRunningPerPrincipal, total: maxRunning })
  }

  /** Counts a request that follows the events of a response, as `start` does. */
  follow(owner: string, random: () => number): () => void {
    return this.#followers.start(owner, random, maxFollowers)
  }

  add(run: RunningResponse): void {
    this.#runs.set(keyOf(run.key.owner, run.key.id), run)
  }

  delete(run: RunningResponse): void {
    this.#runs.delete(keyOf(run.key.owner, run.key.id))
  }

  /** Returns the response of an owner, if this process runs it. */
  find(owner: string, id: string): RunningResponse | undefined {
    return this.#runs.get(keyOf(owner, id))
  }
}

/** Ids have no space. */
function keyOf(owner: string, id: string): string {
  return `${id} ${owner}`
}

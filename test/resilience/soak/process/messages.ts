import type { RequestOutcome } from '@sluice/core'

/** What the parent is answered, by question: a value as it comes over the channel. */
export type Answers = { readonly [question: string]: unknown }

/** What a child tells unasked, by kind. */
export type Notices = { readonly [kind: string]: unknown }

/** From the parent to a child. */
export interface QuestionMessage {
  readonly call: number
  readonly question: string
}

/** From a child to the parent. */
export type ChildMessage =
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly failed: string }
  | { readonly tell: string; readonly value: unknown }

/** How one request ended, as the gateway's record says it. */
export interface Ended {
  readonly id: string
  readonly outcome: RequestOutcome
  readonly status: number
  /** See `now`. */
  readonly at: number
}

/** Memory after a forced collection, in bytes. */
export interface MemorySample {
  readonly at: number
  /** On the heap and beside it: strings, objects, buffers; not compiled code. */
  readonly used: number
  readonly rss: number
}

/** What the process holds open. */
export interface Holdings {
  /** `process.getActiveResourcesInfo()`, counted by kind; timers among them. */
  readonly resources: Readonly<Record<string, number>>
  /** Listeners on the process itself. */
  readonly listeners: number
  /** Open file descriptors; undefined where there is no `/proc`. */
  readonly descriptors: number | undefined
}

/** Delay of the event loop, in milliseconds. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** The share of the time, up to 1, that it could have run and had to wait for a processor; undefined without `/proc`. */
  readonly starved: number | undefined
}

/** What the gateway's own books say. */
export interface Books {
  /** Requests with a key; each has one record. */
  readonly opened: number
  readonly byOutcome: Readonly<Record<string, number>>
  /** Requests whose record has not come. */
  readonly open: number
  readonly leases: { readonly admitted: number; readonly settled: number; readonly open: number }
  /** Whatever must not be: a second record, a lease closed twice. The first hundred. */
  readonly faults: readonly string[]
}

export interface GatewayAnswers extends Answers {
  readonly memory: MemorySample
  readonly holdings: Holdings
  readonly 'delay begins': null
  readonly 'delay so far': LoopDelay
  readonly books: Books
  readonly close: null
}

export interface GatewayNotices extends Notices {
  readonly listening: readonly { readonly mount: string; readonly port: number }[]
  readonly queued: string
  readonly ended: readonly Ended[]
  /** An uncaught exception, an unhandled rejection, a warning of the process. */
  readonly alarm: string
}

/** What the upstream saw. */
export interface UpstreamCount {
  readonly connections: number
  /** Streams that are held open. */
  readonly live: number
}

export interface UpstreamAnswers extends Answers {
  readonly count: UpstreamCount
  /** Ends all live streams well; gives the words they have said in all. */
  readonly 'end live streams': { readonly words: number }
}

export interface UpstreamNotices extends Notices {
  readonly listening: number
  /** A request for a script that waits has come to where it waits. */
  readonly reached: string
  /** The connection of a request whose answer was not complete has closed. */
  readonly closed: { readonly id: string; readonly at: number }
  readonly alarm: string
}

import { type ConfigurationIssue, configurationIssue, hiddenIssue } from '@sluice/core/adapter'
import {
  type BodyLogRepository,
  type BodyRecorder,
  type BodyRequest,
  type RecordedBodies,
  storableText,
} from '@sluice/core/store'
import { BodyCipher, fromBase64, keyBytes } from './body-cipher.ts'
import { checkOptions } from './check-options.ts'
import { systemClock } from './log-clock.ts'
import { type LogReportOptions, type OpenLog, openLog } from './open-log.ts'
import { replayBody, responseText } from './replay-request.ts'

/** Options of `createBodyLog`. */
export interface CreateBodyLogOptions extends LogReportOptions {
  /** The table of the bodies, such as `database.bodyLog`. */
  readonly repository: BodyLogRepository
  /** The key that bodies are encrypted with: 32 random bytes, as they are or as base64. */
  readonly key: string | Uint8Array
  /** Earlier keys, for bodies that are stored already. Default: none. */
  readonly previousKeys?: readonly (string | Uint8Array)[] | undefined
  /** How long bodies are stored, in milliseconds. */
  readonly retentionMs: number
  /** Maximum size of each body in UTF-8 bytes. A larger request is not stored, a larger response is cut. Default 1 MiB. */
  readonly maxBytes?: number | undefined
  /**
   * Changes both bodies before they are encrypted: the request as JSON, the response as JSON or as the events of a stream. If it
   * throws, the bodies are not stored. Default: they are stored as they are.
   */
  readonly redact?: ((text: string) => string) | undefined
  /** Returns whether the bodies of a request are stored. Default: those of all requests. */
  readonly wants?: ((request: BodyRequest) => boolean) | undefined
  /** Maximum size of the bodies that wait for the database. Default 64 MiB. */
  readonly maxPendingBytes?: number | undefined
}

/** The bodies of requests and responses in a database, encrypted. Pass it to the gateway as `bodies`. */
export interface BodyLog extends BodyRecorder, OpenLog {
  /** How long bodies are stored, in milliseconds. */
  readonly retentionMs: number
  /**
   * Returns the bodies of a request id; `undefined` if none are stored, or they are older than `retentionMs`. Rejects with
   * `BodyKeyError` if they are encrypted with a key that is not given, or were changed.
   */
  get(requestId: string): Promise<RecordedBodies | undefined>
  /**
   * Returns the body with which a stored request is sent again. Of the Responses API it contains the conversation that the request
   * continued, and is neither stored nor run in the background. Throws `ReplayError` if the request is not stored, or `redact` made it
   * invalid.
   */
  replayBody(bodies: RecordedBodies): string
  /**
   * Returns the text of a response: that of its message with its tool calls, joined if it is a stream. Of an error, of embeddings, and
   * of what it does not know, it returns the body as it is.
   */
  responseText(response: string): string
}

const known: readonly string[] = [
  'repository',
  'key',
  'previousKeys',
  'retentionMs',
  'maxBytes',
  'redact',
  'wants',
  'maxPendingBytes',
  'timeoutMs',
  'observe',
  'onLost',
] satisfies (keyof CreateBodyLogOptions)[]

const maxPending = 10_000
/** A batch is one parameter of a statement, and SQLite runs it in the thread that asks. */
const maxBatchBytes = 1024 * 1024

/**
 * Creates a log of bodies in a database: encrypted with AES-256-GCM, and written beside the requests. If the database is slow, full
 * or unavailable, bodies are lost, counted and reported, and requests go on. Throws `ConfigurationError` for invalid options.
 */
export function createBodyLog(options: CreateBodyLogOptions): BodyLog {
  checkBodyLogOptions(options)
  const { repository, key, previousKeys = [], retentionMs, redact, wants } = options
  const maxBytes = options.maxBytes ?? 1024 * 1024
  const cipher = new BodyCipher([bytesOf(key)!, ...previousKeys.map(each => bytesOf(each)!)])
  const clock = systemClock
  const { add, log } = openLog<RecordedBodies, RecordedBodies>({
    name: 'log of bodies',
    events: { store: 'bodies', lost: 'log_bodies_lost' },
    async insert(rows) {
      await repository.insert(await Promise.all(rows.map(row => sealed(row, cipher))))
    },
    convert(bodies) {
      const row = redact === undefined ? bodies : redacted(bodies, redact)
      return row === undefined ? 'redact_failed' : { row, bytes: sizeOf(row) }
    },
    sizeOf,
    maxConverted: 20,
    clock,
    maxPending,
    maxPendingBytes: options.maxPendingBytes ?? 64 * 1024 * 1024,
    maxBatchBytes,
    repository,
    retention: { maxAgeMs: retentionMs },
    reports: options,
  })
  return {
    ...log,
    maxBytes,
    retentionMs,
    wants: wants ?? (() => true),
    record: add,
    async get(requestId) {
      const row = await repository.get(storableText(requestId))
      if (row === undefined || row.at < clock.now() - retentionMs) return undefined
      const { request, response, ...rest } = await cipher.open(row)
      const principal = { id: row.principal }
      return {
        requestId,
        at: row.at,
        principal: row.source === null ? principal : { ...principal, source: row.source },
        ...rest,
        request,
        response,
      }
    },
    replayBody,
    responseText,
  }
}

/** The size of bodies in memory, roughly: their JSON text may be longer. */
function sizeOf({ request = '', response = '' }: RecordedBodies): number {
  return request.length + response.length + 500
}

function sealed({ requestId, at, principal, ...secret }: RecordedBodies, cipher: BodyCipher) {
  const row = {
    id: storableText(requestId),
    at: Math.trunc(at),
    principal: storableText(principal.id),
    source: principal.source === undefined ? null : storableText(principal.source),
  }
  return cipher.seal(row, secret)
}

/** Returns bodies as `redact` leaves them; `undefined` if it fails. */
function redacted(bodies: RecordedBodies, redact: (text: string) => string): RecordedBodies | undefined {
  try {
    const [request, response] = [bodies.request, bodies.response].map(text => {
      if (text === undefined) return undefined
      const changed: unknown = redact(text)
      if (typeof changed === 'string') return changed
      throw new TypeError('redact did not return a string.')
    })
    return { ...bodies, request, response }
  } catch {
    return undefined
  }
}

/** Returns the bytes of a key; `undefined` if it is invalid. */
function bytesOf(key: unknown): Uint8Array | undefined {
  try {
    const bytes = typeof key === 'string' ? fromBase64(key) : key
    return bytes instanceof Uint8Array && bytes.length === keyBytes ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Throws `ConfigurationError`. It never has a key. */
function checkBodyLogOptions(options: CreateBodyLogOptions): void {
  checkOptions('createBodyLog()', options, {
    known,
    example: '{ repository, key, retentionMs }',
    repositoryMethods: ['insert', 'get', 'deleteBefore', 'deletePrincipal'],
    repository: 'database.bodyLog',
    counts: ['retentionMs', 'maxBytes', 'maxPendingBytes', 'timeoutMs'],
    functions: ['redact', 'wants', 'observe', 'onLost'],
    further: () => [...keyIssues(options), ...requiredIssues(options)],
  })
}

function keyIssues({ key, previousKeys = [] }: CreateBodyLogOptions): ConfigurationIssue[] {
  const expected = '32 random bytes, as Uint8Array or base64, such as from: openssl rand -base64 32'
  const areKeys = Array.isArray(previousKeys) && previousKeys.every(each => bytesOf(each) !== undefined)
  return [
    ...(bytesOf(key) === undefined ? [hiddenIssue(['key'], key, expected)] : []),
    ...(areKeys ? [] : [hiddenIssue(['previousKeys'], previousKeys, `a list of keys, each ${expected}`)]),
  ]
}

function requiredIssues({ retentionMs }: CreateBodyLogOptions): ConfigurationIssue[] {
  return retentionMs === undefined
    ? [configurationIssue(['retentionMs'], undefined, 'a whole number from 1')]
    : []
}

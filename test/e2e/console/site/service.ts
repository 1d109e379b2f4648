import { type AlertsOptions, createAlerts } from '@sluice/alerts'
import { type ConsoleOptions, createConsole } from '@sluice/console'
import {
  apiKeys,
  createGateway,
  fallback,
  firstOf,
  type Hook,
  hedge,
  type KeyStore,
  limits,
  models,
  type Observer,
  observers,
  priceTable,
  withEndpoints,
} from '@sluice/core'
import type { RequestLogRepository } from '@sluice/core/store'
import { type CreateBodyLogOptions, createBodyLog, createRequestLog } from '@sluice/log'
import { serve } from '@sluice/node'
import { local, openaiCompatible } from '@sluice/providers'
import { openSqlite } from '@sluice/sqlite'
import { startUpstream, steps, type Upstream } from '@sluice/testing'

export const adminKey = 'admin-key-of-the-console-0123456789'

/** Of a caller, and of nobody else: it opens no console. */
export const callerKey = 'sk-of-a-caller-0123456789'

/** A model whose name is a try at running a script in the page. */
export const hostileModel = '<img/src=x/onerror=alert(1)>'

/** A gateway with its console, over upstreams that do what they are told. */
export interface ConsoleService {
  readonly url: string
  /** Where chat completions are asked for. */
  readonly chat: string
  /** The page, with the key in its address. */
  readonly page: string
  /** Answers well. */
  readonly north: Upstream
  /** Fails, until it is told otherwise. */
  readonly south: Upstream
  /** Never answers, until it is told otherwise. */
  readonly east: Upstream
  /** The store of the callers' keys. */
  readonly keys: KeyStore
  /** Sends a chat completion, and reads its answer to the end. */
  ask(
    model: string,
    options?: { readonly key?: string; readonly content?: string; readonly stream?: boolean },
  ): Promise<Response>
  /** The table of the request log. */
  readonly requestLog: RequestLogRepository
  /** The events that the console observes. */
  readonly observe: Observer
  /** Stores what the request log and the log of bodies still hold. */
  flushLog(): Promise<void>
  close(): Promise<void>
}

/** How a service differs from the usual one. */
export interface ServiceOptions {
  /** Milliseconds since 1970, for what is told of requests. */
  readonly now?: () => number
  /** Under which the protocol is served. */
  readonly basePath?: string
  /** Default: a free one. */
  readonly port?: number
  /** Of the console's own principal. */
  readonly chat?: ConsoleOptions['chat']
  /** Of the log of bodies. */
  readonly bodies?: Partial<CreateBodyLogOptions>
  /** Where alerts are posted. Default: to an address that is not called. */
  readonly webhooks?: AlertsOptions['webhooks']
  /** What of the console is different. */
  readonly console?: Partial<ConsoleOptions>
}

const hooks: readonly Hook[] = [
  {
    name: 'hide-tickets',
    onRequest: ({ texts }) => ({
      edits: texts
        .filter(({ text }) => /TICKET-\d+/.test(text))
        .map(({ path, text }) => ({ path, value: text.replace(/TICKET-\d+/g, 'a ticket') })),
    }),
  },
  {
    name: 'confidential',
    onFailure: 'open',
    timeoutMs: 250,
    models: ['demo', 'small-*'],
    operations: ['generate'],
    appliesTo: ({ id }) => id !== 'console',
    onRequest: ({ texts }) =>
      texts.some(({ text }) => text.includes('Project Falcon'))
        ? { refuse: { message: 'This project is confidential.' } }
        : undefined,
  },
]

/** Starts it on a free port. */
export async function startService({
  now = Date.now,
  basePath = '/v1',
  port = 0,
  chat: ownChat,
  bodies: bodiesOptions,
  webhooks = [{ url: 'http://127.0.0.1:9/s3cret' }],
  console: consoleOptions,
}: ServiceOptions = {}): Promise<ConsoleService> {
  const north = await startUpstream(steps.answer())
  const south = await startUpstream(steps.reply({ error: { message: 'out of order' } }, { status: 503 }))
  const east = await startUpstream(steps.hang())
  const vendor = (name: string, { baseURL }: Upstream) =>
    openaiCompatible({ name, apiKey: 'sk-of-the-upstream', baseURL })
  const [toNorth, toSouth, toEast] = [vendor('north', north), vendor('south', south), vendor('east', east)]
  const database = await openSqlite({ url: ':memory:' })
  const log = createRequestLog({ repository: database.requestLog })
  const bodies = createBodyLog({
    repository: database.bodyLog,
    key: new Uint8Array(32).fill(7),
    retentionMs: 7 * 86_400_000,
    wants: ({ model }) => model !== 'unpriced',
    ...bodiesOptions,
  })
  const alerts = createAlerts({ webhooks })
  const console_ = createConsole({
    adminKey,
    log,
    bodies,
    hooks,
    alerts,
    keys: database.keys,
    usage: query => database.usage(query),
    ownUsage: true,
    chat: ownChat,
    now,
    basePath,
    ...consoleOptions,
  })
  const gateway = createGateway({
    authenticate: firstOf(
      console_.authenticate,
      apiKeys([{ id: 'caller', key: callerKey, tags: { team: 'platform' } }]),
      apiKeys(database.keys, { cacheMs: 50 }),
    ),
    route: models({
      demo: local()('demo'),
      slow: local({ pace: { firstTokenMs: 60, tokenMs: 25 } })('slow'),
      'small-chat': fallback(toSouth('small'), toNorth('small')),
      'large-chat': hedge(toEast('large'), toNorth('large'), { afterMs: 80 }),
      stuck: toEast('stuck'),
      broken: toSouth('broken'),
      counted: toNorth('counted'),
      unpriced: toNorth('unpriced'),
      [hostileModel]: local()('hostile'),
    }),
    limits: limits([], { observe: console_.observe }),
    prices: priceTable({
      demo: { input: 0.15, output: 0.6 },
      'small-chat': { input: 0.15, output: 0.6 },
      'large-chat': { input: 2.5, output: 10 },
      counted: { input: 1000, output: 2000 },
    }),
    ledger: database.ledger,
    breaker: { failures: 3 },
    retry: { baseMs: 20 },
    now,
    basePath,
    hooks,
    bodies,
    observe: observers(console_.observe, log.observe, alerts.observe),
  })
  const served = await serve(withEndpoints(gateway, [console_.endpoint(gateway)]), {
    port,
    signals: false,
  })
  const chat = `${served.url}${basePath}/chat/completions`
  return {
    url: served.url,
    chat,
    page: `${served.url}/console/#key=${adminKey}`,
    north,
    south,
    east,
    keys: database.keys,
    requestLog: database.requestLog,
    observe: console_.observe,
    ask: async (model, { key = callerKey, content = 'Hello', stream = false } = {}) => {
      const response = await fetch(chat, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, stream, messages: [{ role: 'user', content }] }),
      })
      return new Response(await response.text(), response)
    },
    flushLog: async () => {
      await Promise.all([log.flush(), bodies.flush()])
    },
    close: async () => {
      console_.close()
      await served.close({ drainMs: 0 })
      await Promise.all([log.close(), bodies.close(), alerts.close()])
      await database.close()
      await Promise.all([north, south, east].map(upstream => upstream.close()))
    },
  }
}

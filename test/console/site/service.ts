import { createConsole } from '@sluice/console'
import {
  apiKeys,
  bearerToken,
  createGateway,
  fallback,
  firstOf,
  hedge,
  type KeyStore,
  models,
  observers,
  priceTable,
  withEndpoints,
} from '@sluice/core'
import { serve } from '@sluice/node'
import { local, openaiCompatible } from '@sluice/providers'
import { openSqlite } from '@sluice/sqlite'
import { answer, hang, reply, startUpstream, type Upstream } from '@sluice/testing'

export const adminKey = 'admin-key-of-the-console-0123456789'

/** A model whose name is a try at running a script in the page. */
export const hostileModel = '<img/src=x/onerror=alert(1)>'

/** A gateway with its console, over upstreams that do what they are told. */
export interface ConsoleService {
  readonly url: string
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
  close(): Promise<void>
}

/** Starts it on a free port. `now`: milliseconds since 1970, for what is told of requests. */
export async function startService(now: () => number = Date.now): Promise<ConsoleService> {
  const north = await startUpstream(answer())
  const south = await startUpstream(reply({ error: { message: 'out of order' } }, { status: 503 }))
  const east = await startUpstream(hang())
  const vendor = (name: string, { baseURL }: Upstream) =>
    openaiCompatible({ name, apiKey: 'sk-of-the-upstream', baseURL })
  const [toNorth, toSouth, toEast] = [vendor('north', north), vendor('south', south), vendor('east', east)]
  const database = await openSqlite({ url: ':memory:' })
  const console_ = createConsole({
    adminKey,
    keys: database.keys,
    usage: query => database.usage(query),
    now,
  })
  const gateway = createGateway({
    authenticate: firstOf(
      request =>
        bearerToken(request) === adminKey ? { id: 'admin', tags: { team: 'platform' } } : undefined,
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
      [hostileModel]: local()('hostile'),
    }),
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
    observe: observers(console_.observe),
  })
  const served = await serve(withEndpoints(gateway, [console_.endpoint(gateway)]), {
    port: 0,
    signals: false,
  })
  return {
    url: served.url,
    page: `${served.url}/console/#key=${adminKey}`,
    north,
    south,
    east,
    keys: database.keys,
    ask: async (model, { key = adminKey, content = 'Hello', stream = false } = {}) => {
      const response = await fetch(`${served.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, stream, messages: [{ role: 'user', content }] }),
      })
      return new Response(await response.text(), response)
    },
    close: async () => {
      console_.close()
      await served.close({ drainMs: 0 })
      await database.close()
      await Promise.all([north, south, east].map(upstream => upstream.close()))
    },
  }
}

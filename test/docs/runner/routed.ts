import {
  createGateway,
  type GatewayEvent,
  type GatewayOptions,
  type ManagedGateway,
  type Principal,
  type Route,
} from '@sluice/core'
import { bearerToken } from '@sluice/core/keys'
import { onTestFinished } from 'vitest'
import { answeringPlaces } from './answering-places.ts'
import type { Snippet } from './describe-page.ts'

interface Asking {
  readonly key?: string
  readonly tags?: Readonly<Record<string, string>>
  readonly content?: unknown
  readonly [field: string]: unknown
}

export function requestOf({ key = 'sk-test', tags, content = 'Hello', ...fields }: Asking = {}): Request {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const messages = [{ role: 'user', content }]
  return new Request('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: tags === undefined ? headers : { ...headers, 'x-tags': JSON.stringify(tags) },
    body: JSON.stringify({ model: 'demo', messages, ...fields }),
  })
}

/** The principal of a request: its key is the id. */
export function callers(request: Request): Principal {
  return { id: bearerToken(request)!, tags: JSON.parse(request.headers.get('x-tags') ?? '{}') }
}

/** A snippet's gateway, or one around its route, and what can be asked of it. */
export async function routed(
  snippet: Snippet,
  options: Partial<GatewayOptions> = {},
  edit = (code: string) => code,
  env = {},
) {
  const places = answeringPlaces()
  const running = await snippet.run(env, code => places.edit(edit(code)))
  const events: GatewayEvent[] = []
  const { route, gateway: own } = running.exports as { route: Route; gateway?: ManagedGateway }
  const observe = (event: GatewayEvent) => void events.push(event)
  const gateway = own ?? createGateway({ authenticate: callers, route, observe, ...options })
  onTestFinished(() => gateway.close({ drainMs: 0 }))
  const post = async (asking?: Asking) => {
    const { status, headers, text } = await textOf(await gateway.fetch(requestOf(asking)))
    return { status, headers, text }
  }
  /** Whom it would ask, in order. */
  const order = async (asking?: Asking, seed?: number) => {
    const { candidates } = await gateway.explain(requestOf(asking), seed === undefined ? {} : { seed })
    return candidates.flatMap(({ model, skipped }) => (skipped === undefined ? [model] : []))
  }
  const asked = () => places.asked.map(({ model }) => model)
  return { ...running, ...places, asked, requests: places.asked, gateway, events, post, order }
}

async function textOf(response: Response) {
  const { status, headers } = response
  const body = await response.text()
  if (!body.startsWith('data: ')) {
    const { choices, error } = JSON.parse(body)
    return { status, headers, text: choices?.[0].message.content ?? error.code }
  }
  const deltas = [...body.matchAll(/"content":"(.*?)"/g)].map(([, text]) => text)
  return { status, headers, text: deltas.join('') }
}

/** A target that fails. */
export const down = { error: { status: 500 } }

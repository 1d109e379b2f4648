import { type ConsoleOptions, createConsole } from '@sluice/console'
import {
  apiKeys,
  createGateway,
  firstOf,
  type GatewayOptions,
  models,
  observers,
  priceTable,
  withEndpoints,
} from '@sluice/core'
import { type KeyRepository, keyStore } from '@sluice/core/keys'
import { local } from '@sluice/providers'
import { onTestFinished } from 'vitest'
import { rowsInMemory } from '../../../packages/core/test/support/rows-in-memory.ts'

export const adminKey = 'correct-horse-battery'
export const callerKey = 'sk-ann'
const here = 'http://sluice.test'

/** What of a service with a console a test wants otherwise. */
export interface ServiceOptions {
  readonly console?: Partial<ConsoleOptions>
  readonly gateway?: Partial<GatewayOptions>
  /** Whether the gateway knows the console as a caller. Default: yes. */
  readonly isCaller?: boolean
  readonly script?: NonNullable<Parameters<typeof local>[0]>['script']
}

/** A gateway with a console, and who asks them in process. */
export function consoleService(options: ServiceOptions = {}) {
  const rows: KeyRepository = rowsInMemory()
  const keys = keyStore(rows)
  const failures: unknown[] = []
  const board = createConsole({ adminKey, keys, onError: error => failures.push(error), ...options.console })
  const callers =
    options.gateway?.authenticate ?? apiKeys([{ id: 'ann', key: callerKey, tags: { team: 'search' } }])
  const provider = local(options.script === undefined ? {} : { script: options.script })
  const gateway = createGateway({
    route: models({ small: provider('small') }),
    prices: priceTable({ small: { input: 1, output: 2 } }),
    retry: false,
    breaker: false,
    ...options.gateway,
    authenticate: options.isCaller === false ? callers : firstOf(board.authenticate, callers),
    observe: observers(board.observe, options.gateway?.observe),
  })
  const service = withEndpoints(gateway, [board.endpoint(gateway)])
  onTestFinished(() => {
    board.close()
    return gateway.close({ drainMs: 0 })
  })
  const fetch = (path: string, init: RequestInit = {}, mount = '') =>
    service.fetch(new Request(`${here}${mount}${path}`, init), { mount })
  /** The console's API, with the admin key; `body` as JSON. */
  const api = (path: string, init: RequestInit = {}, mount = '') =>
    fetch(`/console/api${path}`, { ...init, headers: { ...admin, ...(init.headers as object) } }, mount)
  const send = (
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    api(path, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  const chat = (more: object = {}, signal?: AbortSignal) =>
    fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${callerKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'small',
        messages: [{ role: 'user', content: 'my secret prompt' }],
        ...more,
      }),
      ...(signal === undefined ? {} : { signal }),
    })
  return { board, gateway, service, keys, rows, failures, fetch, api, send, chat }
}

export const admin: Readonly<Record<string, string>> = { authorization: `Bearer ${adminKey}` }

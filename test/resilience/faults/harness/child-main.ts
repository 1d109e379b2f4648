import { closeSync, openSync, readdirSync } from 'node:fs'
import { apiKeys, createGateway, type EndEvent, models, UpstreamError } from '@sluice/core'
import { serve } from '@sluice/node'
import { mounts } from '../../../e2e/mounts/mounts.ts'
import type { ChildEnd, ChildOptions, FromChild, ToChild } from './child-service.ts'
import { targetAt } from './target-at.ts'

/** A gateway in a process of its own; `child-service.ts` starts it. */
const {
  mount,
  routes,
  limits,
  ledger,
  drainMs,
  callers = [],
  ...options
} = JSON.parse(process.argv[2] ?? '{}') as ChildOptions
const stores =
  limits || ledger ? await storesOf({ ...(limits && { limits }), ...(ledger && { ledger }) }) : undefined
const drain = drainMs === undefined ? {} : { drainMs }

const tell = (message: FromChild) => process.send?.(message)
const gateway = createGateway({
  authenticate: apiKeys([
    { id: 'ann', key: 'good-key' },
    ...callers.map(id => ({ id, key: `key-of-${id}` })),
  ]),
  route: models(
    Object.fromEntries(
      Object.entries(routes).map(([name, urls]) => [name, urls.map(baseURL => targetAt({ baseURL }))]),
    ),
  ),
  ...options,
  ...stores?.options,
  observe: event => {
    if (event.type === 'end') tell({ end: endOf(event) })
  },
})
const { port, baseURL, close } = mount === 'serve' ? await served() : await mounted(mount)
process.once('SIGTERM', () => {
  void (async () => {
    await gateway.close(drain)
    await close()
    await stores?.close()
    process.disconnect()
  })()
})

const held: number[] = []
process.on('message', (command: ToChild) => {
  if (command === 'take all files') takeAll()
  if (command === 'give files back') for (const file of held.splice(0)) closeSync(file)
  const files = command === 'take all files' ? 0 : readdirSync('/dev/fd').length
  // That opens a file.
  const rss = command === 'tell memory' ? process.memoryUsage.rss() : 0
  tell({ done: command, files, rss })
})
tell({ port, baseURL })

/** Loaded by those who need them: they take their time. */
async function storesOf(options: Pick<ChildOptions, 'limits' | 'ledger'>) {
  const { openStores } = await import('./child-stores.ts')
  return openStores(options)
}

async function served() {
  const { port, url, close } = await serve(gateway, { port: 0, ...drain })
  return { port, baseURL: `${url}/v1`, close: () => close(drain) }
}

function mounted(name: string) {
  const place = mounts[name]
  if (place === undefined) throw new Error(`There is no mount called ${name}.`)
  return place(gateway)
}

/** Opens files until the system gives no more to this process. */
function takeAll(): void {
  try {
    while (true) held.push(openSync('/dev/null', 'r'))
  } catch {
    // None is left.
  }
}

function endOf({ outcome, status, attempts }: EndEvent): ChildEnd {
  return {
    outcome,
    status,
    attempts: attempts.map(({ called, error }) => ({
      called,
      kind: UpstreamError.is(error) ? error.kind : null,
    })),
  }
}

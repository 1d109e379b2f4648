import cluster from 'node:cluster'
import { writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import {
  apiKeys,
  createGateway,
  idempotency,
  type LimitRuleData,
  limits,
  models,
  responseCache,
  withEndpoints,
} from '@sluice/core'
import { serve } from '@sluice/node'
import { openaiCompatible } from '@sluice/providers'

/** Of the channel between a worker and its primary that is garbled. */
const channelDescriptor = Number(process.env.CHANNEL ?? 4)

// A service with workers, as a user writes one. What a test varies is in the environment.

const {
  UPSTREAM,
  WORKERS = '2',
  RULES = '[]',
  MAX_CONCURRENT,
  CRASH,
  OTHER_RELEASE,
  FAIL_FIRST,
  CLOSE_FIRST,
  DRAIN_MS = '5000',
} = process.env

if (CRASH !== undefined) throw new Error(CRASH)
// As if it were of another release than its primary.
if (OTHER_RELEASE !== undefined && process.env.SLUICE_WORKER !== undefined) process.env.SLUICE_WORKER = '1/2'

const vendor = openaiCompatible({
  name: 'vendor',
  baseURL: `${UPSTREAM}/v1`,
  ...(MAX_CONCURRENT !== undefined && { maxConcurrent: Number(MAX_CONCURRENT) }),
})
const rules: readonly LimitRuleData[] = JSON.parse(RULES)
const gateway = createGateway({
  authenticate: apiKeys([
    { id: 'ann', key: 'sk-ann', tags: { team: 'red' } },
    { id: 'bob', key: 'sk-bob', tags: { team: 'blue' } },
  ]),
  route: models({ fast: vendor('fast'), held: vendor('held'), priced: vendor('fast') }),
  // A busy machine takes longer than the usual time between its processes: then workers would count by themselves.
  limits: limits(rules, { storeTimeoutMs: 5_000 }),
  prices: () => 0.01,
  idempotency: idempotency(),
  cache: responseCache({ ttlMs: 60_000 }),
})
const front = withEndpoints(gateway, [
  {
    matches: path => path === '/pid',
    fetch: async () => new Response(String(process.pid)),
  },
  {
    matches: path => path === '/crash',
    fetch: async () => process.exit(3),
  },
  {
    matches: path => path === '/garble',
    fetch: async () => new Response(String(writeSync(channelDescriptor, 'no message\n'))),
  },
])
const options = {
  port: 0,
  workers: WORKERS === 'auto' ? 'auto' : Number(WORKERS),
  drainMs: Number(DRAIN_MS),
} as const
if (FAIL_FIRST !== undefined && cluster.isPrimary) {
  process.env.OTHER_RELEASE = '1'
  await serve(front, options).catch((error: Error) => console.log(`not started: ${error.message}`))
  delete process.env.OTHER_RELEASE
}
if (CLOSE_FIRST !== undefined && cluster.isPrimary) {
  const first = await serve(front, options)
  await first.close()
  console.log(`closed: ${first.workers} workers`)
}
const serving = await serve(front, options)
if (serving.role !== 'worker') console.log(`${serving.role} of ${serving.workers} at ${serving.url}`)
process.once('disconnect', () => console.log(`${process.pid} has no primary`))
process.on('SIGHUP', () => {
  const [worker] = Object.values(cluster.workers ?? {})
  ;(worker!.process.stdio[channelDescriptor] as Writable).write('no message\n')
})
process.on('SIGUSR2', () => {
  serving.reload().then(
    () => console.log('reloaded'),
    error => console.log(`not reloaded: ${error.message}`),
  )
})

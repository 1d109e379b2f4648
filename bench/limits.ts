import {
  apiKeys,
  budget,
  concurrent,
  createGateway,
  type Gateway,
  type LimitRuleData,
  type LimitStore,
  limits,
  memoryStore,
  models,
  type Provider,
  priceTable,
  requests,
  tokens,
} from '@sluice/core'
import { redisStore } from '@sluice/redis'
import { Redis } from 'ioredis'
import { RedisServer } from '../test/servers/redis-server.ts'

// What limits cost: CPU of a whole request with rules counted in memory, beside one without any; and what a request asks
// of Redis. It starts a Redis of its own. Run it with
//   npx -y pnpm bench:limits

const rounds = Number(process.env.ROUNDS ?? 40)
const perRound = Number(process.env.REQUESTS ?? 2_000)
const warmUp = 10
/** Microseconds of CPU that rules in memory may add to a request. */
const goal = 10

const million = 1_000_000
const one = [requests(million).per('second')]
const many = [
  ...one,
  tokens(100 * million).per('second'),
  concurrent(1_000),
  requests(million).per('second').by('tag:team'),
  tokens(100 * million)
    .per('second')
    .by('gateway'),
  budget(million, 'usd').per('day').by('tag:team'),
]

/** Answers in process: what is measured is the gateway. */
const provider: Provider = {
  name: 'instant',
  encode: () => ({ method: 'POST', url: 'instant:', headers: {} }),
  transport: async () => ({ status: 200, headers: { get: () => null }, body: (async function* () {})() }),
  decode: () => ({
    kind: 'completion',
    completion: {
      choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 1 },
    },
  }),
}

function gatewayWith(rules: readonly LimitRuleData[], store?: LimitStore): Gateway {
  return createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'sk-ann', tags: { team: 'search' } }]),
    route: models({ m: { provider, model: 'its-model' } }),
    prices: priceTable({ m: { input: 0.15, output: 0.6 } }),
    ...(rules.length === 0 ? {} : { limit: limits(rules, store === undefined ? {} : { store }) }),
  })
}

const url = 'http://sluice.test/v1/chat/completions'
const headers = new Headers({ authorization: 'Bearer sk-ann', 'content-type': 'application/json' })
const { signal } = new AbortController()
/** What an adapter hands over: a request whose costly parts are not made. */
const request = { method: 'POST', url, headers, signal } as Request
const bytes = new TextEncoder().encode(
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'What is 12 * 7?' }] }),
)

async function ask({ fetch }: Gateway): Promise<void> {
  const response = await fetch(request, { body: { kind: 'bytes', bytes }, plainAnswers: true })
  if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`)
}

const subjects = [
  { name: 'no rule', gateway: gatewayWith([]), micros: [] as number[] },
  { name: '1 rule', gateway: gatewayWith(one, memoryStore()), micros: [] as number[] },
  { name: '6 rules', gateway: gatewayWith(many, memoryStore()), micros: [] as number[] },
]
for (let round = -warmUp; round < rounds; round++) {
  for (const { gateway, micros } of subjects.map(
    (_, at) => subjects[(at + round + warmUp) % subjects.length]!,
  )) {
    const before = process.cpuUsage()
    for (let at = 0; at < perRound; at++) await ask(gateway)
    const { user, system } = process.cpuUsage(before)
    if (round >= 0) micros.push((user + system) / perRound)
  }
}
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const bare = median(subjects[0]!.micros)
const worst = Math.max(...subjects.map(({ micros }) => median(micros) - bare))
console.log(`CPU of a request in process, median of ${rounds} rounds of ${perRound}, Node ${process.version}`)
for (const { name, micros } of subjects) {
  const cost = median(micros)
  console.log(`  ${name.padEnd(8)} ${cost.toFixed(1).padStart(7)} us   + ${(cost - bare).toFixed(1)} us`)
}
console.log(`goal: at most + ${goal} us: ${worst <= goal ? 'met' : 'NOT MET'}`)

const server = await RedisServer.start()
const redis = new Redis(server.url)
try {
  const gateway = gatewayWith(many, redisStore(redis))
  // The scripts are loaded by the first ones.
  for (let at = 0; at < 10; at++) await ask(gateway)
  await redis.config('RESETSTAT')
  const count = 500
  for (let at = 0; at < count; at++) await ask(gateway)
  await gateway.close()
  const calls = [...(await redis.info('commandstats')).matchAll(/cmdstat_(evalsha|eval):calls=(\d+)/g)]
  const trips = calls.reduce((sum, [, , number]) => sum + Number(number), 0) / count
  console.log(`\nRedis, 6 rules: ${trips.toFixed(2)} round trips a request, of which the caller waits for 1`)
  console.log(`goal: 1 to admit, 1 to settle: ${trips <= 2.01 ? 'met' : 'NOT MET'}`)
} finally {
  redis.disconnect()
  await server.stop()
}

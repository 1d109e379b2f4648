import type { Call, UpstreamResponse } from '@sluice/core/provider'
import { StreamNormalizer } from '../packages/core/src/normalization/stream.ts'
import { answersOf, framing } from '../packages/providers/test/vendors/properties/answer-streams.ts'
import { vendorModels } from '../packages/providers/test/vendors/properties/vendors.ts'

// CPU of each streamed event, from a vendor's bytes to the protocol's choices: a provider's `decode` and the
// gateway's own normalizer. Run it with
//   npx -y pnpm bench:decode

/** Text events of the synthetic answer. */
const events = 5_000
/** Events that one read of the upstream's socket brings. */
const eventsPerRead = Number(process.env.EVENTS_PER_READ ?? 4)
const rounds = Number(process.env.ROUNDS ?? 60)
const warmUp = 10
/** How much more than OpenAI's an event may cost. */
const goal = 2

const plan = {
  thinking: undefined,
  text: Array.from({ length: events }, (_, at) => (at % 9 === 8 ? 'word.\n' : 'word')).join(' '),
  calls: [],
  end: 'done',
  stopSequence: undefined,
  usage: { prompt: 100, cached: 20, output: events, thinking: 0 },
} as const

interface Subject {
  readonly name: string
  /** Reads the whole stream once; gives the characters that came out. */
  run(): Promise<number>
  readonly micros: number[]
}

/** Other models of these vendors are read alike. */
const compared = [
  'openai',
  'azure, v1',
  'anthropic, adaptive',
  'gemini 3',
  'vertex with claude',
  'bedrock with nova',
]
const subjects: Subject[] = compared.map(name => {
  const { target, wire } = vendorModels[name]!
  const { frame, type } = framing[wire]
  const frames = answersOf[wire](plan).events.map(frame)
  const reads: Uint8Array[] = []
  for (let at = 0; at < frames.length; at += eventsPerRead) {
    reads.push(Buffer.concat(frames.slice(at, at + eventsPerRead)))
  }
  const call: Call = {
    input: { model: 'm', messages: [{ role: 'user', content: 'Hello' }], stream: true },
    model: target.model,
  }
  return {
    name,
    micros: [],
    async run() {
      const reply = await target.provider.decode(responseOf(type, reads), call)
      if (reply.kind !== 'stream') throw new Error(`${name} answered whole`)
      const normalizer = new StreamNormalizer(() => 'f'.repeat(32), { choices: 1, logprobs: false })
      for await (const chunks of reply.chunks) normalizer.push(chunks)
      normalizer.end()
      return normalizer.chars
    },
  }
})

const wanted = plan.text.length
for (let round = -warmUp; round < rounds; round++) {
  // Each round in another order, so that none always follows the same one.
  const order = subjects.map((_, at) => subjects[(at + round + warmUp) % subjects.length]!)
  for (const { name, run, micros } of order) {
    const before = process.cpuUsage()
    const chars = await run()
    const { user, system } = process.cpuUsage(before)
    if (chars !== wanted) throw new Error(`${name}: got ${chars} characters, expected ${wanted}`)
    if (round >= 0) micros.push(user + system)
  }
}

const median = (list: readonly number[]) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]!
const base = median(subjects.find(({ name }) => name === 'openai')!.micros)
console.log(
  `CPU of each of ${events} text events, median of ${rounds} rounds; goal: at most ${goal} x openai`,
)
for (const { name, micros } of subjects) {
  const cost = median(micros)
  const ratio = cost / base
  const words = [
    name.padEnd(22),
    `${(cost / events).toFixed(2)} us`.padStart(9),
    `${ratio.toFixed(2)} x`.padStart(8),
    ratio > goal ? '  above the goal' : '',
  ]
  console.log(words.join(''))
}

function responseOf(type: string, reads: readonly Uint8Array[]): UpstreamResponse {
  async function* body() {
    yield* reads
  }
  return {
    status: 200,
    headers: new Headers({ 'content-type': type }),
    body: body(),
    text: () => Promise.reject(new Error('a stream is read by its body')),
  }
}

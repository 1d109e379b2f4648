import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { createGateway, type GatewayEvent, type Hook, models, type Target } from '@sluice/core'
import type { PartialChunk, Reply } from '@sluice/core/provider'

/** What a hook is tried with. Give texts that it reacts to. */
export interface HookSamples {
  /** Texts of users. Default: a few sentences. */
  readonly requests?: readonly string[]
  /** Texts of models. Default: a few sentences. */
  readonly responses?: readonly string[]
  /** A text that the hook does not change, in a request and in a response. Default: a sentence; `null`: there is none. */
  readonly plain?: string | null
}

/** One test of `hookConformance`. */
export interface HookCase {
  readonly name: string
  /** Rejects if the hook breaks the contract. `make` returns a hook of its own each time it is called. */
  run(make: () => Hook): Promise<void>
}

const sentence = 'The weather is fine today, and tomorrow it will rain.'
const usual = [sentence, 'Zoë said “ça va” 👋🏽 to 田中.', '{"a":[1,2,{"b":"c"}]}', '']

/** Bodies that are valid JSON and no valid requests. */
const invalidBodies: readonly object[] = [
  { messages: null },
  { messages: 7 },
  { messages: [] },
  { messages: [null, 1, 'x', [], {}] },
  { messages: [{ role: 'user' }] },
  { messages: [{ role: 7, content: { text: 'x' } }] },
  { messages: [{ role: 'user', content: [{ type: 'text', text: 7 }, null] }], tools: 'x' },
  JSON.parse('{"__proto__":{"messages":[]},"messages":[{"role":"user","content":"x","constructor":1}]}'),
]

/**
 * Tests a hook within a gateway, in any test runner: that it accepts every body, changes a response in the same way wherever it is
 * cut, keeps requests apart, and stays within its time.
 *
 * @example
 * for (const { name, run } of hookConformance({ responses: ['My secret.'] })) it(name, () => run(() => myHook()))
 */
export function hookConformance(samples: HookSamples = {}): readonly HookCase[] {
  const { requests = usual, responses = usual, plain = sentence } = samples
  return [
    {
      name: 'accepts every body that is JSON: requests are validated after it',
      run: make =>
        within(make(), async service => {
          for (const body of invalidBodies) {
            const { status } = await service.send(body)
            assert.ok(status < 500, `It failed with status ${status} for ${JSON.stringify(body)}.`)
          }
        }),
    },
    {
      name: 'decides in the same way about the same request',
      run: make =>
        within(make(), async service => {
          for (const text of requests) {
            const first = await service.say(text)
            const prompt = service.prompts.at(-1)
            assert.deepEqual(await service.say(text), first)
            assert.equal(service.prompts.at(-1), prompt, 'It sent something else upstream the second time.')
          }
        }),
    },
    {
      name: 'changes a response in the same way in a stream, wherever it is cut',
      run: make =>
        within(make(), async service => {
          for (const text of responses) {
            service.answerWith([text])
            const complete = await service.say(requests[0] ?? sentence)
            for (const pieces of cuts(text)) {
              service.answerWith(pieces)
              const streamed = await service.say(requests[0] ?? sentence, true)
              assert.deepEqual(streamed, complete, `It differs for the pieces ${JSON.stringify(pieces)}.`)
            }
          }
        }),
    },
    {
      name: 'leaves alone what it is not about',
      run: make =>
        within(make(), async service => {
          if (plain === null) return
          service.answerWith([plain])
          const { text } = await service.say(plain)
          assert.equal(text, plain)
          assert.ok(service.prompts.at(-1)?.includes(plain), 'It changed the request.')
        }),
    },
    {
      name: 'keeps requests apart that run at the same time, also of one principal',
      run: make =>
        within(
          make(),
          async service => {
            const texts = requests.length === 0 ? [sentence] : requests
            const alone = []
            for (const text of texts) alone.push(await service.say(text))
            const together = await Promise.all(texts.map((text, at) => service.say(text, at % 2 === 1)))
            assert.deepEqual(together, alone)
          },
          'echo',
        ),
    },
    {
      name: 'does not fail when a client leaves',
      run: make =>
        within(make(), async service => {
          for (const stream of [false, true]) {
            const leaving = new AbortController()
            const sent = service.send(bodyOf(requests[0] ?? sentence, stream), leaving.signal).catch(() => {})
            await turn()
            leaving.abort()
            await sent
          }
        }),
    },
  ]
}

/** How a request ended for its caller. */
interface Outcome {
  readonly text: string
  readonly refused: string | undefined
}

interface Service {
  /** The conversations that the model got, as JSON. */
  readonly prompts: readonly string[]
  /** Sets what the model answers, by its pieces. */
  answerWith(pieces: readonly string[]): void
  send(body: object, signal?: AbortSignal): Promise<Response>
  say(text: string, stream?: boolean): Promise<Outcome>
}

const bodyOf = (text: string, stream = false) => ({ messages: [{ role: 'user', content: text }], stream })

/** Runs a test with a gateway that has the hook. Rejects if the hook fails meanwhile. `echo`: the model repeats the request. */
async function within(
  hook: Hook,
  test: (service: Service) => Promise<void>,
  answers: 'text' | 'echo' = 'text',
): Promise<void> {
  const prompts: string[] = []
  const failures: unknown[] = []
  let pieces: readonly string[] = [sentence]
  const target: Target = {
    model: 'model',
    provider: {
      name: 'conformance',
      encode: ({ input }) => {
        prompts.push(JSON.stringify(input.messages))
        return { method: 'POST', url: 'conformance:', headers: {} }
      },
      transport: async () => ({ status: 200, headers: { get: () => null }, body: (async function* () {})() }),
      decode: async (_, { input }) => {
        const { content } = input.messages.at(-1) ?? {}
        return replyOf(answers === 'text' ? pieces : [String(content)], input.stream === true)
      },
    },
  }
  const observe = (event: GatewayEvent): void => {
    if (event.type === 'warning' && event.code === 'hook_failed') failures.push(event.error)
  }
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ m: target }),
    hooks: [hook],
    retry: false,
    breaker: false,
    observe,
  })
  const send = (body: object, signal?: AbortSignal) =>
    gateway.fetch(
      new Request('http://conformance.test/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', ...body }),
        ...(signal !== undefined && { signal }),
      }),
    )
  try {
    await test({
      prompts,
      answerWith: next => {
        pieces = next
      },
      send,
      say: async (text, stream = false) => outcomeOf(await send(bodyOf(text, stream)), stream),
    })
  } finally {
    await gateway.close({ drainMs: 1_000 })
  }
  if (failures.length > 0) throw new Error('The hook failed.', { cause: failures[0] })
}

function replyOf(pieces: readonly string[], stream: boolean): Reply {
  const end: PartialChunk = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  if (stream) {
    return {
      kind: 'stream',
      chunks: (async function* () {
        for (const content of pieces) yield [{ choices: [{ index: 0, delta: { content } }] }]
        yield [end]
      })(),
    }
  }
  const message = { content: pieces.join('') }
  return { kind: 'completion', completion: { choices: [{ index: 0, message, finish_reason: 'stop' }] } }
}

async function outcomeOf(response: Response, stream: boolean): Promise<Outcome> {
  const body = await response.text()
  if (!response.ok) return { text: '', refused: errorIn(JSON.parse(body)) }
  if (!stream) return { text: JSON.parse(body).choices[0].message.content ?? '', refused: undefined }
  const events = body
    .split('\n\n')
    .filter(line => line.startsWith('data: {'))
    .map(line => JSON.parse(line.slice(6)))
  const refused = events.map(errorIn).find(Boolean)
  // What was sent before a refusal is not in a complete response.
  if (refused !== undefined) return { text: '', refused }
  return { text: events.map(event => event.choices[0]?.delta.content ?? '').join(''), refused: undefined }
}

function errorIn(body: { readonly error?: { readonly message?: string } }): string | undefined {
  return body.error?.message
}

/** A text in two pieces, cut at each position, and in single characters. */
function cuts(text: string): readonly (readonly string[])[] {
  const positions = Array.from({ length: Math.min(text.length, 400) }, (_, at) => at)
  const isWithinPair = (at: number) => /[\ud800-\udbff]/.test(text.charAt(at - 1))
  return [
    ...positions.filter(at => at > 0 && !isWithinPair(at)).map(at => [text.slice(0, at), text.slice(at)]),
    [...text],
  ]
}

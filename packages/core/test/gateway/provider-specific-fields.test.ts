import { describe, expect, it } from 'vitest'
import { responseCache } from '../../src/caching/response-cache.ts'
import type { PartialChunk, PartialCompletion } from '../../src/contracts/provider.ts'
import { priceTable } from '../../src/usage/price-table.ts'
import { eventsOf, scripted, serving, stop, stream, text } from '../support/scripted-gateway.ts'

const usage = { prompt_tokens: 3, completion_tokens: 2 }

const everyLevel: PartialCompletion = {
  choices: [
    {
      index: 0,
      message: { content: 'Hi.', provider_specific_fields: { tools: ['search'] } },
      finish_reason: 'stop',
      provider_specific_fields: { native_finish_reason: 'eos' },
    },
  ],
  usage: { ...usage, provider_specific_fields: { cost: 0.5 } },
  provider_specific_fields: { citations: ['https://a.example'] },
}

interface Bags {
  readonly provider_specific_fields?: unknown
}
interface Event extends Bags {
  readonly choices: readonly (Bags & { readonly delta: Bags; readonly finish_reason: string | null })[]
  readonly usage?: Bags | null
}

async function streamed(reads: PartialChunk[][], body: object = {}) {
  const { post } = serving(scripted(() => stream(...reads)).target)
  const response = await post({ stream: true, ...body })
  return eventsOf(await response.text()) as (Event | '[DONE]')[]
}

const bagsOf = (events: readonly (Event | '[DONE]')[]) =>
  events.filter(event => event !== '[DONE]').map(event => event.provider_specific_fields)

describe('what a vendor adds to a complete answer', () => {
  it('is at its level of the completion', async () => {
    const { post } = serving(scripted(() => ({ kind: 'completion', completion: everyLevel })).target)
    const body = await (await post({})).json()
    expect(body).toMatchObject({
      choices: [
        {
          message: { content: 'Hi.', provider_specific_fields: { tools: ['search'] } },
          provider_specific_fields: { native_finish_reason: 'eos' },
        },
      ],
      usage: { total_tokens: 5, provider_specific_fields: { cost: 0.5 } },
      provider_specific_fields: { citations: ['https://a.example'] },
    })
  })

  it('is in a cached answer as it was', async () => {
    const fields = everyLevel.provider_specific_fields!
    for (const asStream of [false, true]) {
      const { target, inputs } = scripted(() =>
        asStream
          ? stream([{ ...text('a'), provider_specific_fields: fields }], [stop])
          : { kind: 'completion', completion: everyLevel },
      )
      const { post } = serving(target, { cache: responseCache({ ttlMs: 60_000 }) })
      const first = await (await post({ temperature: 0, stream: asStream })).text()
      expect(first).toContain('"citations":["https://a.example"]')
      expect(await (await post({ temperature: 0, stream: asStream })).text()).toBe(first)
      expect(inputs).toHaveLength(1)
    }
  })

  it('is in no event, and changes no price', async () => {
    const served = serving(scripted(() => ({ kind: 'completion', completion: everyLevel })).target, {
      prices: priceTable({ m: { input: 1, output: 1 } }),
    })
    await served.post({})
    await served.gateway.close()
    expect(served.ends()[0]?.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 })
    expect(served.ends()[0]?.cost).toBeCloseTo(5e-6, 12)
    expect(JSON.stringify(served.events)).not.toContain('provider_specific_fields')
  })
})

describe('what a vendor adds to a stream', () => {
  it('is on the first chunk that is sent after it, and only there', async () => {
    const events = await streamed([
      [{ choices: [], provider_specific_fields: { prompt_filter_results: [] } }],
      [text('a'), text('b')],
      [{ ...text('c'), provider_specific_fields: { citations: ['x'] } }],
      [stop],
    ])
    expect(bagsOf(events)).toEqual([
      { prompt_filter_results: [] },
      undefined,
      undefined,
      { citations: ['x'] },
      undefined,
    ])
  })

  it('is on the finish chunk where it came last, without an event of its own', async () => {
    const events = await streamed([
      [text('a'), stop],
      [{ choices: [], usage, provider_specific_fields: { timings: { n: 1 } } }],
    ])
    expect(bagsOf(events)).toEqual([undefined, undefined, { timings: { n: 1 } }])
    expect((events.at(-2) as Event).choices[0]?.finish_reason).toBe('stop')
  })

  it('is on its choice and delta', async () => {
    const events = await streamed(
      [
        [
          {
            choices: [
              { index: 0, delta: { content: 'a' }, provider_specific_fields: { filter: 'safe' } },
              { index: 1, delta: { content: 'b', provider_specific_fields: { tools: [1] } } },
            ],
          },
        ],
        [
          {
            choices: [
              { index: 0, delta: {}, finish_reason: 'stop', provider_specific_fields: { native: 'eos' } },
              { index: 1, delta: {}, finish_reason: 'stop' },
            ],
          },
        ],
      ],
      { n: 2 },
    )
    const choices = events.flatMap(event => (event === '[DONE]' ? [] : event.choices))
    expect(choices.map(choice => choice.provider_specific_fields)).toEqual([
      undefined,
      { filter: 'safe' },
      undefined,
      undefined,
      undefined,
      { native: 'eos' },
      undefined,
    ])
    expect(choices.map(({ delta }) => delta.provider_specific_fields)[4]).toEqual({ tools: [1] })
  })

  it('is in the usage, for those who ask for it', async () => {
    const reads = [
      [text('a'), stop],
      [{ choices: [], usage: { ...usage, provider_specific_fields: { cost: 0.5 } } }],
    ]
    const events = await streamed(reads, { stream_options: { include_usage: true } })
    expect((events.at(-2) as Event).usage).toMatchObject({
      total_tokens: 5,
      provider_specific_fields: { cost: 0.5 },
    })
    expect(JSON.stringify(await streamed(reads))).not.toContain('cost')
  })
})

import type { PartialUsage, Provider } from '@sluice/core/provider'
import { openaiCompatible } from '@sluice/providers'
import { chunks, readSse, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'
import { expectCounted, withCounts } from './harness/usage-counts.ts'
import { answering, framedAnswer, threeWords, wholeAnswer } from './harness/vendor-answers.ts'
import { oneOfEachWire } from './harness/wires.ts'

const good = chunks({ text: 'one two three' })
const [role, one, two] = good
const choice = (fields: object) => ({ ...two, choices: [{ index: 0, delta: {}, ...fields }] })
const delta = (fields: object) => choice({ delta: fields })

/** What stands between two words and says nothing: the answer goes on. */
const passedOver: Readonly<Record<string, object | string>> = {
  'no choices': { ...two, choices: [] },
  'choices that are a text': { ...two, choices: 'x' },
  'choices that are an object': { ...two, choices: {} },
  'no choices at all': { id: 'x' },
  'usage of null': { ...two, choices: [], usage: null },
  'usage that is a text': { ...two, choices: [], usage: 'none' },
  'a delta of null': choice({ delta: null }),
  'a delta that is a text': choice({ delta: 'x' }),
  'a delta that is a list': choice({ delta: ['x'] }),
  'no delta': choice({ delta: undefined }),
  'content that is a number': delta({ content: 7 }),
  'content that is an object': delta({ content: { text: 'x' } }),
  'a refusal that is an object': delta({ refusal: {} }),
  'another role': delta({ role: 'user' }),
  'a role that is a number': delta({ role: 7 }),
  'no id, no model, no time': { ...delta({}), id: undefined, model: undefined, created: undefined },
  'an id that is a number': { ...delta({}), id: 7, model: {}, created: 'now', object: 7 },
  'a reason that is a number': choice({ finish_reason: 7 }),
  'calls that are a text': delta({ tool_calls: 'x' }),
  'calls that are nothing': delta({ tool_calls: [null, 7, 'x'] }),
  'logprobs that are a number': choice({ logprobs: 7 }),
  'an index that is a text': choice({ index: '0' }),
  'an index below 0': choice({ index: -1 }),
  'no index': choice({ index: undefined }),
}

/** What makes no sense: nothing after it can be trusted. */
const garbled: Readonly<Record<string, object | string>> = {
  'no JSON': '{"choices":',
  'NaN for JSON': '{"choices":[],"usage":{"prompt_tokens":NaN}}',
  'a number': '7',
  null: 'null',
  'a list': '[1]',
  'a choice of null': { ...two, choices: [null] },
  'a choice that is a text': { ...two, choices: ['x'] },
  'a choice of index 10^6': choice({ index: 1_000_000, delta: { content: 'x' } }),
}

const badCounts = ['null', '-5', '1e308', '1e400', '1.5', '9007199254740993', '"12"', '{}', '[1]', 'true']

describe('F51 an event has wrong types, counts that are none, or choices that make no sense', () => {
  overServers(mount => {
    it.each(Object.entries(passedOver))('passes over %s', async (_, odd) => {
      const upstream = await upstreamDuring(steps.stream(sse([role!, one!, odd, ...good.slice(2)])))
      const { site, end } = await startService(mount, { models: { m: upstream } })
      const {
        text,
        done,
        chunks: told,
      } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      expect([text, done]).toEqual(['one two three', true])
      const choices = told.flatMap(chunk => chunk.choices ?? [])
      expect(choices.map(({ index }) => index)).toEqual(choices.map(() => 0))
      expect(choices.flatMap(it => it.delta.role ?? [])).toEqual(['assistant'])
      expect(choices.flatMap(it => it.finish_reason ?? [])).toEqual(['stop'])
      expect(await end()).toMatchObject({ outcome: 'completed', attempts: [{ error: undefined }] })
    })

    it.each(Object.entries(garbled))('breaks off at %s', async (_, odd) => {
      const upstream = await upstreamDuring(
        steps.stream(sse([role!, one!, odd, ...good.slice(2)])),
        steps.stream(sse([role!, odd, ...good.slice(1)])),
      )
      const backup = await upstreamDuring(steps.answer({ text: 'the other one' }))
      const at = (baseURL: string) => openaiCompatible({ name: 'v', baseURL })('m')
      const { site, end } = await startService(mount, {
        models: { m: [at(upstream.baseURL), at(backup.baseURL)] },
      })
      const broken = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      expect([broken.text, broken.done]).toEqual(['one', false])
      expect(broken.chunks.at(-1)).toMatchObject({ error: { code: 'bad_gateway' } })
      expect(await end()).toMatchObject({
        outcome: 'upstream_failed',
        attempts: [{ error: { kind: 'garbled' } }],
      })
      const moved = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      expect([moved.text, moved.done]).toEqual(['the other one', true])
    })

    it('tells one reason to end of two, and nothing that comes after [DONE]', async () => {
      const reasons = ['stop', 'length', 'stop'].map(finish_reason => choice({ finish_reason }))
      const late = sse([delta({ content: ' late' }), { error: { message: 'late' } }])
      const upstream = await upstreamDuring(
        steps.stream([...sse([...good.slice(0, -1), ...reasons]), ...late]),
      )
      const { site, end } = await startService(mount, { models: { m: upstream } })
      const {
        text,
        done,
        chunks: told,
      } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      expect([text, done]).toEqual(['one two three', true])
      const choices = told.flatMap(chunk => chunk.choices ?? [])
      expect(choices.flatMap(it => it.finish_reason ?? [])).toEqual(['length'])
      expect(await end()).toMatchObject({ outcome: 'completed' })
    })

    it('numbers a call of index 10^6 from 0', async () => {
      const call = (fields: object) => delta({ tool_calls: [{ index: 1_000_000, ...fields }] })
      const opener = call({ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a"' } })
      const rest = call({ function: { arguments: ':1}' } })
      const upstream = await upstreamDuring(
        steps.stream(sse([opener, rest, choice({ finish_reason: 'tool_calls' })])),
      )
      const { site } = await startService(mount, { models: { m: upstream } })
      const { chunks: told } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      const calls = told.flatMap(({ choices = [] }) => choices.flatMap(it => it.delta.tool_calls ?? []))
      expect(calls.map(({ index }) => index)).toEqual([0, 0, 0])
      expect(calls.map(it => it.function?.arguments).join('')).toBe('{"a":1}')
    })

    it.each([Number.NaN, -5, 1e308, Number.POSITIVE_INFINITY, 1.5, 2 ** 53, '12', null])(
      'counts of %s of a provider of your own are guessed, and called a guess',
      async bad => {
        const counts = {
          prompt_tokens: bad,
          completion_tokens: bad,
          cached_tokens: bad,
          reasoning_tokens: bad,
        }
        const upstream = await upstreamDuring()
        const { provider } = openaiCompatible({ name: 'own', baseURL: upstream.baseURL })('m')
        const own: Provider = {
          ...provider,
          decode: async (response, call) => {
            const reply = await provider.decode(response, call)
            if (reply.kind === 'stream') throw new Error('no stream was asked for')
            return { kind: 'completion', completion: { ...reply.completion, usage: counts as PartialUsage } }
          },
        }
        const { site, end } = await startService(mount, { models: { m: { provider: own, model: 'm' } } })
        const whole = await site.chat({ model: 'm' })
        expect(whole.status).toBe(200)
        expectCounted(await end(), whole.json?.usage)
      },
    )

    describe.each(Object.entries(oneOfEachWire))('counts of %s', (_, { wire, at }) => {
      it.each(badCounts)('of %s are guessed, and called a guess', async bad => {
        const { events } = framedAnswer(wire, threeWords)
        const upstream = await upstreamDuring(answering(wire, withCounts(wire, events, bad)), {
          do: 'reply',
          body: withCounts(wire, [{ name: '', payload: wholeAnswer(wire, threeWords) }], bad)[0]!.text,
        })
        const { site, end } = await startService(mount, { models: { m: at(upstream.url) } })
        const options = { stream: true, stream_options: { include_usage: true } }
        const { chunks: told, done } = await readSse((await site.chat({ model: 'm', ...options })).bytes)
        expect(done).toBe(true)
        expectCounted(await end(1), told.at(-1)?.usage)
        const whole = await site.chat({ model: 'm' })
        expect(whole.status).toBe(200)
        expectCounted(await end(2), whole.json?.usage)
      })
    })
  })
})

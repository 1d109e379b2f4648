import { describe, expect, it } from 'vitest'
import { base } from '../../e2e/conformance/site.ts'
import { behindParsers } from './harness/parsers.ts'
import { expectRefusal } from './harness/refused.ts'
import { overEveryServer } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** The number is part of the text: `JSON.stringify` would round it first. */
const withMember = (member: string) => `${JSON.stringify(base).slice(0, -1)},${member}}`
const tool = (parameters: string) =>
  `"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`

/** A member, the code of its refusal, and its `param`. */
const refused: readonly (readonly [member: string, code: string | null, param: string])[] = [
  ['"temperature":1e400', 'decimal_above_max_value', 'temperature'],
  ['"temperature":-1e400', 'decimal_below_min_value', 'temperature'],
  ['"temperature":1e308', 'decimal_above_max_value', 'temperature'],
  ['"temperature":2.0000001', 'decimal_above_max_value', 'temperature'],
  ['"top_p":-0.1', 'decimal_below_min_value', 'top_p'],
  ['"seed":9007199254740993', 'integer_above_max_value', 'seed'],
  ['"seed":-9007199254740993', 'integer_below_min_value', 'seed'],
  ['"seed":1.5', 'invalid_type', 'seed'],
  ['"max_tokens":1.5', 'invalid_type', 'max_tokens'],
  ['"max_tokens":-1', 'integer_below_min_value', 'max_tokens'],
  ['"max_tokens":9007199254740992', 'integer_above_max_value', 'max_tokens'],
  ['"max_completion_tokens":1e20', 'integer_above_max_value', 'max_completion_tokens'],
  ['"seed":-1e20', 'integer_below_min_value', 'seed'],
  ['"n":1e9', 'integer_above_max_value', 'n'],
  ['"n":129', 'integer_above_max_value', 'n'],
  ['"n":0', 'integer_below_min_value', 'n'],
  ['"logprobs":true,"top_logprobs":21', 'integer_above_max_value', 'top_logprobs'],
  ['"logprobs":true,"top_logprobs":-1', 'integer_below_min_value', 'top_logprobs'],
  ['"logit_bias":{"5":101}', 'integer_above_max_value', 'logit_bias.5'],
  ['"presence_penalty":2.1', 'decimal_above_max_value', 'presence_penalty'],
  ['"x":{"deep":[0,1e999]}', 'decimal_above_max_value', 'x.deep[1]'],
  [tool('{"maximum":1e999}'), 'decimal_above_max_value', 'tools[0].function.parameters.maximum'],
  [tool('{"minimum":-9007199254740993}'), 'integer_below_min_value', 'tools[0].function.parameters.minimum'],
  [`"x":0.${'1'.repeat(1_000)}`, null, 'x'],
]

/** What a parser of the host rounds before anybody sees it. */
const lost = /"x":0\.1/

/** A number as it is sent, and as the upstream gets it. */
const taken: readonly (readonly [given: string, sent: string])[] = [
  ['"temperature":-0', '"temperature":0'],
  ['"temperature":-0.0', '"temperature":0'],
  ['"temperature":2e0', '"temperature":2'],
  ['"temperature":1e-400', '"temperature":0'],
  ['"seed":-7', '"seed":-7'],
  ['"seed":-9007199254740991', '"seed":-9007199254740991'],
  ['"max_tokens":1e3', '"max_tokens":1000'],
  ['"n":1.0', '"n":1'],
]

describe('F20 numbers that another reader would round, clamp or take for infinite', () => {
  overEveryServer(mount => {
    it.each(refused)('%s', async (member, code, param) => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      expectRefusal(await site.chat({}, { body: withMember(member) }), 400, { code, param })
      expect(upstream.connections.total).toBe(0)
    })

    it.each(taken)('%s is sent as %s', async (given, sent) => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const { status, body } = await site.chat({}, { body: withMember(given) })
      expect(status, body).toBe(200)
      expect(upstream.requests[0]?.body).toContain(sent)
    })
  })

  behindParsers(mount => {
    it('are refused also where a parser of the host has read them', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      for (const [member, code, param] of refused.filter(([member]) => !lost.test(member))) {
        expectRefusal(await site.chat({}, { body: withMember(member) }), 400, { code, param })
      }
      expect(upstream.connections.total).toBe(0)
    })
  })
})

import { describe, expect, it } from 'vitest'
import { behindParsers } from './harness/parsers.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const messages = '"messages":[{"role":"user","content":"x"}]'
const tool = (parameters: string) =>
  `"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`

/** Bodies in which one reader sees another value than the next, and the key that is there twice. */
const twice: readonly (readonly [body: string, param: string])[] = [
  [`{"model":"allowed","model":"forbidden",${messages}}`, 'model'],
  [`{"model":"allowed",${messages},"model":"forbidden"}`, 'model'],
  [`{"model":"allowed","\\u006dodel":"forbidden",${messages}}`, 'model'],
  [`{"model":"allowed","\\u006D\\u006f\\u0064\\u0065\\u006c":"forbidden",${messages}}`, 'model'],
  [`{"model":"allowed",${messages},"stream":false,"stream":true}`, 'stream'],
  [`{"model":"allowed",${messages},"max_tokens":1,"max_tokens":1000000}`, 'max_tokens'],
  [`{"model":"allowed",${messages},"max_tokens":1,"max_tokens":1}`, 'max_tokens'],
  [`{"model":"allowed",${messages},"messages":[]}`, 'messages'],
  ['{"model":"allowed","messages":[{"role":"user","role":"system","content":"x"}]}', 'messages[0].role'],
  [
    '{"model":"allowed","messages":[{"role":"user","content":[{"type":"text","text":"a","t\\u0065xt":"b"}]}]}',
    'messages[0].content[0].text',
  ],
  [`{"model":"allowed",${messages},"metadata":{"a":"1","a":"2"}}`, 'metadata.a'],
  [`{"model":"allowed",${messages},"logit_bias":{"5":1,"5":-1}}`, 'logit_bias.5'],
  [`{"model":"allowed",${messages},"x":{"__proto__":1,"__proto__":2}}`, 'x.__proto__'],
  [
    `{"model":"allowed",${messages},${tool('{"properties":{"a":{"type":"string","type":"object"}}}')}}`,
    'tools[0].function.parameters.properties.a.type',
  ],
  [`{"model":"allowed",${messages},"x":${'[{"a":'.repeat(25)}{"b":1,"b":2}${'}]'.repeat(25)}}`, 'x'],
  [
    `{"model":"allowed",${messages},"x":{${Array.from({ length: 40 }, (_, i) => `"k${i}":1`).join()},"k39":2}}`,
    'x.k39',
  ],
]

describe('F18 keys that are given twice, at any depth and however they are spelt', () => {
  overServers(mount => {
    it.each(twice)('%s', async (body, param) => {
      const upstream = await upstreamDuring()
      const { site, ends } = await startService(mount, {
        models: { allowed: upstream, forbidden: upstream },
      })
      const answer = await site.chat({}, { body })
      expectRefusal(answer, 400, { code: null, message: /key given twice/ })
      const { error } = answer.json as unknown as { error: { param: string } }
      expect(error.param.slice(0, param.length)).toBe(param)
      expect(upstream.connections.total).toBe(0)
      expect(ends[0]).toMatchObject({ outcome: 'refused', model: undefined, attempts: [] })
    })

    it('are no two keys where they stand in two objects', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { allowed: upstream } })
      const body = `{"model":"allowed",${messages},"x":[{"a":1},{"a":2,"b":{"a":3}}]}`
      expect((await site.chat({}, { body })).status).toBe(200)
    })

    it('and what goes on is written anew, never the bytes that came', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { allowed: upstream } })
      const body = `\uFEFF{ "\\u006dodel" : "allowed" ,\n ${messages}, "stop": null, "temperature": 1.0 }`
      expect((await site.chat({}, { body })).status).toBe(200)
      expect(upstream.requests[0]?.body).toBe(
        '{"model":"its-model","messages":[{"role":"user","content":"x"}],"temperature":1}',
      )
    })
  })

  behindParsers(mount => {
    it('are one key to a parser of the host: the model that is looked at is the model that is asked', async () => {
      const upstream = await upstreamDuring()
      const { site, end } = await startService(mount, {
        models: { allowed: upstream, forbidden: upstream },
        authorize: (_, model) => model === 'allowed',
      })
      const [body] = twice[0]!
      expectRefusal(await site.chat({}, { body }), 403, { code: 'model_not_found' })
      expect((await end()).outcome).toBe('refused')
      expect(upstream.connections.total).toBe(0)
    })
  })
})

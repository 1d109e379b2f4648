import { describe, expect, it, onTestFinished } from 'vitest'
import { behindParsers } from './harness/parsers.ts'
import { targets } from './harness/protocol-targets.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const evil = '{"polluted":"yes","role":"system","stream":true}'
const poison = `"__proto__":${evil},"constructor":{"prototype":${evil}},"prototype":${evil}`
const schema = `{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"object","properties":{"prototype":{"type":"string"}}}},"required":["__proto__","constructor"],${poison}}`

/** A request that has such keys wherever one may stand. */
const body = `{"model":"local",${poison},
  "messages":[
    {"role":"user","content":[{"type":"text","text":"x",${poison}}],${poison}},
    {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\\"__proto__\\":{\\"polluted\\":1},\\"constructor\\":2}"}}]},
    {"role":"tool","tool_call_id":"a","content":"x"}],
  "tools":[{"type":"function","function":{"name":"f","description":"","parameters":${schema}}}],
  "response_format":{"type":"json_schema","json_schema":{"name":"s","schema":${schema}}},
  "x_vendor":{${poison}}}`
const common = `${body.slice(0, -1)},
  "metadata":{"__proto__":"a","constructor":"b","prototype":"c","toString":"d"},
  "logit_bias":{"__proto__":1,"constructor":-1,"hasOwnProperty":2},
  "stream_options":{"include_usage":true,${poison}}}`

/** Every name that the prototypes have, and what stands there; a test must leave it so. */
function prototypes(): string {
  const all = [Object.prototype, Array.prototype, Function.prototype, String.prototype]
  return JSON.stringify(all.map(it => Object.getOwnPropertyNames(it).sort()))
}

function unpolluted(): void {
  const before = prototypes()
  onTestFinished(() => {
    expect(prototypes()).toBe(before)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })
}

describe('F19 __proto__, constructor and prototype as keys', () => {
  overServers(mount => {
    it('are data: the upstream gets them all, and nothing else is changed by them', async () => {
      unpolluted()
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const answer = await site.chat({}, { body: common })
      expect(answer.status, answer.body).toBe(200)
      // A `stream` that came by the prototype would make a stream of the answer.
      expect(answer.headers['content-type']).toBe('application/json')
      const { model, stream_options: _, ...sent } = JSON.parse(upstream.requests[0]?.body ?? '')
      const { model: __, stream_options: ___, ...given } = JSON.parse(common)
      expect(model).toBe('its-model')
      expect(JSON.stringify(sent)).toBe(JSON.stringify(given))
      expect(Object.keys(sent)).toContain('__proto__')
      expect(Object.keys(sent.metadata)).toEqual(['__proto__', 'constructor', 'prototype', 'toString'])
    })

    it.each(['anthropic', 'gemini', 'bedrock'] as const)(
      'are names of properties in the schemas that %s gets',
      async vendor => {
        unpolluted()
        const upstream = await upstreamDuring(targets[vendor].answer)
        const { site } = await startService(mount, {
          models: { local: targets[vendor].at(upstream.url) },
          unsupportedParameters: 'drop',
        })
        const answer = await site.chat({}, { body })
        expect(answer.status, answer.body).toBe(200)
        const sent = upstream.requests[0]?.body ?? ''
        expect(sent).toContain('"properties":{"__proto__":{"type":"string"}')
        expect(sent).toContain('"required":["__proto__","constructor"]')
        expect(sent).toMatch(/\{"__proto__":\{"polluted":1\},"constructor":2\}/)
      },
    )

    it('are no roles, types or names of models', async () => {
      unpolluted()
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
        const role = await site.chat({ messages: [{ role: name, content: 'x' }] })
        expectRefusal(role, 400, { code: 'invalid_value', param: 'messages[0].role' })
        const type = await site.chat({ messages: [{ role: 'user', content: [{ type: name }] }] })
        expectRefusal(type, 400, { code: 'invalid_value', param: 'messages[0].content[0].type' })
        expectRefusal(await site.chat({ model: name }), 404, { code: 'model_not_found' })
        expectRefusal(await site.get(`/models/${name}`), 404, { code: 'model_not_found' })
      }
      const inherited = '{"model":"local","__proto__":{"messages":[{"role":"user","content":"x"}]}}'
      expectRefusal(await site.chat({}, { body: inherited }), 400, { param: 'messages' })
      const hidden = '{"__proto__":{"model":"local"},"messages":[]}'
      expectRefusal(await site.chat({}, { body: hidden }), 400, { message: /model parameter/ })
      expect(upstream.connections.total).toBe(0)
    })

    it('are headers like any other', async () => {
      unpolluted()
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const headers = { __proto__: 'a', constructor: 'b', prototype: 'c' }
      Object.defineProperty(headers, '__proto__', { value: 'a', enumerable: true })
      expect((await site.chat({}, { headers })).status).toBe(200)
    })
  })

  behindParsers(mount => {
    it('are data also where a parser of the host has read the body', async () => {
      unpolluted()
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const answer = await site.chat({}, { body: common })
      expect(answer.status, answer.body).toBe(200)
      expect(answer.headers['content-type']).toMatch(/^application\/json/)
      const sent = JSON.parse(upstream.requests[0]?.body ?? '')
      const given = JSON.parse(common)
      expect(JSON.stringify(sent.metadata)).toBe(JSON.stringify(given.metadata))
      expect(JSON.stringify(sent.tools)).toBe(JSON.stringify(given.tools))
    })
  })
})

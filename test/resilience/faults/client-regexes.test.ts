import { local } from '@sluice/providers'
import { describe, expect, it, vi } from 'vitest'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** Against `aaa...!` each of these takes an engine that backtracks longer than anybody waits. */
const patterns = [
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '(.*a){25}',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(?=(a+))\\1{1000}b',
]
const victim = `${'a'.repeat(50_000)}!`
const invalid = ['(', '[z-a]', '(?<n>a)(?<n>b)', '\\', '*', 'a{99999999999}']

const schemaOf = (pattern: string) => ({
  type: 'object',
  properties: { a: { type: 'string', pattern, const: victim } },
  patternProperties: { [pattern]: { $ref: '#' } },
  required: ['a'],
})
const cyclic = {
  $ref: '#/$defs/a',
  $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#' }] } },
}
const nested = (depth: number): object => (depth === 0 ? {} : { items: nested(depth - 1) })

const fieldsOf = (schema: object) => ({
  messages: [{ role: 'user', content: victim }],
  tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
  response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
})
const grammar = {
  tools: [
    {
      type: 'custom',
      custom: {
        name: 'g',
        format: { type: 'grammar', grammar: { syntax: 'regex', definition: '^(a+)+$' } },
      },
    },
  ],
}

describe('F22 patterns, references and grammars of callers', () => {
  overServers(mount => {
    it('go on as they are and are never compiled', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      const compiled = vi.spyOn(globalThis, 'RegExp')
      try {
        const schemas = [...patterns, ...invalid].map(schemaOf)
        for (const schema of [...schemas, cyclic]) {
          const start = performance.now()
          const fields = fieldsOf(schema)
          const { status, body } = await site.chat(fields)
          expect(status, body).toBe(200)
          expect(performance.now() - start).toBeLessThan(5_000)
          expect(upstream.requests.at(-1)?.json).toMatchObject(fields)
        }
        expect((await site.chat(grammar)).status).toBe(200)
        expect(upstream.requests.at(-1)?.json).toMatchObject(grammar)
        const made = compiled.mock.calls.map(([source]) => String(source))
        expect(made.filter(source => [...patterns, ...invalid, '^(a+)+$'].includes(source))).toEqual([])
      } finally {
        compiled.mockRestore()
      }
    })

    it('are looked at by the rules of strict schemas without following them', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream }, validation: 'live' })
      const strict = {
        type: 'object',
        properties: { a: { $ref: '#' }, b: { type: 'string', pattern: '^(a+)+$' } },
        required: ['a', 'b'],
        additionalProperties: false,
        $defs: cyclic.$defs,
      }
      const parameters = { type: 'function', function: { name: 'f', strict: true, parameters: strict } }
      expect((await site.chat({ tools: [parameters] })).status).toBe(200)
    })

    it('are bounded in depth, and in nothing else', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      expect((await site.chat(fieldsOf(nested(50)))).status).toBe(200)
      const deep = await site.chat(fieldsOf(nested(80)))
      expectRefusal(deep, 400, { message: /nested too deep/ })
      expect(upstream.requests).toHaveLength(1)
    })

    it('do not keep the local provider, which makes values for schemas, from answering others', async () => {
      const { site } = await startService(mount, { models: { local: local()('local') } })
      for (const schema of [...patterns, ...invalid].map(schemaOf).concat(cyclic as never)) {
        const start = performance.now()
        const { status } = await site.chat(fieldsOf(schema))
        expect([200, 400]).toContain(status)
        expect(performance.now() - start).toBeLessThan(5_000)
      }
    })
  })
})
